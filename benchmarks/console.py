"""Measures the console's pages, their time and size: ``python -m benchmarks console``.

The installation has many pages, stored questions, messages, contradictions, annotations, curated answers,
runs, users and changes, the same in every run. An admin opens every page once to fill caches, then several
times. Measured are the time in the server and the bytes of the body as sent. Times are wall-clock times,
which other work on the machine lengthens.
"""

import random
import statistics
import tempfile
import time
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final

import click
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select

from app import create_app
from app.accounts.types import User
from app.console.addresses import PREFIX
from app.features.annotations.services import AnnotationServices
from app.features.contradictions.services import ContradictionServices
from app.features.contradictions.store import FoundContradiction, Passage
from app.features.curation.content import Content
from app.features.curation.services import CurationServices
from app.features.evaluation.evaluation_runs import KEPT, EvaluationRuns
from app.features.evaluation.results import EvaluationRun, figures
from app.features.handover.services import HandoverServices
from app.features.questions.services import QuestionServices
from app.monitoring.logging import configure_quiet_logging
from app.pages.database import utc_now
from app.pages.question_tables import answers
from app.pages.tables import jobs
from app.pages.types import Delivery
from app.services import Services
from app.settings.settings import Settings, load_settings
from app.settings.sites import SiteSettings
from benchmarks import large_site, questions
from benchmarks.figures import Stopwatch, show, timed
from ingest.law.model import Act, Unit
from ingest.law.pages import page_id, pages
from ingest.sources.records import raw_page
from ingest.types import PageRef, RawPage, Save

ROUNDS: Final = 10
DIMS: Final = 512
MOST_MILLISECONDS: Final = 200
MOST_BYTES: Final = 60_000
"""The targets for every page."""

CELEX: Final = "32020R0001"
VERSION: Final = date(2020, 1, 1)
LONG_PAGE: Final = "long"
LONG_WORDS: Final = 20_000
GROUPED: Final = 5_000
GROUPS: Final = 600

NO_PAGES: Final = frozenset(
    {
        "console.static",
        "login.form",
        "login.welcome",
        "overview.missing",
        "console_questions.export",
        "console_questions.pool",
        "console_questions.pool_question",
        "runs.report",
        "sites.colours",
    }
)
"""Endpoints below ``/admin`` that are not measured: pages before the log-in, files and reports."""

_OURS: Final = {"Sec-Fetch-Site": "same-origin"}
_PASSWORD: Final = "vier grosse otter baden"


@click.command(help="Measure every page of the console on a large installation.")
@click.option("--pages", "n_pages", default=10_000, show_default=True, help="Pages of the installation.")
@click.option("--questions", "n_questions", default=50_000, show_default=True, help="Stored questions.")
@click.option("--entries", default=2_000, show_default=True, help="Messages, changes and other entries.")
@click.option("--rounds", default=ROUNDS, show_default=True, help="How often each page is opened.")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the data folder here and use the one that is: nothing is deleted.",
)
def main(n_pages: int, n_questions: int, entries: int, rounds: int, data: Path | None) -> None:
    configure_quiet_logging()
    with ExitStack() as stack:
        folder = data or Path(stack.enter_context(tempfile.TemporaryDirectory())) / "console"
        if not folder.exists():
            large_site.fill(folder, DIMS, n_pages)
            with Services(settings(folder)) as services:
                fill(services, n_questions, entries)
        with Services(settings(folder)) as services:
            measure(services, rounds)


def settings(data: Path) -> Settings:
    """The settings of the installation, which has two sites."""
    sites = [
        SiteSettings(key=key, name=key.title(), sources=[*large_site.SOURCES]) for key in questions.SITES
    ]
    return load_settings(data=data, embedder="hashing", embedders={"hashing": {"dims": DIMS}}, sites=sites)


def measure(services: Services, rounds: int) -> None:
    """Open every page ``rounds`` times, and print a line for each, then the pages that miss the targets."""
    app = create_app(services=services)
    client, opened = logged_in(app, services), addresses(services)
    check_all(app, opened)
    found = {label: timed_page(client, path, rounds, label) for label, path in opened.items()}
    slow = [label for label, (median, _) in found.items() if median > MOST_MILLISECONDS]
    large = [label for label, (_, size) in found.items() if size > MOST_BYTES]
    show(f"medians above {MOST_MILLISECONDS} ms", ", ".join(slow) or "none")
    show(f"larger than {MOST_BYTES / 1000:.0f} kB", ", ".join(large) or "none")


