"""Finds the places where the sources state figures and names, and the words that go with each.

A place is a cell of a table with its row and column, a clause with its sentence, or the text below a heading
that names an article. Its words are stems (:mod:`app.chat.text.figure_words`), each with its *closeness*, the
degree to which it belongs to the figure.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final

from app.chat.text.figure_kinds import COUNTED, NUMBERED, Stated, hours_in, is_same, kinds_of, named
from app.chat.text.figure_names import names_in, names_of
from app.chat.text.figure_words import (
    OTHERS,
    clauses,
    conditions_in,
    labels,
    named_words,
    turned_bounds,
    unbounded,
    without_addresses,
    words_of,
)
from app.chat.text.figures import Figure, Keys, figures_of, is_stated, keys_of
from app.search.matching_rows import cells
from ingest.blocks import Block, Span, blocks, rows
from ingest.text import ends, visible

OWN: Final = 1.0
LABEL: Final = 0.9
EARLIER: Final = 0.8
LATER: Final = 0.8
NEAR: Final = 0.6
PARALLEL: Final = 0.6
BESIDE: Final = 0.5
HEADING: Final = 0.55
TITLE: Final = 0.3
LATER_PARALLEL: Final = 0.3
"""Closeness of a word to a figure, by where the word stands.

* ``OWN``: the same clause, or the same cell and the heads of its row and column
* ``LABEL``: before the sentence's colon, or in the head of the list item
* ``EARLIER``: an earlier clause, which may contain the subject
* ``LATER``: a later clause, if no other figure of the kind follows
* ``NEAR``: the same row
* ``PARALLEL``: an earlier clause with another figure of the kind, if the figure's own clause has a noun
* ``BESIDE``: the sentence before, the first of the paragraph, or a list's lead
* ``HEADING``: the nearest heading; ``TITLE``: the headings above it and the page's title
* ``LATER_PARALLEL``: a later clause, if another figure of the kind follows
"""

ONE_OF_DAYS: Final = 0.5
"""A day named together with others counts by this share, because "Thursday" may have other hours than
"Monday to Friday"."""

Above = tuple[str, ...]
"""The title of a page and the headings above a block."""

READ_TEXTS: Final = 32_768
READ_SOURCES: Final = 128
"""So many texts and sources are cached, because other answers rely on them, too."""

MOST_CHARACTERS: Final = 200_000
"""If all sources together are longer, no places are found, to bound the time."""

MOST_FIGURES: Final = 40
"""If a sentence has more figures, none is compared, because the time grows with their square."""

_BOLD_LINE: Final = re.compile(r"^\*\*([^*\n]+)\*\*$", re.MULTILINE)
"""Headings in the form that the prompt has above sections."""


_NOUN: Final = re.compile(
    r"(?<!^)\b(?!Euro|Uhr|Cent|Prozent|Tag|Woche|Monat|Jahr|Stunde)[A-ZÄÖÜ][^\W\d_]{2,}"
    r"|\b(?:Mo|Di|Mi|Do|Fr|Sa|So)\b"
)
"""A German noun that is not a unit of measure, or a day's short name."""

_NAMING: Final = re.compile(r"^\W*[^:]*\d[^:]*:\s*\Z")
"""A figure before a colon, which the rest of the sentence is about: "17 October: the office is closed"."""

_DAY_END: Final = re.compile(r"\b(?:Mo|Di|Mi|Do|Fr|Sa|So)\.\s*\Z")
_DAY_END_LETTERS: Final = 8
"""A German day's short name with its full stop, which does not end a sentence; and how far back it is
searched for."""

_LINE: Final = re.compile(r"[^\n]*[^\n.!?:;,]\n+")
"""A line that is not a sentence: the text below may be about it."""

_ADDRESSES: Final = ("mail", "host")
REACHED: Final = frozenset({*_ADDRESSES, "phone"})
"""Kinds of figures by which somebody can be reached."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A source as it is in the prompt: title, Markdown, language."""

    title: str
    text: str
    language: str


