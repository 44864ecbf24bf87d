"""The answer without a language model: the best sentences of the pages, verbatim.

Of each of the first pages one run of sentences is quoted: the one that contains most of the question's words,
weighted by rarity (``ln(1 + n/df)`` over all sentences). Markup is removed, and an overlong sentence is
shortened between words.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from app.chat.text.plain_text import TextUnit, text_units, with_table_header
from app.search import analysis
from app.search.types import Hit, Passage

QUOTES: Final = 3
MINIMUM_SHARE: Final = 0.5
"""The share of the best quote's score that a further quote needs."""

QUOTE_CHARACTERS: Final = 350
LEAD_WORDS: Final = 10
"""Words kept before the first matching one where a sentence is shortened."""

READ_FIELDS: Final = ("description", "content")
READ_BYTES: Final = 50_000
"""The most bytes of a passage that are read; bounds the time for a page that is one passage."""

GROWTH_BYTES: Final = 2_000
BOUNDARIES: Final = (b"\n\n", b"\n", b" ")


class _Matcher:
    """Finds the question's words in a text of a page's language, by their stems."""

    def __init__(self, question: str, language: str, page_language: str) -> None:
        self._language = page_language
        self._forms = {
            word: analysis.forms(word, (language, page_language))
            for word in analysis.content_words(question, language)
        }

    def words(self, text: str) -> frozenset[str]:
        """The question's words in the text."""
        present = set(analysis.tokens(text, self._language))
        return frozenset(word for word, forms in self._forms.items() if forms & present)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Excerpt:
    """The text units of one passage. ``matched``: for each unit the question's words in it and its heading.

    ``middle``: the index of the unit to quote where no word matches; the best chunk is in the middle of a
    passage. ``known``: the question's words in the page's title, so that the other words decide between its
    units.
    """

    units: Sequence[TextUnit]
    matched: Sequence[frozenset[str]]
    middle: int
    known: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """Consecutive units under one heading."""

    units: Sequence[TextUnit]
    score: float


def quotes(question: str, language: str, hits: Mapping[int, Hit]) -> dict[int, str]:
    """Markdown block quotes from the first pages of ``hits``, both by source number. A quote ends with its
    number as citation.

    A page is left out if its best run has much less of the question's words than another page's. If no page
    has any of them, all are quoted.
    """
    matchers = {
        number: _Matcher(question, language, hit.page.ref.language)
        for number, hit in list(hits.items())[:QUOTES]
    }
    excerpts = {number: _excerpts(hits[number], matcher) for number, matcher in matchers.items()}
    weights = _weights([excerpt for found in excerpts.values() for excerpt in found])
    best = {number: _best(found, weights) for number, found in excerpts.items()}
    enough = MINIMUM_SHARE * max((run.score for run in best.values()), default=0.0)
    return {
        number: _quote(run, number, hits[number].page.title, matchers[number])
        for number, run in best.items()
        if run.score >= enough
    }