def timed_page(client: FlaskClient, path: str, rounds: int, label: str) -> tuple[float, int]:
    """Open a page, print its figures, and return the median in milliseconds and the bytes."""
    first = timed(client.get, path)
    by_clock, by_processor, size = Stopwatch(), Stopwatch(clock=time.process_time), 0
    for _ in range(rounds):
        response = by_clock.timed(by_processor.timed(client.get))(path)
        if response.status_code != 200:
            raise click.ClickException(f"{path} was answered with {response.status_code}")
        size = len(response.data)
    median, busy = (statistics.median(each.laps) * 1000 for each in (by_clock, by_processor))
    worst, opening = max(by_clock.laps) * 1000, first * 1000
    times = f"{median:.0f} ms, processor {busy:.0f}, worst {worst:.0f}, first {opening:.0f}"
    show(label, f"{times}; {size / 1000:.1f} kB")
    return median, size


def logged_in(app: Flask, services: Services) -> FlaskClient:
    """A client that is logged in as a new admin."""
    client = app.test_client()
    name = f"ada{len(services.users.all())}"
    fields = {"key": services.users.add(User(name=name, role="admin", sources=None))}
    fields |= {"password": _PASSWORD, "again": _PASSWORD}
    client.post(f"{PREFIX}/welcome", data=fields, headers=_OURS)
    return client


def addresses(services: Services) -> dict[str, str]:
    """The path of every page, by its label."""
    source, asked = large_site.SOURCES[0], large_site.question(1, 1_000).replace(" ", "+")
    with services.engine.connect() as connection:
        answer = connection.execute(select(answers.c.id).limit(1)).scalar_one()
        job = connection.execute(select(jobs.c.id).where(jobs.c.source == source).limit(1)).scalar_one()
    queue = services.feature(HandoverServices).queue
    handover = queue.add("town", "a form", utc_now() + timedelta(days=30), lambda _number: "").number
    unit = f"/annotations/unit/law/en/{page_id(CELEX, VERSION, 'art_1')}"
    paths = {
        "overview": "/",
        "try it, empty": "/try",
        "try it": f"/try?site=town&q={asked}&page=https://town.example/de/page-0",
        "try it, a page found": f"/try?site=town&q={asked}&page=https://town.example/en/page-358",
        "draft": "/draft",
        "questions": "/questions",
        "questions, unanswered": "/questions?outcome=unanswered",
        "questions, a rare word": f"/questions?text={questions.RARE}",
        "questions, not rated": "/questions?rating=none",
        "questions, citing a page": f"/questions?cited={source}/de/page-0",
        "groups of questions": "/questions/groups",
        "a group of questions": "/questions/groups/a0",
        "a question": f"/questions/{answer}",
        "fixed answers": "/answers",
        "a fixed answer": "/answers/1",
        "a new fixed answer": "/answers/new",
        "pages": "/pages",
        "pages, found": "/pages?q=page-99",
        "pages, failed": "/pages?state=failed",
        "a page": f"/pages/{source}/de/page-0",
        "a long page": f"/pages/{source}/de/{LONG_PAGE}",
        "contradictions": "/contradictions",
        "contradictions, dismissed": "/contradictions?dismissed=1",
        "units of law": "/annotations",
        "units of law, found": "/annotations?q=art_1",
        "a unit of law": unit,
        "sources": "/sources",
        "a source": f"/sources/{source}",
        "a message": f"/sources/{source}/messages/{job}",
        "sites": "/sites",
        "a site": "/sites/town",
        "a site in its colour": "/sites/town?accent=7a0b3f",
        "a preview of its chat": "/sites/town/preview?accent=7a0b3f",
        "texts of a site": "/sites/town/texts",
        "a preview of its texts": "/sites/town/texts/preview?site_name=Town",
        "search index": "/index",
        "evaluations": "/evaluations",
        "hand-overs": "/handovers",
        "a hand-over": f"/handovers/{handover}",
        "letter": "/letter",
        "letter, as it is sent": "/letter/html",
        "users": "/users",
        "a user": "/users/user1",
        "settings": "/settings",
        "changes": "/changes",
    }
    return {label: f"{PREFIX}{path}" for label, path in paths.items()}


def check_all(app: Flask, opened: dict[str, str]) -> None:
    """Raise ``ClickException`` if a page of the console is not among those opened."""
    urls = app.url_map.bind("localhost")
    measured = {urls.match(path.partition("?")[0])[0] for path in opened.values()}
    rules = [rule for rule in app.url_map.iter_rules() if rule.rule.startswith(PREFIX)]
    pages = {rule.endpoint for rule in rules if "GET" in (rule.methods or ())}
    if missing := pages - measured - NO_PAGES:
        raise click.ClickException(f"not measured: {', '.join(sorted(missing))}")