@dataclass(frozen=True, eq=False)
class Place:
    """A place with figures. ``keys``, ``compact``: see :func:`app.chat.text.figures.keys_of`; ``figures``:
    the kind and label of each; ``texts``: the texts around them, by closeness; ``headings``: title and
    headings above; ``named``: for a place that is the whole text below a heading, that heading."""

    keys: Keys
    compact: str
    figures: tuple[tuple[str, str], ...]
    texts: Mapping[float, str]
    language: str
    headings: Above
    named: str = ""

    @cached_property
    def kinds(self) -> Keys:
        """The kinds of its figures."""
        return frozenset(kind for kind, _ in self.figures)

    @cached_property
    def words(self) -> Mapping[str, float]:
        """The words around the figures, each with its closeness. Words of addresses belong only to figures by
        which somebody is reached."""
        kept = _ADDRESSES if self.kinds & REACHED else ()
        *above, heading = self.headings
        levels = {TITLE: "\n".join(above), HEADING: heading}
        found = {kind: OWN for kind in self.kinds if kind.startswith(COUNTED)}
        for closeness, text in (*levels.items(), *self.texts.items()):
            words = _words(text, self.language, kept)
            is_of_days = sum(word.startswith("weekday ") for word in words) > 1
            for word in words:
                share = ONE_OF_DAYS if is_of_days and word.startswith("weekday ") else 1.0
                found[word] = max(share * closeness, found.get(word, 0.0))
        return found

    def states(self, figure: Figure) -> bool:
        """Return True if the place states the figure."""
        return is_stated(figure, self.keys, self.compact)

    def names(self, stated: Iterable[Stated]) -> bool:
        """Return True if the place has one of the figures, of the same kind."""
        return any(
            each.kind == kind and is_same(each.label, label)
            for kind, label in self.figures
            for each in stated
        )

    def has_other_hours(self, first: Figure, last: Figure) -> bool:
        """Return True if the place has ranges of hours, but none that begins with ``first``, or if none in
        its row or sentence ends with ``last``. From "8 to 12, 14 to 16" an answer may make "8 to 16"."""
        own = hours_in(without_addresses(self.texts[OWN]))
        near = "\n".join(text for closeness, text in self.texts.items() if closeness != BESIDE)
        is_told = any(":" in key for begin, _ in own for key in begin)  # "8-12" may be rooms
        return is_told and not (
            any(is_stated(first, begin, "") for begin, _ in own)
            and any(is_stated(last, end, "") for _, end in hours_in(without_addresses(near)))
        )


def places_of(sources: Sequence[SourceText]) -> list[Place]:
    """Return the places of all sources."""
    if sum(len(source.text) for source in sources) > MOST_CHARACTERS:
        return []
    names = names_of("\n".join(source.text for source in sources))
    found = list[Place]()
    for source in sources:
        own = frozenset(name for name in names if name.removeprefix("name ") in source.text)
        found += _places_of(source, own)
    return found


@lru_cache(maxsize=READ_SOURCES)
def _places_of(source: SourceText, names: Keys) -> tuple[Place, ...]:
    return tuple(_Reader(source, names).places())


