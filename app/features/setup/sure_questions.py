"""Questions that a website's pages answer for certain: made from their headings, and tried."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from textwrap import shorten
from typing import Final

from app.chat.events import DoneEvent
from app.chat.text.plain_text import plain_text, text_units
from app.chat.text.suggestions import is_general
from app.indexing.progress import Progress, Show
from app.search import analysis
from app.search.types import IndexedPage
from ingest.types import PageRef

MOST: Final = 3
MOST_TRIES: Final = 15
READ_CHARACTERS: Final = 50_000
HEADING_CHARACTERS: Final = range(3, 81)
LEAST_TEXT: Final = 20
"""Characters needed below a heading for a question about it."""

LEAST_SHARE: Final = 0.2
"""A language's share of all candidate questions; languages with less are left out."""

SHOWN_CHARACTERS: Final = 100
SUBJECT_CHARACTERS: Final = 100

_HEADING: Final = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_FIGURE: Final = re.compile(r"\d")
_FACT: Final = re.compile(
    r"[€£$]\s?\d|\d\s?(?:[€£$%]|euros?\b|pounds?\b|uhr\b|o'clock|[ap]\.?m\b)|\b\d{1,2}[:.]\d\d\b",
    re.IGNORECASE,
)
_TITLE_PARTS: Final = re.compile(r"\s+[|–—·•»-]+\s+|:\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A question that ``page`` should answer with the ``text`` below one of its headings. ``rank``: the
    lowest is most informative."""

    question: str
    page: PageRef
    text: str
    rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SureQuestion:
    """A question, the first line of its answer, and the address of the page that the answer cites."""

    question: str
    answer: str
    url: str


def sure_questions(
    pages: Sequence[IndexedPage], ask: Callable[[str], DoneEvent], show: Show
) -> list[SureQuestion]:
    """Return at most ``MOST`` questions, each of a different page, that ``ask`` answers for certain.

    The answer must come from the page and the part of it that the question was made from. ``pages``: the most
    informative first.
    """
    sure: dict[PageRef, SureQuestion] = {}
    tries = list(islice(candidates(pages), MOST_TRIES))
    for number, candidate in enumerate(tries):
        show(Progress(done=number, total=len(tries), unit="questions"))
        if candidate.page in sure:
            continue
        done = ask(candidate.question)
        if is_right(candidate, done):
            url = done.sources[0].page.url
            sure[candidate.page] = SureQuestion(question=candidate.question, answer=first_line(done), url=url)
        if len(sure) == MOST:
            break
    return list(sure.values())


def candidates(pages: Sequence[IndexedPage]) -> Iterator[Candidate]:
    """Yield the best question of each page, alternating between languages."""
    by_language: dict[str, list[Candidate]] = {}
    for page in pages:
        best = sorted(_of_page(page), key=lambda candidate: candidate.rank)[:1]
        by_language.setdefault(page.ref.language, []).extend(best)
    by_language = {
        language: column
        for language, column in by_language.items()
        if len(column) >= LEAST_SHARE * sum(map(len, by_language.values()))
    }
    columns = (sorted(column, key=lambda candidate: candidate.rank) for column in by_language.values())
    return filter(None, chain.from_iterable(zip_longest(*columns)))


def is_right(candidate: Candidate, done: DoneEvent) -> bool:
    """Return True if an answer is certain, comes from the text that the question was made from, and begins
    well.

    Its first line must have a figure or a word that the question names.
    """
    if done.certainty != "sure" or not done.citations or (done.retrieval and done.retrieval.other_readings):
        return False
    cited = next((item for item in done.sources if item.number == done.citations[0]), None)
    if cited is None or cited.page.ref != candidate.page:
        return False
    line = first_line(done)
    is_own = done.status != "extractive" or _letters(line) in _letters(plain_text(candidate.text))
    language = candidate.page.language
    return is_own and bool(_FIGURE.search(line) or _names(line, candidate.question, language))


def first_line(done: DoneEvent) -> str:
    """Return the first sentence or table row of an answer as plain text; for quoted passages that of the
    first passage."""
    text = done.without_card.partition("\n\n")[2] if done.status == "extractive" else done.without_card
    units = (unit for unit in text_units(text) if not unit.is_header and not _is_heading(unit.text, text))
    return next((unit.text for unit in units), "")


def _is_heading(line: str, text: str) -> bool:
    """Return True for the bold line above a passage, which repeats its heading."""
    return f"**{line}**" in text


def shown(line: str) -> str:
    """Return the line shortened for a terminal."""
    return shorten(line, SHOWN_CHARACTERS, placeholder=" …")


def _of_page(page: IndexedPage) -> Iterator[Candidate]:
    content = page.fields.get("content", "")[:READ_CHARACTERS]
    subject = shorten(_TITLE_PARTS.split(page.title)[0], SUBJECT_CHARACTERS, placeholder=" …")
    headings = list(_HEADING.finditer(content))
    for heading, following in zip_longest(headings, headings[1:]):
        text = content[heading.end() : following.start() if following else None]
        name = plain_text(heading[2]).rstrip(": ")
        if len(heading[1]) > 1 and len(name) in HEADING_CHARACTERS and _tells(text) and not is_general(name):
            asks = name.endswith("?")
            yield Candidate(
                question=name
                if asks and _names(name, subject, page.ref.language)
                else f"{subject}: {name.rstrip('?')}?",
                page=page.ref,
                text=text,
                rank=2 * _vagueness(plain_text(text)) + (not asks),
            )


def _vagueness(text: str) -> int:
    """Return 0 for a text with prices or times, 1 for one with other figures, 2 for one without."""
    return 0 if _FACT.search(text) else 1 if _FIGURE.search(text) else 2


def _tells(text: str) -> bool:
    """Return True unless the text is hardly more than links."""
    without_links = re.sub(r"\[[^\]\n]*\]\([^)\n]*\)", "", text)
    return len(plain_text(without_links)) >= LEAST_TEXT


def _names(text: str, subject: str, language: str) -> bool:
    """Return True if a text has a word of its subject."""
    stems = analysis.tokens(" ".join(analysis.content_words(subject, language)), language)
    return not set(stems).isdisjoint(analysis.tokens(text, language))


def _letters(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
