"""Counts how often we ask back for ambiguous and for clear questions: ``python -m benchmarks.asking_back``.

Reads ``pools/asking-back.jsonl``: questions to two invented councils, each with the pages that it may mean;
the pages are in ``pools/asking-back-pages.jsonl``. The files of two invented towns end with ``-2``. Every
page that is offered is then asked for, as by a click. The councils' files were written by people who had not
seen the code; the towns' with the code in view, before it was changed.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from app.chat.answer import Answerer
from app.chat.answer_steps import AddedStep
from app.chat.events import DoneEvent
from app.chat.options import ChatOptions
from app.chat.site_search import PagesSearch
from app.chat.types import CitedPage, Turn
from app.features.asking_back.answer_step import AskBack
from app.features.asking_back.generality import generality
from app.monitoring.logging import configure_quiet_logging
from app.search.types import IndexedPage
from app.services import Services
from app.services.retrieval import make_retriever
from app.settings.settings import load_settings
from benchmarks import pages

FOLDER: Final = Path(__file__).with_name("pools")
POOLS: Final = {"councils": "", "towns": "-2"}
LANGUAGES: Final = ("de", "en")

Question = Mapping[str, Any]


@click.command()
def main() -> None:
    """Ask questions that a clerk would ask back, and others that a clerk would answer."""
    configure_quiet_logging()
    for name, pool in POOLS.items():
        click.echo(name)
        _measure(pool)


def _measure(pool: str) -> None:
    questions = pages.read(FOLDER / f"asking-back{pool}.jsonl")
    counts: Counter[tuple[bool, str]] = Counter()
    for language in LANGUAGES:
        with tempfile.TemporaryDirectory() as folder:
            asked = [each for each in questions if each["pages"][0].startswith(language)]
            for question, offered in _offered(Path(folder), language, pool, asked):
                is_clear = question["is_clear"]
                counts[is_clear, "questions"] += 1
                counts[is_clear, "asked back"] += bool(offered)
                counts[is_clear, "clicks"] += len(offered)
                counts[is_clear, "clicks that lead to the page"] += sum(offered.values())
    for is_clear in (False, True):
        click.echo("  clear" if is_clear else "  ambiguous")
        for name in ("questions", "asked back", "clicks", "clicks that lead to the page"):
            click.echo(f"    {name}: {counts[is_clear, name]}")


def _offered(
    folder: Path, language: str, pool: str, questions: Sequence[Question]
) -> Iterator[tuple[Question, dict[str, bool]]]:
    """Yield each question with the questions offered instead: True for those that lead to their page."""
    known = pages.read(FOLDER / f"asking-back-pages{pool}.jsonl")
    file = folder / "pages.jsonl"
    pages.write(file, (page for page in known if page["language"] == language))
    with Services(load_settings(data=folder / "data")) as services:
        pages.index(services, file)
        answerer = _answerer(services)
        for question in questions:
            text = question["question"]
            done = _ended(answerer, text, ())
            readings = done.retrieval.other_readings if done.retrieval else ()
            history = (Turn(role="user", content=text), _turn(done))
            yield question, {each: _leads(each, _ended(answerer, each, history)) for each in readings}


def _answerer(services: Services) -> Answerer:
    indexing = services.indexing
    retriever = make_retriever(services, indexing.index, services.preset, indexing.embedders.for_questions)
    found = services.feature(generality)
    found.examples.embed(services.indexing.embedder)
    steps = (AddedStep(AskBack(found), "PlanContext"),)
    return Answerer(PagesSearch(retriever), options=ChatOptions(rephrase=False), added=steps)


def _ended(answerer: Answerer, question: str, history: Sequence[Turn]) -> DoneEvent:
    events = answerer.stream(question, history=history, sources=frozenset({pages.SOURCE}))
    return next(event for event in events if isinstance(event, DoneEvent))


def _turn(done: DoneEvent) -> Turn:
    cited = tuple(CitedPage(id=page.ref.id, url=page.url) for page in _cited(done))
    return Turn(role="assistant", content=done.answer, cited=cited)


def _leads(reading: str, done: DoneEvent) -> bool:
    """Return True if the page that a reading names is quoted first."""
    return any(reading.rstrip("? ").endswith(page.title.rstrip("? ")) for page in _cited(done)[:1])


def _cited(done: DoneEvent) -> list[IndexedPage]:
    pages = {source.number: source.page for source in done.sources}
    return [pages[number] for number in done.citations]


if __name__ == "__main__":
    main()
