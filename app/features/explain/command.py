"""``auskunft explain``: all steps of a question, and why a page is not in its answer."""

from collections.abc import Iterator, Mapping
from typing import Any

import click

from app.cli.common import (
    TEXT,
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
from app.features.explain.inspector import TracedQuestion
from app.features.explain.services import ExplainServices
from app.features.explain.trace_document import TraceDocument
from app.search.filters import filters_of

Document = Mapping[str, Any]

LISTED = 10
"""The most pages that are listed for a search."""


@click.command()
@click.argument("question", type=TEXT)
@click.option(
    "--page", type=TEXT, metavar="PAGE", help="Say why this page, given by id or address, is not found."
)
@click.option("--site", type=TEXT, metavar="KEY", help="Ask as a visitor of this site.")
@source_option
@preset_option
@filter_option
@click.option(
    "--texts", type=click.Choice(["en", "de"]), default="en", help="The language of the explanations."
)
@json_option
def explain(
    *,
    question: str,
    page: str | None,
    site: str | None,
    source: str | None,
    preset: str | None,
    filters: tuple[tuple[str, str], ...],
    texts: str,
    as_json: bool,
) -> None:
    """Answer a question and show how: what was searched, found and read, and why."""
    with open_services() as services:
        asked = TracedQuestion(
            question=question,
            site=site or "",
            source=source or "",
            preset=preset or "",
            filters=filters_of(filters, services.fields),
        )
        warn_of_read_only_data(services)
        searched_sources(services, source)
        inspector = services.feature(ExplainServices).inspector
        trace = inspector.trace(asked)
        why = inspector.why_not(trace, page) if page else None
        document = TraceDocument.of(trace, why, texts).to_json()
    if as_json:
        print_json(document)
        return
    out = console()
    for line in lines_of(document):
        out.print(line)


def lines_of(document: Document) -> Iterator[str]:
    """Yield the lines of a trace, for people."""
    yield from _rephrased(document)
    for number, search in enumerate(document["searches"], start=1):
        yield ""
        yield from _search(number, search)
    yield ""
    yield from _read(document)
    yield ""
    yield from _answer(document)
    if "why_not" in document:
        yield ""
        yield from _why_not(document["why_not"])
    yield ""
    yield from _times(document)


def _rephrased(document: Document) -> Iterator[str]:
    yield f"question: {document['question']}"
    if rephrased := document["rephrased"]:
        rejected = f" (rejected: {rephrased['rejected']})" if rephrased["rejected"] else ""
        yield f"rephrased: {rephrased['question'] or 'the model failed'}{rejected}"
    for translation in document["translations"]:
        rejected = "" if translation["accepted"] else " (rejected)"
        yield f"in {translation['language']}: {translation['question']}{rejected}"
    for page in document["looked_up"]:
        yield f"looked up: {page['title']} - {page['url']}"


def _search(number: int, search: Document) -> Iterator[str]:
    yield f"search {number} ({search['mode']}): {search['question']}"
    for each in search["corrections"]:
        kind = "taken apart" if each["compound"] else "corrected"
        yield f"  {kind}: {each['word']} -> {each['spelt']}"
    yield f"  words: {', '.join([*search['words'], *search['keywords']]) or '-'}"
    for language, words in search["translations"].items():
        yield f"  words in {language}: {', '.join(words)}"
    if search["thresholds"]:
        shown = ", ".join(f"{name} {value:.3f}" for name, value in search["thresholds"].items())
        yield f"  thresholds: {shown}"
    for page in search["pages"][:LISTED]:
        yield from _page(page)
    for matched in search["by_words"]:
        yield f"  pages with {matched['mode']} of the words: {len(matched['pages'])}"
        for page in matched["pages"][:LISTED]:
            yield f"      {page['title']} - {page['url']}  coverage {page['coverage']:.2f}"
    if certainty := search["certainty"]:
        far = "" if certainty["off_topic"] is None else f", off topic {certainty['off_topic']:.2f}"
        yield (
            f"  certainty: {certainty['certainty']} (score {certainty['score']:.2f}{far}, "
            f"needed {certainty['threshold']:.2f})"
        )
        if certainty["answers"] is not None:
            yield f"  read with the question: the likeliest block answers by {certainty['answers']:.2f}"


def _page(page: Document) -> Iterator[str]:
    place = f"{page['place']:>4}." if page["place"] else "    -"
    yield f"  {place} {page['title']} - {page['url']}{'' if page['rank'] else '  (not in the result)'}"
    parts = " + ".join(f"{name} {value:.3f}" for name, value in page["parts"].items())
    score = "did not qualify" if page["score"] is None else f"score {page['score']:.3f}"
    yield f"        {score}{f' = {parts}' if parts else ''}"
    for name, field in page["fields"].items():
        sign = ">=" if field["passed"] else "<"
        compared = "" if field["threshold"] is None else f" {sign} {field['threshold']:.3f}"
        yield f"        {name}: similarity {field['similarity']:.3f}{compared}"
    if page["words_missing"]:
        yield f"        words not on the page: {', '.join(page['words_missing'])}"


def _read(document: Document) -> Iterator[str]:
    if document["refused"]:
        yield f"refused: {document['refused']}"
    read = document["read"]
    if read is None:
        yield "nothing was read"
        return
    yield f"read: {read['tokens']} of {read['budget_tokens']} tokens"
    for source in read["sources"]:
        number = f"[{source['number']}]" if source["used"] else "cut"
        size = f"{source['characters']} of {source['page_characters']} characters, {source['tokens']} tokens"
        yield f"  {number} {source['title']} - {source['url']}  {size}"


def _answer(document: Document) -> Iterator[str]:
    answer = document["answer"]
    degraded = f", {', '.join(answer['degraded'])}" if answer["degraded"] else ""
    yield f"answer ({answer['status']}{degraded}):"
    yield answer["answer"]


def _why_not(why: Document) -> Iterator[str]:
    yield f"page {why['name']}: {why['sentence']} ({why['cause']})"
    if weighed := why["weighed"]:
        place = f"place {weighed['place']} of {weighed['limit']} shown" if weighed["place"] else "no place"
        figures = f"score {weighed['score']:.3f}, coverage {weighed['coverage']:.2f}"
        yield f"  {weighed['title']}: {place}, {figures}"
        for rival in weighed["beaten_by"]:
            yield f"  beaten by {rival['place']}. {rival['title']} ({rival['strongest'] or 'order'})"
    for remedy in why["remedies"]:
        yield f"  -> {remedy['sentence']}"


def _times(document: Document) -> Iterator[str]:
    yield f"{document['seconds'] * 1_000:.0f} ms:"
    for step in document["steps"]:
        yield f"  {step['seconds'] * 1_000:8.1f} ms  {step['step']}"
        for part in step["parts"]:
            yield f"  {part['seconds'] * 1_000:8.1f} ms    {part['part']}"
