"""Reads where the sources state figures and names, and which words stand with each.

A place is a cell of a table with its row and column, a clause with its sentence, or the text below a heading
that names an article. Its words are stems (:mod:`app.chat.text.figure_words`), each with how closely it
belongs to the figure.
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
"""How closely a word belongs to a figure: of the same clause, or of its cell and the heads of row and column;
of what stands before a sentence's colon; of an earlier clause, which may hold the subject, and of a later one
if no other figure of the kind follows; of the same row; of an earlier clause with another figure of the kind,
where the own one has a noun of its own; of the sentence before, a paragraph's first one, or a list's lead; of
the nearest heading; of those above it and the page's title; of a later clause where another figure of the
kind follows."""

ONE_OF_DAYS: Final = 0.5
"""The share that a day of several counts: "Thursday" has other hours than "Monday to Friday"."""

Above = tuple[str, ...]
"""The title of a page and the headings above a block."""

READ_TEXTS: Final = 32_768
READ_SOURCES: Final = 128
"""Texts and sources that are known: other answers rely on them, too."""

MOST_CHARACTERS: Final = 200_000
"""Of all sources: of more no place is read, to bound the time."""

MOST_FIGURES: Final = 40
"""Of one sentence: with more none of its figures is compared, as the time grows with their square."""

_BOLD_LINE: Final = re.compile(r"^\*\*([^*\n]+)\*\*$", re.MULTILINE)
"""Headings as the prompt has them above a section."""


_NOUN: Final = re.compile(
    r"(?<!^)\b(?!Euro|Uhr|Cent|Prozent|Tag|Woche|Monat|Jahr|Stunde)[A-ZÄÖÜ][^\W\d_]{2,}"
    r"|\b(?:Mo|Di|Mi|Do|Fr|Sa|So)\b"
)
"""A German noun that no figure is measured in, or a day's short name."""

_NAMING: Final = re.compile(r"^\W*[^:]*\d[^:]*:\s*\Z")
"""A figure that the rest of its sentence is said of: "17 October: the office is closed"."""

_DAY_END: Final = re.compile(r"\b(?:Mo|Di|Mi|Do|Fr|Sa|So)\.\s*\Z")
_DAY_END_LETTERS: Final = 8
"""The end of a German day's short name, which ends no sentence, and how far back it is looked for."""

_LINE: Final = re.compile(r"[^\n]*[^\n.!?:;,]\n+")
"""A line that is no sentence: what stands below it may be of it."""

_ADDRESSES: Final = ("mail", "host")
REACHED: Final = frozenset({*_ADDRESSES, "phone"})
"""Kinds of figures by which somebody is reached."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A source as the model reads it: its title, its Markdown, its language."""

    title: str
    text: str
    language: str


@dataclass(frozen=True, eq=False)
class Place:
    """A place with figures. ``keys``, ``compact``: see :func:`app.chat.text.figures.keys_of`; ``figures``:
    the kind and label of each; ``texts``: what stands with them, by how closely it belongs to them;
    ``headings``: title and headings above; ``named``: the heading that names all text below, of which this
    place is."""

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
        """The words that stand with the figures, each with how closely it belongs to them. Those of addresses
        belong to ways to reach somebody alone."""
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
        """True if the figure stands here."""
        return is_stated(figure, self.keys, self.compact)

    def names(self, stated: Iterable[Stated]) -> bool:
        """True if one of the figures stands here and counts the same."""
        return any(
            each.kind == kind and is_same(each.label, label)
            for kind, label in self.figures
            for each in stated
        )

    def has_other_hours(self, first: Figure, last: Figure) -> bool:
        """True if ranges of hours stand here, but none that begins with the ``first`` or none in their row or
        sentence that ends with the ``last``: of "8 to 12, 14 to 16" an answer may say "from 8 to 16"."""
        own = hours_in(without_addresses(self.texts[OWN]))
        near = "\n".join(text for closeness, text in self.texts.items() if closeness != BESIDE)
        is_told = any(":" in key for begin, _ in own for key in begin)  # not rooms 8-12 alone
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
    """Reads the places of one source. ``names``: those of persons."""

    def __init__(self, source: SourceText, names: Keys) -> None:
        self._title = source.title
        self._language = source.language
        self._text = visible(_BOLD_LINE.sub(r"# \1", source.text))
        self._names = names

    def places(self) -> Iterator[Place]:
        """The places in text order, then those below headings that name an article."""
        sections: dict[str, list[str]] = {}
        leads = set[Span]()
        for block in blocks(self._text):
            above, lead = (self._title, *block.headings), self._lead(block)
            own = self._text[slice(*block.own)]
            for heading in above:
                sections.setdefault(heading, []).append(f"{lead}\n{own}")
            if lead and block.spans[0] not in leads:  # the parts of a long list have the same
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
        """What is read before a list or a table, without the header of this."""
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
        """Where sentences end."""
        for end in ends(text):
            if self._language != "de" or not _DAY_END.search(text, max(end - _DAY_END_LETTERS, 0), end):
                yield end

    def _parts(self, sentence: str) -> list["_Part"]:
        """The clauses of a sentence."""
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
        """The first line of an item that has several, or the second below figures alone: all of it is of
        that."""
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
    """The clauses of a sentence, and how closely they belong together."""

    def __init__(self, parts: Sequence[_Part], language: str) -> None:
        self._parts = parts
        self._language = language
        self._counts = Counter(kind for part in parts for kind in part.kinds)

    def texts(self, number: int, kind: str) -> dict[float, list[str]]:
        """The clauses, by how closely they belong to the figures of a kind of one of them."""
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
        """True if a clause has hours and no word, as the second one of "Mondays 8 to 12, 14 to 16"."""
        part = self._parts[number]
        return part.kinds <= {"time", "number"} and not words_of(part.text, self._language)

    def _together(self, number: int, kind: str) -> int:
        """How many later clauses tell more of a clause's figures: of "after 5 years 20 %, after 10 years
        30 %" the second tells more of the first, but not the third of the second."""
        before = set().union(*(part.kinds for part in self._parts[: number + 1]))
        count = 0
        for part in self._parts[number + 1 :]:
            if not before.isdisjoint(part.kinds) or self._counts[kind] != self._counts[part.figures[0][0]]:
                break
            count += 1
        return count

    def _is_parallel(self, number: int, others: Sequence[int]) -> bool:
        """True if a clause has its own subject: a figure as ``others`` have, the rest, a noun, in English a
        word that none before it has."""
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
        """The first clause that has each word."""
        clauses_of = reversed(list(enumerate(self._parts)))
        return {word: number for number, part in clauses_of for word in named_words(part.text, "en")}


def _label(sentence: str) -> str:
    """What stands before the colon of a sentence, unless it has figures."""
    label, colon, _ = sentence.partition(": ")
    return label if colon and not figures_of(label) else ""


@lru_cache(maxsize=READ_TEXTS)
def _words(text: str, language: str, kept: tuple[str, ...]) -> frozenset[str]:
    return words_of(text, language, kept=kept).union(label for _, label in labels(text))
