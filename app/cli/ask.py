"""``auskunft search`` and ``auskunft ask``."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, datetime
from typing import Final

import click
from rich.console import Console

from app.chat.documents import AnswerDocument, SearchDocument, source_documents
from app.chat.events import DeltaEvent, DoneEvent, SourcesEvent, StartEvent
from app.chat.facet_documents import facet_documents
from app.chat.source_items import SourceItem
from app.chat.text.catalogue import describe, describe_absent, describe_time, texts
from app.cli.common import (
    TEXT,
    at_option,
    console,
    filter_option,
    json_option,
    open_services,
    preset_option,
    print_json,
    searched_sources,
    source_option,
    warn_of_read_only_data,
)
from app.law.units import law_unit
from app.search.filters import Filters, filters_of
from app.search.retrieval import ANY_TIME, Degradation, Retrieval, TimeFilter
from app.services import Services

MOST_OTHERS: Final = 3
"""The most uncited pages listed below an answer, unless the preset lists all that the model read."""


@click.command()
@click.argument("question", type=TEXT)
@source_option
@preset_option
@at_option
@filter_option
@json_option
def search(
    *,
    question: str,
    source: str | None,
    preset: str | None,
    at: datetime | None,
    filters: tuple[tuple[str, str], ...],
    as_json: bool,
) -> None:
    """Show the pages that a question would be answered from."""
    with open_services(preset=preset) as services:
        warn_of_read_only_data(services)
        asked = services.chat.default.answerer.check(question)
        sources = searched_sources(services, source)
        wanted, pipeline = filters_of(filters, services.fields), services.chat.default
        retrieval = pipeline.search(asked, sources=sources, time=_time(at), filters=wanted)
        shows_facets = as_json and services.fields
        found = pipeline.facets(retrieval, sources=sources, language=None) if shows_facets else ()
        facets = facet_documents(found, services.settings.fields)
    if as_json:
        print_json(SearchDocument.of(retrieval, facets=facets).to_json())
    else:
        _print_hits(retrieval)


@click.command()
@click.argument("question", type=TEXT)
@source_option
@preset_option
@at_option
@filter_option
@click.option(
    "--more", "with_more", is_flag=True, help="Also show further passages of the page quoted first."
)
@json_option
def ask(
    *,
    question: str,
    source: str | None,
    preset: str | None,
    at: datetime | None,
    filters: tuple[tuple[str, str], ...],
    with_more: bool,
    as_json: bool,
) -> None:
    """Answer a question with numbered sources."""
    with open_services(preset=preset) as services:
        warn_of_read_only_data(services)
        sources = searched_sources(services, source)
        wanted = filters_of(filters, services.fields)
        if as_json:
            answerer = services.chat.default.answerer
            events = answerer.stream(question, sources=sources, time=_time(at), filters=wanted)
            done = next(event for event in events if isinstance(event, DoneEvent))
            print_json(AnswerDocument.of(question, done, source_documents(question, done)).to_json())
        else:
            print_answer(services, question, sources, _time(at), filters=wanted, with_more=with_more)


def _time(at: datetime | None) -> TimeFilter:
    return TimeFilter(at=at.date() if at else None)


def print_answer(
    services: Services,
    question: str,
    sources: frozenset[str],
    time: TimeFilter = ANY_TIME,
    *,
    filters: Filters = (),
    with_more: bool = False,
) -> None:
    """Stream the answer to the terminal, then print its sources as ``[1] title - url``.

    ``with_more``: True to print further quotes of the page quoted first; otherwise a line says how many.
    """
    out = console()
    listed = services.preset.question.listed_sources
    answerer = services.chat.default.answerer
    for event in answerer.stream(question, sources=sources, time=time, filters=filters):
        match event:
            case DeltaEvent():
                out.print(event.text, end="")
            case DoneEvent():
                out.print("\n")
                _print_more(out, event, with_more=with_more)
                _print_sources(out, event, with_cosines=listed == "used")
            case StartEvent() | SourcesEvent():
                pass


def _print_more(out: Console, done: DoneEvent, *, with_more: bool) -> None:
    if not done.more:
        return
    label = texts(done.language).more
    if not with_more:
        out.print(f"{label} ({len(done.more)}): auskunft ask --more …\n")
        return
    out.print(f"{label}:\n")
    for quote in done.more:
        out.print(f"{quote}\n")


def _print_sources(out: Console, done: DoneEvent, *, with_cosines: bool) -> None:
    cited = [item for item in done.sources if item.number in done.citations]
    for item in cited:
        out.print(f"[{item.number}] {_line(item, with_cosines, done.language)}")
    others = [item for item in done.sources if item not in cited]
    if others:
        out.print(texts(done.language).see_also)
    for item in others if with_cosines else others[:MOST_OTHERS]:
        out.print(f"  - {_line(item, with_cosines, done.language)}")
    if any(item.ended for item in cited):
        out.print(texts(done.language).some_ended)
    as_of = done.retrieval.as_of if done.retrieval and done.sources else None
    _print_notes(out, replace(done.time, at=done.time.at or as_of), done.degraded, done.language)


def _print_notes(out: Console, time: TimeFilter, degraded: Iterable[Degradation], language: str = "") -> None:
    if time:
        out.print(f"({describe_time(time, language)})")
    for label in degraded:
        out.print(f"({describe(label, language)})")


def _line(item: SourceItem, with_cosine: bool, language: str) -> str:
    is_shown = with_cosine and item.similarity is not None
    cosine = f" (cosine {item.similarity:.0%})" if is_shown else ""
    law = law_unit(item.page)
    text = f" ({texts(language).version.format(day=law.version)})" if law else ""
    return f"{item.page.title} - {item.page.url}{text}{_ended(item.ended, language)}{cosine}"


def _ended(day: date | None, language: str = "") -> str:
    return f" ({texts(language).ended.format(day=day)})" if day else ""


def _print_hits(retrieval: Retrieval) -> None:
    out = console()
    for hit in retrieval.hits:
        figures = [("score", hit.score), ("coverage", hit.coverage), *hit.similarity.items()]
        shown = ", ".join(f"{name} {figure:.2f}" for name, figure in figures)
        out.print(f"{hit.rank}. {hit.page.title} - {hit.page.url}{_ended(hit.ended)}")
        out.print(f"   {hit.page.ref.id}  {shown}")
    if not retrieval.hits:
        out.print("No page matches.")
    if retrieval.absent:
        out.print(f"({describe_absent(retrieval.absent)})")
    _print_notes(out, retrieval.time, retrieval.degraded)
