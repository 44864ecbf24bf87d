"""Sentences and lines of pages that tell when something happens again and again: "every first Sunday of the
month". Pure functions; in doubt there is none.

They are told as they stand, with the sentences behind them that say when it is otherwise.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from app.features.facts.asked_dates import subject_of
from app.features.facts.calendar_days import day_groups
from app.features.facts.called import head_of, is_called, with_parts
from app.features.facts.date_questions import BESIDE, asks_date
from app.features.facts.dates import (
    BULLET,
    MOST_CHARACTERS,
    READ_CHARACTERS,
    first_blocks,
    is_changed,
    shown,
    told_sentences,
)
from app.features.facts.hours_words import weekdays
from app.features.facts.named import Named
from app.search.types import IndexedPage
from ingest.blocks import Block, rows

CACHED_PAGES: Final = 64
MOST_NOTES: Final = 2

_NAMES: Final = sorted((name for name, days in weekdays().items() if len(days) == 1), key=len, reverse=True)
_DAY: Final = rf"(?:{'|'.join(_NAMES)})"
_ORDINAL: Final = (
    r"(?:erste|zweite|dritte|vierte|letzte)[nrsm]?|[1-4]\.|first|second|third|fourth|last|1st"
    r"|2nd|3rd|4th|other"
)
_AGAIN: Final = re.compile(
    r"\b(?:jede[nrsm]?|immer|every|each|am|on the|the)\s"
    rf"(?:(?:am|on|the|und|and)\s|(?:{_ORDINAL})\s){{0,4}}{_DAY}\b"
    r"|\b(?:mon|diens|donners|frei|sams|sonn)tags\b|\bmittwochs\b"
    r"|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days\b"
    rf"|(?:{_ORDINAL})\s{_DAY}\s(?:im|des|of|in)\b",
    re.IGNORECASE,
)
_BOLD: Final = re.compile(r"\s*\*\*([^*\n]{2,80}?)[:.]?\*\*")
_LABEL: Final = re.compile(r"(?P<label>[^:.!?\d]{2,60})(?::|\s[–-])\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """A ``text`` below the headings ``above`` but the page's title, the ``subject`` of it, and the ``notes``
    on when it is otherwise."""

    above: tuple[str, ...]
    subject: str
    text: str
    notes: tuple[str, ...]


@lru_cache(maxsize=CACHED_PAGES)
def page_recurrences(markdown: str, title: str) -> tuple[Recurrence, ...]:
    """Return the recurrences in the content of a page with this ``title``, in text order."""
    if len(markdown) > READ_CHARACTERS:
        return ()
    return tuple(
        dict.fromkeys(each for block in first_blocks(markdown) for each in _of_block(block, markdown, title))
    )


def _of_block(block: Block, markdown: str, title: str) -> Iterator[Recurrence]:
    above = tuple(each for each in block.headings if each != title)
    for texts in _texts(block, markdown):
        for at, text in enumerate(texts):
            sentence = shown(text)
            if len(sentence) <= MOST_CHARACTERS and _AGAIN.search(sentence) and not day_groups(sentence):
                notes = tuple(shown(each) for each in texts[at + 1 :] if is_changed(each))
                yield Recurrence(above=above, subject=_subject(text), text=sentence, notes=notes)


def _texts(block: Block, markdown: str) -> Iterator[Sequence[str]]:
    """The items of a list, each alone, and the sentences of each paragraph."""
    if block.kind == "list":
        text = markdown[slice(*block.wholes[-1])]
        yield from ([BULLET.sub("", text[slice(*item)])] for item in rows(text, "list"))
    yield from told_sentences(block, markdown)


def _subject(text: str) -> str:
    """What the text is of: bold or before a colon at its beginning, else the subject of its verb."""
    label = _BOLD.match(text) or _LABEL.match(shown(text))
    return shown(label[1]) if label else subject_of(shown(text))


def asked_recurrence(question: str, language: str, page: IndexedPage) -> Recurrence | None:
    """Return what a page says of when that happens which a question in ``language`` names; ``None`` if it
    says nothing, or several things."""
    if not asks_date(question) or day_groups(question):
        return None
    named = Named.of(question, language, page.ref.language, BESIDE)
    head = head_of(question, named)
    found = [
        each
        for each in page_recurrences(page.fields.get("content", ""), page.title)
        if named.words.words
        and is_called(each.subject, named)
        and is_called(each.subject, head)
        and named.is_in(with_parts("\n".join((page.title, *each.above, each.text))))
    ]
    return found[0] if len(found) == 1 and len(found[0].notes) <= MOST_NOTES else None