class _Reader:
    """Finds the places of one source. ``names``: the persons' names in it."""

    def __init__(self, source: SourceText, names: Keys) -> None:
        self._title = source.title
        self._language = source.language
        self._text = visible(_BOLD_LINE.sub(r"# \1", source.text))
        self._names = names

    def places(self) -> Iterator[Place]:
        """Yield the places in text order, then the texts below headings that name an article."""
        sections: dict[str, list[str]] = {}
        leads = set[Span]()
        for block in blocks(self._text):
            above, lead = (self._title, *block.headings), self._lead(block)
            own = self._text[slice(*block.own)]
            for heading in above:
                sections.setdefault(heading, []).append(f"{lead}\n{own}")
            if lead and block.spans[0] not in leads:  # the parts of a long list share one lead
                leads.add(block.spans[0])
                yield from self._sentences(lead, above, "")
            if block.kind == "table":
                yield from self._table(block, own, above, lead)
            else:
                for item in rows(own, block.kind):
                    text = own[slice(*item)]
                    yield from self._sentences(
                        text, above, lead, self._head(text) if block.kind == "list" else ""
                    )
        for heading, texts in sections.items():
            if any(figure.kind in NUMBERED for figure in figures_of(heading)):
                place = self._place(heading, {OWN: "\n".join((heading, *texts))}, (heading,))
                yield replace(place, named=heading)

    def _lead(self, block: Block) -> str:
        """Return the text before a list or a table, without the table's header."""
        before = (self._text[slice(*span)] for span in block.spans[:-1])
        return "\n".join(text for text in before if not text.startswith("|"))

    def _table(self, block: Block, own: str, above: Above, lead: str) -> Iterator[Place]:
        before = (self._text[slice(*span)] for span in block.spans[:-1])
        header = next((text for text in before if text.startswith("|")), "").partition("\n")[0]
        columns = cells(header) if header else []
        for column in columns:
            yield from self._stating(column, {BESIDE: lead, OWN: column}, above)
        for span in rows(own, "table"):
            row = cells(own[slice(*span)])
            head = next(filter(None, row), "")
            for number, cell in enumerate(row):
                column = columns[number] if number < len(columns) else ""
                near = " ; ".join(columns + row if cell == head else row)
                levels = {BESIDE: lead, NEAR: near, OWN: " ; ".join((head, column, cell))}
                yield from self._stating(cell, levels, above)

    def _sentences(self, text: str, above: Above, lead: str, head: str = "") -> Iterator[Place]:
        before = topic = first = ""
        for start, end in pairwise((0, *self._ends(text))):
            sentence = text[start:end]
            parts = self._parts(sentence)
            clauses_of = _Sentence(parts, self._language)
            for number, part in enumerate(parts):
                for kind in dict.fromkeys(kind for kind, _ in part.figures):
                    texts = clauses_of.texts(number, kind)
                    texts[LABEL] += _label(sentence), head
                    texts[BESIDE] += lead, first, topic, before
                    figures = tuple(each for each in part.figures if each[0] == kind)
                    joined = {closeness: "\n".join(some) for closeness, some in texts.items()}
                    yield Place(part.keys, part.compact, figures, joined, self._language, above)
            before, first = sentence, first or sentence
            if not any(part.figures for part in parts):
                topic = sentence if _LINE.fullmatch(sentence) else ""

    def _ends(self, text: str) -> Iterator[int]:
        """Yield the ends of sentences."""
        for end in ends(text):
            if self._language != "de" or not _DAY_END.search(text, max(end - _DAY_END_LETTERS, 0), end):
                yield end

    def _parts(self, sentence: str) -> list["_Part"]:
        """Return the clauses of a sentence."""
        names = self._names_in(sentence)
        stated = [*kinds_of(sentence), *map(named, names)]
        if len(stated) > MOST_FIGURES:
            return []
        found = list[_Part]()
        start = 0
        for clause in clauses(sentence, names):
            own = [each for each in stated if start <= each.start < start + len(clause)]
            keys, compact = keys_of(without_addresses(clause))
            keys = keys.union(*(each.figure.states for each in own if each.kind == "name"))
            found.append(_Part(clause, keys, compact, tuple((each.kind, each.label) for each in own)))
            start += len(clause)
        return found

    def _head(self, item: str) -> str:
        """Return the line that a whole item of several lines is about: the first without figures, or the
        second below a line of nothing but figures. Empty if there is none."""
        first, _, others = item.strip().partition("\n")
        if not others:
            return ""
        if not figures_of(first):
            return first
        return "" if named_words(first, self._language) else others.partition("\n")[0]

    def _names_in(self, text: str) -> list[Figure]:
        return [name for name in names_in(text) if name.states <= self._names]

    def _stating(self, text: str, texts: Mapping[float, str], above: Above) -> Iterator[Place]:
        place = self._place(text, texts, above)
        if place.figures:
            yield place

    def _place(self, text: str, texts: Mapping[float, str], above: Above) -> Place:
        plain = without_addresses(text)
        keys, compact = keys_of(plain)
        names = self._names_in(plain)
        figures = tuple((each.kind, each.label) for each in (*kinds_of(plain), *map(named, names)))
        keys = keys.union(*(name.states for name in names))
        return Place(keys, compact, figures, texts, self._language, above)