def fill(services: Services, n_questions: int, entries: int) -> None:
    """Store questions, and about as many entries of every other kind as a list may have."""
    start = datetime.now(UTC) - timedelta(minutes=n_questions)
    questions.fill(services.engine, n_questions, start)
    grouped = {
        f"a{number}": (number % GROUPS, number // GROUPS) for number in range(min(GROUPED, n_questions))
    }
    services.feature(QuestionServices).groups.keep(grouped, 0)
    _fill_pages(services)
    _fill_messages(services, entries)
    _fill_contradictions(services, entries)
    _fill_annotations(services, entries // 10)
    _fill_curation(services, entries // 10)
    for number in range(entries):
        services.audit_log.record(f"user{number % 30}", "page.reindex", f"page/town/page-{number}/de")
    for number in range(30):
        services.users.add(User(name=f"user{number}", role="editor", sources=frozenset({"town"})))
    _fill_runs(services)


def _fill_pages(services: Services) -> None:
    """Store a long page and the units of an act."""
    record = large_site.record(0) | {"id": LONG_PAGE, "url": f"https://town.example/de/{LONG_PAGE}"}
    chance = random.Random(LONG_PAGE)
    lines = (" ".join(large_site.words(chance, "de", 20)) for _ in range(LONG_WORDS // 20))
    record["text"] = ".\n\n".join(lines)
    services.store.accept([Save(page=_page(record, large_site.SOURCES[0]))])
    services.store.accept_documents("law", pages(_act(), source="law"))
    while services.store.pending():
        services.indexing.indexer.sync_pages()


def _act() -> Act:
    articles = (
        Unit(
            name=f"art_{number}",
            kind="article",
            number=str(number),
            label=f"Article {number}",
            heading=f"Fee {number}",
            markdown=f"A crossing of route {number} costs {number} euros. Dogs travel on deck. " * 20,
            anchor=f"art_{number}",
        )
        for number in range(1, 301)
    )
    return Act(
        celex=CELEX,
        language="en",
        version=VERSION,
        layout="oj-convex",
        units=(Unit(name="act", kind="act", markdown="Having regard to the sea,"), *articles),
        title="REGULATION (EU) 2020/1 on ferries",
        short_title="Ferries Act",
        consolidated=False,
        document_date=VERSION,
    )


def _fill_messages(services: Services, count: int) -> None:
    """Accept messages of a CMS, each with an unchanged page."""
    for number in range(count):
        source = large_site.source_of(number)
        delivery = Delivery(source=source, id=f"message-{number}", digest=f"{number:064}")
        services.deliveries.accept(delivery, [Save(page=_page(large_site.record(number), source))])


def _fill_contradictions(services: Services, count: int) -> None:
    store = services.feature(ContradictionServices).store
    for number, due in enumerate(store.due(count)):
        other = PageRef(source=due.ref.source, id=f"{due.ref.id}-copy", language=due.ref.language)
        sides = [
            Passage(ref=ref, text=f"The fee for a boat is {fee} euros. " * 6)
            for ref, fee in ((due.ref, number), (other, number + 5))
        ]
        store.replace(due, [FoundContradiction(one=sides[0], other=sides[1], kind="amount")])
    for each in store.entries(limit=count // 4):
        store.dismiss(each.number, "ada")


def _fill_annotations(services: Services, count: int) -> None:
    desk = services.feature(AnnotationServices).desk
    for number in range(1, min(count, 300) + 1):
        ref = PageRef(source="law", id=page_id(CELEX, VERSION, f"art_{number}"), language="en")
        desk.save(ref, cuts=(21,), references=(f"{CELEX}/art_2",), version=0, actor="ada")


def _fill_curation(services: Services, count: int) -> None:
    desk = services.feature(CurationServices).desk
    for number in range(count):
        phrasings = [large_site.question(number * 3 + each, 10_000) for each in range(3)]
        content = Content(phrasings=phrasings, text="An answer of the editors. " * 10)
        desk.add("town", "answer", content, "ada", confirmed=True)


def _fill_runs(services: Services) -> None:
    run = EvaluationRun(
        started_at=datetime.now(UTC),
        seconds=10.0,
        label="default",
        index="generation 1",
        pool="pool.jsonl",
        pool_hash="0" * 16,
        configuration={},
        figures=figures([]),
    )
    for _ in range(KEPT):
        EvaluationRuns(services.engine).add(run.started_at, run.document(), [])


def _page(record: large_site.Record, source: str) -> RawPage:
    return raw_page(record, source=source, document=record["id"], url="", language=None)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.console")
