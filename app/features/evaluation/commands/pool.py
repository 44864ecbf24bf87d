"""``auskunft pool``: pools of questions checked, split and drafted."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from app.chat.model.reply_form import ReplyForm
from app.chat.sites import select_sources
from app.cli.common import console, json_option, new_file, open_services, print_json, source_option
from app.cli.progress import long_work
from app.cli.values import FILE, WholeNumber
from app.errors import InputError, PoolError
from app.features.evaluation.commands.options import pool_argument, spans_option
from app.features.evaluation.drafts import draft as make_drafts
from app.features.evaluation.drafts import lines_of, random_pages, reply_schema
from app.features.evaluation.pool import ACCEPT, PoolQuestion
from app.features.evaluation.pool_check import Finding, Numbered, check_gold, check_lines, is_hidden
from app.features.evaluation.pool_file import load_spans, pool_lines
from app.features.evaluation.run import served_pages, span_texts
from app.features.evaluation.spans import PageSpan
from app.features.evaluation.words import Words, markdown_words
from app.search.index import SearchIndex
from app.search.types import IndexedPage
from ingest.chunkers.context import plain_heading
from ingest.types import PageRef

SHOWN_NOTES: Final = 10
REPLY_TOKENS: Final = 600
REPLY_SECONDS: Final = 120.0
READ_PAGES: Final = 20


@click.group()
def pool() -> None:
    """Check, split and draft pools of questions (JSON Lines)."""


@pool.command()
@pool_argument
@spans_option
@source_option
@json_option
def check(pool: Path, spans: Path | None, source: str | None, as_json: bool) -> None:
    """Look for broken lines, drafts, duplicates, missing fields, and gold that is not in the index.

    Exit code 2 if anything is wrong; missing fields are only noted.
    """
    lines = [(number, line) for number, _, line in pool_lines(pool)]
    numbered = [(number, line) for number, line in lines if isinstance(line, PoolQuestion)]
    found = check_lines(lines)
    if numbered:
        numbered = _with_spans(numbered, spans)
        found += _in_index(numbered, source)
    elif not found:
        raise PoolError(f"question pool {pool} contains no questions: write one JSON object per line")
    _print(numbered, sorted(found, key=lambda each: each.line), as_json=as_json)
    if any(each.severity == "error" for each in found):
        raise click.exceptions.Exit(2)


def _with_spans(numbered: Sequence[Numbered], spans: Path | None) -> list[Numbered]:
    if spans is None:
        return list(numbered)
    questions = load_spans(spans, [question for _, question in numbered])
    return [(number, question) for (number, _), question in zip(numbered, questions, strict=True)]


def _in_index(numbered: Sequence[Numbered], source: str | None) -> list[Finding]:
    questions = [question for _, question in numbered]
    named = {span.page for question in questions for span in question.spans if isinstance(span, PageSpan)}
    with open_services() as services:
        index = services.indexing.index
        served = served_pages(index, select_sources(services.store, source))
        pages = index.pages([ref for ref in served if ref.id in named])
        texts: dict[str, str] = {}
        for page in pages:  # one id may have several languages
            own = "\n\n".join(text for text in page.fields.values() if text)
            texts[page.ref.id] = f"{texts.get(page.ref.id, '')}\n\n{own}"
        law_texts = span_texts(index, served, questions)
    as_words: dict[str, Words] = {page: markdown_words(text) for page, text in texts.items()}
    return check_gold(numbered, {ref.id for ref in served}, as_words, law_texts)


def _print(numbered: Sequence[Numbered], found: Sequence[Finding], *, as_json: bool) -> None:
    questions = [question for _, question in numbered]
    document: dict[str, Any] = {
        "questions": len(questions),
        "answerable": sum(question.answerable for question in questions),
        "with_text": sum(bool(question.spans) or question.has_text for question in questions),
        "by_language": dict(Counter(question.language or "und" for question in questions)),
        "by_kind": dict(Counter(question.kind or "other" for question in questions)),
        "errors": [_document(each) for each in found if each.severity == "error"],
        "notes": [_document(each) for each in found if each.severity == "note"],
    }
    if as_json:
        print_json(document)
        return
    out = console()
    for name in ("errors", "notes"):
        shown = document[name] if name == "errors" else document[name][:SHOWN_NOTES]
        for each in shown:
            out.print(f"{name[:-1]}: line {each['line']}: {each['message']}")
        if len(shown) < len(document[name]):
            out.print(f"and {len(document[name]) - len(shown):,} notes more: --json has all")
    out.print(
        f"{document['questions']:,} questions, {document['answerable']:,} of them answerable, "
        f"{document['with_text']:,} say where the answer stands: "
        f"{len(document['errors']):,} errors, {len(document['notes']):,} notes"
    )


def _document(finding: Finding) -> dict[str, Any]:
    return {"line": finding.line, "message": finding.message}


@pool.command()
@pool_argument
def split(pool: Path) -> None:
    """Split a pool into two halves beside it, .open.jsonl and .hidden.jsonl, the second to be hidden from
    everybody who tunes anything. A question stays in its half, whatever is added to the pool."""
    halves: dict[bool, list[str]] = {False: [], True: []}
    for _, text, line in pool_lines(pool):
        if isinstance(line, PoolError):
            raise line
        halves[is_hidden(line)].append(text)
    if not any(halves.values()):
        raise PoolError(f"question pool {pool} contains no questions: write one JSON object per line")
    open_half, hidden_half = (pool.with_suffix(f".{name}.jsonl") for name in ("open", "hidden"))
    with new_file(open_half) as known, new_file(hidden_half) as hidden:
        known.writelines(f"{text}\n" for text in halves[False])
        hidden.writelines(f"{text}\n" for text in halves[True])
    console().print(
        f"{len(halves[False]):,} questions in {open_half}, {len(halves[True]):,} in {hidden_half}"
    )


@pool.command()
@source_option
@click.option(
    "--count", type=WholeNumber(1, 1_000), default=20, metavar="N", help="Number of questions (default: 20)."
)
@click.option("--out", type=FILE, required=True, metavar="FILE", help="A new file for the questions.")
@click.option(
    "--seed", type=WholeNumber(), default=0, metavar="N", help="Use another number to choose other pages."
)
def draft(source: str | None, count: int, out: Path, seed: int) -> None:
    """Let the language model draft questions about random pages, for people to accept one by one."""
    if out.exists():
        raise InputError(f"{out} already exists: choose a new file, so that no question is lost")
    with open_services() as services, new_file(out) as file:
        model, prompts, index = services.chat.model, services.chat.prompts, services.indexing.index
        if model is None:
            raise InputError("no language model is set: set chat.model")

        def ask(page: IndexedPage, text: str, kind: str) -> str:
            title = plain_heading(page.title)
            messages = prompts.task(
                "draft", page.ref.language, {"title": title, "document": text, "kind": kind}
            )
            form = ReplyForm(schema=reply_schema(kind))
            return model.complete(messages, REPLY_TOKENS, REPLY_SECONDS, form=form)

        refs = random_pages(served_pages(index, select_sources(services.store, source)), seed)
        with long_work("drafting") as show:
            drafts = make_drafts(_pages(index, refs), count, seed, ask, partial(show, "drafting"))
        if not drafts.lines:
            raise PoolError(
                f"no question was drafted: {_reasons(drafts.refused) or 'no page has enough text'}"
            )
        file.writelines(lines_of(drafts.lines))
    out_line = f"{len(drafts.lines):,} of {count:,} drafts in {out}"
    console().print(f"{out_line}; replies of no use: {_reasons(drafts.refused) or 'none'}")
    console().print("accept each: " + ACCEPT)
    if drafts.failure:
        raise drafts.failure


def _pages(index: SearchIndex, refs: Sequence[PageRef]) -> Iterator[IndexedPage]:
    for start in range(0, len(refs), READ_PAGES):
        yield from index.pages(refs[start : start + READ_PAGES])


def _reasons(refused: Counter[str]) -> str:
    return ", ".join(f"{reason} ({count:,})" for reason, count in refused.most_common())