def _excerpts(hit: Hit, matcher: _Matcher) -> list[_Excerpt]:
    """One excerpt for each passage with prose; the title if there is no prose."""
    found = []
    for passage in hit.passages:
        if passage.field in READ_FIELDS:
            units = list(text_units(_whole_paragraphs(hit.page.fields[passage.field].encode(), passage)))
            found.append(_excerpt(units, len(units) // 2 if passage.start else 0, matcher, hit.page.title))
    title = TextUnit(text=" ".join(hit.page.title.split()), heading="", block=0, listed=False)
    return [excerpt for excerpt in found if excerpt.units] or [_excerpt([title], 0, matcher, hit.page.title)]


def _excerpt(units: Sequence[TextUnit], middle: int, matcher: _Matcher, title: str) -> _Excerpt:
    matched = [matcher.words(f"{unit.heading} {unit.text}") for unit in units]
    return _Excerpt(units=units, matched=matched, middle=middle, known=matcher.words(title))


def _whole_paragraphs(field: bytes, passage: Passage) -> str:
    """The passage extended to the next blank lines, if they are near. It may start and end within a word."""
    start = _boundary_before(field, passage.start)
    end = _boundary_after(field, min(passage.end, passage.start + READ_BYTES))
    return with_table_header(field[start:end].decode(errors="ignore"))


def _boundary_before(field: bytes, position: int) -> int:
    low = max(position - GROWTH_BYTES, 0)
    for mark in BOUNDARIES:
        found = field.rfind(mark, low, position)
        if found >= 0:
            return found + len(mark)
        if low == 0:
            return 0
    return position


def _boundary_after(field: bytes, position: int) -> int:
    high = position + GROWTH_BYTES
    for mark in BOUNDARIES:
        found = field.find(mark, position, high)
        if found >= 0:
            return found
        if high >= len(field):
            return len(field)
    return position


def _weights(excerpts: Sequence[_Excerpt]) -> Mapping[str, float]:
    holdings = [matched for excerpt in excerpts for matched in (excerpt.known, *excerpt.matched)]
    frequencies = Counter(word for matched in holdings for word in matched)
    return {word: math.log1p(len(holdings) / count) for word, count in frequencies.items()}


def _best(excerpts: Sequence[_Excerpt], weights: Mapping[str, float]) -> _Run:
    """The run with the highest score, extended while there is room. Of equal ones the run that matches most
    words beside the title's wins, then the shortest."""

    def weight(words: frozenset[str]) -> float:
        # fsum: a set has no order, and its order must not decide between equal runs.
        return math.fsum(weights[word] for word in words)

    runs = [
        (weight(words | excerpt.known), weight(words), excerpt, start, end)
        for excerpt in excerpts
        for start, end, words in _runs(excerpt)
    ]
    score, own, excerpt, start, end = max(runs, key=lambda run: (run[0], run[1], run[3] - run[4]))
    if not own:
        excerpt = excerpts[0]
        start, end = excerpt.middle, excerpt.middle + 1
    end = max(end, _run_end(excerpt.units, start))
    return _Run(units=excerpt.units[start:end], score=score)


def _runs(excerpt: _Excerpt) -> Iterator[tuple[int, int, frozenset[str]]]:
    """Every run that fits into a quote, as start, end and matched words. A single unit always fits."""
    for start, words in enumerate(excerpt.matched):
        held = words
        yield start, start + 1, held
        for end in range(start + 1, _run_end(excerpt.units, start)):
            held |= excerpt.matched[end]
            yield start, end + 1, held


def _run_end(units: Sequence[TextUnit], start: int) -> int:
    """The end of the longest run from ``start`` under one heading that fits into a quote."""
    room, end = QUOTE_CHARACTERS, start
    while end < len(units) and units[end].heading == units[start].heading:
        room -= len(units[end].text) + 1
        if room < 0:
            break
        end += 1
    return end


def _quote(run: _Run, number: int, title: str, matcher: _Matcher) -> str:
    paragraphs: list[list[str]] = []
    heading = run.units[0].heading
    if heading and heading != title:
        paragraphs.append([f"**{heading}**"])
    for listed, units in groupby(run.units, key=lambda unit: unit.listed):
        blocks = groupby(units, key=lambda unit: unit.block)
        lines = [" ".join(_shortened(unit.text, matcher) for unit in block) for _, block in blocks]
        paragraphs += [[f"- {line}" for line in lines]] if listed else [[line] for line in lines]
    paragraphs[-1][-1] += f" [{number}]"
    return "\n>\n".join("\n".join(f"> {line}" for line in paragraph) for paragraph in paragraphs)


def _shortened(text: str, matcher: _Matcher) -> str:
    """The text; if it is too long, the words around its first match, with ``…`` for the rest."""
    if len(text) <= QUOTE_CHARACTERS:
        return text
    words = text.split()
    first = next((i for i, word in enumerate(words) if matcher.words(word)), 0)
    start = max(first - LEAD_WORDS, 0)
    end, room = start, QUOTE_CHARACTERS
    while end < len(words) and len(words[end]) < room:
        room -= len(words[end]) + 1
        end += 1
    return ("… " if start else "") + " ".join(words[start:end]) + (" …" if end < len(words) else "")
