"""A gap is asked again once a page was written: what is answered now, and what became worse."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from app.features.questions.receipt import SECONDS, GapDesk
from app.features.questions.services import QuestionServices
from app.services import Services
from app.settings.chat import ChatSettings
from tests.app.console.conftest import Console
from tests.app.features.questions.test_console import TAX, ask, page
from tests.app.site import XSS, raw_page
from tests.app.web.browser import soup
from tests.fakes.llm import FakeLlm

SAUNA = "When is the sauna open on Sunday?"
TOWELS = "Does the sauna on Sunday have towels?"
WRITTEN = raw_page(
    "sauna", "Sauna", "The sauna is open on Sunday from ten to eight. It has towels on Sunday."
)


def index(services: Services) -> None:
    while services.store.pending():
        services.indexing.indexer.sync_pages()


@pytest.fixture
def gap(admin: Console, services: Services) -> str:
    """The id of a group of three questions in two wordings, which no page answers, beside one answered."""
    answers = [ask(admin, question) for question in (TOWELS, SAUNA, SAUNA.upper())]
    groups = {answer: (1, rank) for rank, answer in enumerate(answers)} | {ask(admin, TAX): (2, 0)}
    services.feature(QuestionServices).groups.keep(groups, 0)
    return answers[0]


def again(console: Console, gap: str, language: str = "en") -> str:
    answer = console.post(f"/questions/groups/{gap}/again?lang={language}")
    assert answer.status_code == 200
    return soup(answer).get_text(" ", strip=True)


def test_a_page_that_was_written_is_seen_to_answer_the_gap_and_to_harm_nothing(
    admin: Console, services: Services, gap: str
) -> None:
    before = again(admin, gap)
    assert "Would be answered now: 0 of 3 questions." in before
    assert "Did you just save a page" in before
    services.store.accept([WRITTEN])
    index(services)
    now = again(admin, gap)
    assert "Would be answered now: 3 of 3 questions." in now
    assert "No other answer got worse (checked: 1)." in now
    assert "Is this done?" in now
    shown = soup(admin.post(f"/questions/groups/{gap}/again?lang=en"))
    assert [link.get_text() for link in shown.select("td a")] == ["Sauna", "Sauna"]
    [form] = [each for each in shown.select("[role=status] form") if "Done" in each.get_text()]
    assert admin.post(str(form["action"]).removeprefix("/admin"), action="done").status_code == 303
    assert "Is this done?" not in again(admin, gap)


def test_an_answer_that_got_worse_is_named(admin: Console, services: Services, gap: str) -> None:
    services.store.exclude("town", "dog-tax")
    index(services)
    now = again(admin, gap)
    assert "1 of 1 other frequent questions were answered before" in now and TAX in now
    assert "No other answer" not in now


def test_a_group_shows_its_different_questions_before_they_are_asked(admin: Console, gap: str) -> None:
    shown = page(admin, f"/questions/groups/{gap}?lang=en")
    rows = [row.get_text(" ", strip=True) for row in shown.select("main tbody tr")]
    assert rows == [f"{SAUNA.upper()} 2 not answered", f"{TOWELS} 1 not answered"]
    assert not shown.select("main [role=status]")


def test_questions_that_there_is_no_time_for_are_counted(services: Services, gap: str) -> None:
    asked = services.feature(QuestionServices)
    ticks = iter([0.0, 0.0, *[SECONDS] * 9])
    desk = GapDesk(
        gaps=asked.gaps, questions=asked.questions, replayer=asked.replayer, clock=lambda: next(ticks)
    )
    receipt = desk.ask(asked.gaps.one(gap))
    assert (len(receipt.questions), receipt.left, receipt.others) == (1, 1, 0)
    assert not replace(receipt, questions=()).is_complete


def test_a_question_that_is_deleted_meanwhile_is_not_answered(services: Services, gap: str) -> None:
    asked = services.feature(QuestionServices)
    conversation = asked.questions.stored(gap).conversation

    def ticks() -> Iterator[float]:
        yield 0.0
        services.chat.conversations.delete("town", conversation)
        while True:
            yield 0.0

    clock = ticks()
    desk = GapDesk(
        gaps=asked.gaps, questions=asked.questions, replayer=asked.replayer, clock=lambda: next(clock)
    )
    asked_again = desk.ask(asked.gaps.one(gap)).questions
    assert [each.outcome for each in asked_again] == ["unanswered", None]


def test_a_group_of_another_site_is_not_there(services: Services, gap: str) -> None:
    other = Console(services).log_in("lee", "law")
    for answer in (gap, "unknown"):
        assert other.get(f"/questions/groups/{answer}").status_code == 404
        assert other.post(f"/questions/groups/{answer}/again").status_code == 404


def test_questions_of_a_group_that_are_code_are_shown_as_text(admin: Console, services: Services) -> None:
    answers = [ask(admin, f"When is the sauna open? {code}") for code in XSS]
    services.feature(QuestionServices).groups.keep({answer: (1, n) for n, answer in enumerate(answers)}, 0)
    found = soup(admin.post(f"/questions/groups/{answers[0]}/again"))
    assert found.select("main :is(img, svg, math, iframe, [onload])") == []


def test_a_group_is_worded_without_jargon_in_german(german: Console, gap: str) -> None:
    now = again(german, gap, "de")
    assert "Jetzt würden beantwortet: 0 von 3 Fragen." in now
    assert "Keine andere Antwort wurde schlechter" in now


def test_the_group_itself_is_none_of_the_others(admin: Console, services: Services) -> None:
    answers = [ask(admin, question) for question in (TAX, SAUNA)]
    services.feature(QuestionServices).groups.keep({each: (1, rank) for rank, each in enumerate(answers)}, 0)
    now = again(admin, answers[0])
    assert "Would be answered now: 1 of 2 questions." in now
    assert "No other answer" not in now and "Is this done?" not in now


def test_the_language_model_is_not_asked(services: Services, gap: str) -> None:
    with FakeLlm() as llm:
        chat = ChatSettings(base_url=llm.base_url, model="fake")
        with Services(services.settings.model_copy(update={"chat": chat})) as with_model:
            now = again(Console(with_model).log_in("eve"), gap)
        assert "They were asked without the language model" in now
        assert not llm.requests
