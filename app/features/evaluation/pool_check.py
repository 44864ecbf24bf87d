"""Checks a pool of questions before it measures anything, and splits it. Pure functions."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from app.errors import PoolError
from app.features.evaluation.pool import ACCEPT, PoolQuestion, missing_gold
from app.features.evaluation.spans import LawSpan, PageSpan
from app.features.evaluation.words import Words, words
from ingest.fingerprints import text_hash

Severity = Literal["error", "note"]
Numbered = tuple[int, PoolQuestion]

WANTED: Final = ("id", "language", "kind", "gold")
"""Fields that a line should have, though it is valid without them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fault in a line of a pool, or a note that it is worth a look."""

    line: int
    severity: Severity
    message: str


def check_lines(lines: Sequence[tuple[int, PoolQuestion | PoolError]]) -> list[Finding]:
    """Check a pool's lines without the index: broken lines, drafts, duplicates, missing fields."""
    found: list[Finding] = []
    ids: dict[str, int] = {}
    asked: dict[tuple[object, ...], int] = {}
    for number, line in lines:
        if isinstance(line, PoolError):
            found.append(_error(number, str(line).partition(f" line {number}")[2].lstrip(": ")))
            continue
        found += [_error(number, message) for message in _doubles(number, line, ids, asked)]
        if line.draft:
            found.append(_error(number, f"a draft that nobody has accepted: {ACCEPT}"))
        if missing := [name for name in WANTED if name not in line.model_fields_set]:
            found.append(Finding(line=number, severity="note", message=f"without {', '.join(missing)}"))
    return found


def check_gold(
    questions: Sequence[Numbered],
    indexed: Collection[str],
    texts: Mapping[str, Words],
    law_texts: Mapping[LawSpan, str],
) -> list[Finding]:
    """Check a pool against the index: gold that is not in it, and spans that are not on their page.

    ``indexed``: the ids of all pages; ``texts``: the words of pages that spans name; ``law_texts``: the texts
    of spans of law.
    """
    found: list[Finding] = []
    for number, question in questions:
        missing = missing_gold([question], indexed).gold
        found += [_error(number, f"gold page {str(gold)!r} is not indexed") for gold in missing]
        for span in question.spans:
            if message := _complaint(span, indexed, texts, law_texts):
                found.append(_error(number, message))
    return found


def is_hidden(question: PoolQuestion) -> bool:
    """Return True if the question belongs to the hidden half.

    The hash of its id decides, so that it stays there whatever is added to the pool."""
    return int(text_hash(question.id or question.question)[:8], 16) % 2 == 1


def _error(line: int, message: str) -> Finding:
    return Finding(line=line, severity="error", message=message)


def _doubles(
    number: int, question: PoolQuestion, ids: dict[str, int], asked: dict[tuple[object, ...], int]
) -> Iterator[str]:
    if question.id and (first := ids.setdefault(question.id, number)) != number:
        yield f"id {question.id!r} is also on line {first}"
    key = (" ".join(question.question.casefold().split()), question.history, question.earlier)
    if (first := asked.setdefault(key, number)) != number:
        yield f"the same question is on line {first}"


def _complaint(
    span: PageSpan | LawSpan,
    indexed: Collection[str],
    texts: Mapping[str, Words],
    law_texts: Mapping[LawSpan, str],
) -> str:
    if isinstance(span, LawSpan):
        return "" if law_texts.get(span) else f"the span of {span.page} ({span.language}) is not in the index"
    if span.page not in indexed:
        return f"page {span.page!r} of a span is not indexed"
    if not texts[span.page].holds(words(span.text)):
        return f"a span is not on its page {span.page!r} word for word: {span.text[:60]!r}"
    return ""