@dataclass(frozen=True)
class _Part:
    """A clause with what it states; see :class:`Place`."""

    text: str
    keys: Keys
    compact: str
    figures: tuple[tuple[str, str], ...]

    @cached_property
    def kinds(self) -> frozenset[str]:
        return frozenset(kind for kind, _ in self.figures)


class _Sentence:
    """The clauses of a sentence, and their closeness to each other's figures."""

    def __init__(self, parts: Sequence[_Part], language: str) -> None:
        self._parts = parts
        self._language = language
        self._counts = Counter(kind for part in parts for kind in part.kinds)

    def texts(self, number: int, kind: str) -> dict[float, list[str]]:
        """Return the clauses by their closeness to the figures of a ``kind`` in the clause ``number``."""
        begin = next((each for each in range(number, 0, -1) if not self._is_bare(each)), 0)
        own = "".join(part.text for part in self._parts[begin : number + 1])
        earlier, later = self._parts[:begin], self._parts[number + 1 :]
        texts: dict[float, list[str]] = defaultdict(list)
        texts[OWN].append(own)
        if turned := turned_bounds(own, "".join(part.text for part in earlier)):
            texts[OWN] += turned, *(unbounded(part.text) for part in earlier)
            earlier = ()
        others = [place for place, part in enumerate(earlier) if kind in part.kinds]
        last = others[-1] if others and self._is_parallel(number, others) else -1
        for place, part in enumerate(earlier):
            texts[PARALLEL if place <= last else EARLIER].append(part.text)
        is_own = bool(_NAMING.search(own)) or not any(kind in part.kinds for part in later)
        together = 0 if is_own else self._together(number, kind)
        for place, part in enumerate(later):
            texts[LATER if is_own or place < together else LATER_PARALLEL].append(part.text)
        return texts

    def _is_bare(self, number: int) -> bool:
        """Return True if a clause has hours and no words, as the second of "Mondays 8 to 12, 14 to 16"."""
        part = self._parts[number]
        return part.kinds <= {"time", "number"} and not words_of(part.text, self._language)

    def _together(self, number: int, kind: str) -> int:
        """Return how many later clauses say more about a clause's figures. In "after 5 years 20 %, after 10
        years 30 %", "20 %" says more about "5 years", but "10 years" says nothing about "20 %"."""
        before = set().union(*(part.kinds for part in self._parts[: number + 1]))
        count = 0
        for part in self._parts[number + 1 :]:
            if not before.isdisjoint(part.kinds) or self._counts[kind] != self._counts[part.figures[0][0]]:
                break
            count += 1
        return count

    def _is_parallel(self, number: int, others: Sequence[int]) -> bool:
        """Return True if a clause has its own subject: several figures as one of the ``others`` has, "all
        others", a noun in German, or a word in English that no earlier clause has."""
        text = self._parts[number].text
        if len(self._parts[number].figures) > 1 and any(
            len(self._parts[each].figures) > 1 for each in others
        ):
            return True
        if OTHERS in conditions_in(text) or (self._language == "de" and _NOUN.search(text)):
            return True
        return self._language == "en" and any(
            self._first_clauses[word] == number for word in named_words(text, "en")
        )

    @cached_property
    def _first_clauses(self) -> Mapping[str, int]:
        """The number of the first clause that has each word."""
        clauses_of = reversed(list(enumerate(self._parts)))
        return {word: number for number, part in clauses_of for word in named_words(part.text, "en")}


def _label(sentence: str) -> str:
    """Return the text before the colon of a sentence; empty if it has figures."""
    label, colon, _ = sentence.partition(": ")
    return label if colon and not figures_of(label) else ""


@lru_cache(maxsize=READ_TEXTS)
def _words(text: str, language: str, kept: tuple[str, ...]) -> frozenset[str]:
    return words_of(text, language, kept=kept).union(label for _, label in labels(text))
