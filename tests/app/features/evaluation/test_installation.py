"""Grades of real answers in an installation: its settings, chat, thread, status and metrics."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, time
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from app import create_app
from app.chat.service import VisitorQuestion
from app.console.messages import translated
from app.errors import SettingsError
from app.feature import Feature
from app.features.evaluation.live_quality import day_to_grade
from app.features.evaluation.services import EvaluationServices
from app.indexing.stopping import never
from app.monitoring.check import Check
from app.monitoring.metrics import Metrics
from app.monitoring.readiness import checks
from app.pages.database import reading, utc_now, writing
from app.pages.question_tables import answers, live_grades
from app.services import Services
from app.settings.settings import Settings, load_settings
from ingest.types import Save
from tests.app.features.evaluation.judge import asked_about, grades_by_number
from tests.fakes.databases import new_data
from tests.fakes.decisions import FIXED_ANSWER, FIXED_ANSWERS, FIXED_QUESTION
from tests.fakes.llm import FakeLlm, refusing_url
from tests.fakes.world import raw_page
from tests.faults.worker_group import wait_until

OpenServices = Callable[..., Services]
TEXT = "The dog tax is 96 euros a year. Write to tax@otter.example."


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        fake.answer = grades_by_number
        yield fake


@pytest.fixture
def open_services(tmp_path: Path, llm: FakeLlm) -> Iterator[OpenServices]:
    """Opens an installation that grades answers by this judge, and has no other model."""
    data = new_data(tmp_path)
    with ExitStack() as opened:

        def open_one(features: Sequence[Feature] | None = None, **judge: object) -> Services:
            given = {"model": "fake", "base_url": llm.base_url, "live_answers": 10, "retries": 0, **judge}
            made = {"data": data, "embedder": "hashing", "retry_seconds": 0.1, "judge": given}
            return opened.enter_context(Services(Settings.model_validate(made), features))

        yield open_one


def ask(services: Services) -> None:
    """Have a visitor's question answered, on the day that is graded next."""
    texts = {"Dog tax": TEXT, "Outdoor pool": "The pool opens in May.", "Library": "It lends books."}
    pages = [raw_page(title, {"title": title, "content": text}) for title, text in texts.items()]
    services.store.accept([Save(page=page) for page in pages])
    services.indexing.indexer.sync_pages()
    site = services.chat.sites.find("default", None)
    asked = VisitorQuestion(question="How much is the dog tax?", sources=frozenset({"town"}))
    exchange = services.chat.service.begin(site, asked)
    assert [*exchange.events()]
    assert exchange.document["status"] == "extractive", exchange.document
    then = datetime.combine(day_to_grade(utc_now()), time(12), UTC)
    with writing(services.engine) as connection:
        connection.execute(update(answers).values(started_at=then))


def about(services: Services) -> str:
    answer = create_app(services=services).test_client().get("/about?lang=en")
    assert answer.status_code == 200
    return str(answer.get_data(as_text=True))


def test_without_the_feature_nothing_is_kept_for_grades_and_none_are_promised(
    open_services: OpenServices,
) -> None:
    services = open_services()
    assert "grades up to 10 answers" in about(services)
    core = open_services(features=())
    ask(core)
    with reading(core.engine) as connection:
        assert not connection.scalar(select(func.count()).select_from(live_grades))
    assert "grades up to" not in about(core)


def line(services: Services) -> Check | None:
    return next((check for check in checks(services) if check.name == "live quality"), None)


def kept(services: Services) -> int:
    with reading(services.engine) as connection:
        return int(connection.execute(select(func.count()).select_from(live_grades)).scalar_one())


def test_a_visitors_answer_is_graded_with_what_was_read_for_it_and_counted(
    open_services: OpenServices, llm: FakeLlm
) -> None:
    services = open_services()
    ask(services)
    while services.background.features.run("live_quality", never):
        pass
    [request] = llm.requests
    assert "The dog tax is 96 euros a year." in asked_about(request)
    read = request["messages"][1]["content"].partition("</source>")[0]
    assert "Dog tax\n\nThe dog tax is 96 euros a year. Write to [e-mail]." in read
    told = line(services)
    assert told is not None
    assert told.ok
    assert f"1 answers of {day_to_grade(utc_now())} graded, 0 ungraded; judge answered" in told.detail
    assert "bewertet, 0 nicht; das bewertende Modell hat vor" in translated(told.detail, "de")
    lines = Metrics(services).text().decode().splitlines()
    assert 'auskunft_live_answers_total{outcome="graded",site="default"} 1.0' in lines
    assert 'auskunft_live_scores_total{criterion="readability",site="default"} 1.0' in lines


def test_what_editors_wrote_themselves_is_not_graded(open_services: OpenServices) -> None:
    services = open_services(features=[FIXED_ANSWERS])
    site = services.chat.sites.find("default", None)
    exchange = services.chat.service.begin(site, VisitorQuestion(question=FIXED_QUESTION))
    assert [*exchange.events()]
    assert (exchange.document["answer"], kept(services)) == (FIXED_ANSWER, 0)


def test_it_is_off_until_a_number_of_answers_is_set(open_services: OpenServices, llm: FakeLlm) -> None:
    services = open_services(live_answers=0)
    ask(services)
    assert kept(services) == 0
    assert not services.background.features.run("live_quality", never)
    assert line(services) is None
    assert llm.requests == []


def test_the_thread_of_a_server_grades(open_services: OpenServices) -> None:
    services = open_services()
    ask(services)
    services.background.worker.start()
    wait_until(lambda: "1 answers of" in services.feature(EvaluationServices).progress())


def test_a_judge_that_is_away_is_named_in_the_status_and_asked_again_later(
    open_services: OpenServices,
) -> None:
    away = open_services(base_url=refusing_url())
    ask(away)
    assert not away.background.features.run("live_quality", never)
    told = line(away)
    assert told is not None
    assert not told.ok
    assert "cannot be reached" in told.detail
    assert not told.required
    services = open_services()
    assert services.background.features.run("live_quality", never)
    assert "1 answers of" in services.feature(EvaluationServices).progress()


def test_a_rubric_that_cannot_be_used_is_named_in_the_status(
    open_services: OpenServices, tmp_path: Path
) -> None:
    services = open_services(rubric=tmp_path / "none.toml")
    ask(services)
    assert not services.background.features.run("live_quality", never)
    told = line(services)
    assert told is not None
    assert (told.ok, "none.toml cannot be read" in told.detail) == (False, True)


def test_grades_need_a_model_that_gives_them() -> None:
    with pytest.raises(SettingsError, match=r"judge.live_answers needs a model"):
        load_settings(judge={"live_answers": 5})
    chat = {"model": "fake", "base_url": "http://127.0.0.1:1/v1"}
    assert load_settings(chat=chat, judge={"live_answers": 5}).judge.live_answers == 5
    for wrong in (-1, 10_001, "many"):
        with pytest.raises(SettingsError, match=r"judge.live_answers"):
            load_settings(chat=chat, judge={"live_answers": wrong})
