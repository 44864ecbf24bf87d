"""Finds the places where the sources state figures and names, and the words that go with each.

A place is a cell of a table with its row and column, a clause with its sentence, or the text below a heading
that names an article. Its words are stems (:mod:`app.chat.text.figure_words`), each with its *closeness*
(:mod:`app.chat.text.figure_closeness`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final

from app.chat.text.figure_closeness import BESIDE, HEADING, LABEL, NEAR, OWN, TITLE, Clause, Sentence
from app.chat.text.figure_keys import Figure, Keys, is_stated
from app.chat.text.figure_kinds import COUNTED, NUMBERED, Stated, hours_in, is_same, kinds_of, named
from app.chat.text.figure_names import names_in, names_of
from app.chat.text.figure_words import clauses, labels, named_words, without_addresses, words_of
from app.chat.text.figures import figures_of, keys_of
from app.search.matching_rows import cells
from ingest.blocks import Block, Span, blocks, rows
from ingest.text import ends, visible

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
            found = self._clauses(sentence)
            related = Sentence(found, self._language)
            for number, clause in enumerate(found):
                for kind in dict.fromkeys(kind for kind, _ in clause.figures):
                    texts = related.texts(number, kind)
                    texts[LABEL] += _label(sentence), head
                    texts[BESIDE] += lead, first, topic, before
                    figures = tuple(each for each in clause.figures if each[0] == kind)
                    joined = {closeness: "\n".join(some) for closeness, some in texts.items()}
                    yield Place(clause.keys, clause.compact, figures, joined, self._language, above)
            before, first = sentence, first or sentence
            if not any(clause.figures for clause in found):
                topic = sentence if _LINE.fullmatch(sentence) else ""

    def _ends(self, text: str) -> Iterator[int]:
        """Yield the ends of sentences."""
        for end in ends(text):
            if self._language != "de" or not _DAY_END.search(text, max(end - _DAY_END_LETTERS, 0), end):
                yield end

    def _clauses(self, sentence: str) -> list[Clause]:
        """Return the clauses of a sentence; empty if it has more than ``MOST_FIGURES``."""
        names = self._names_in(sentence)
        stated = [*kinds_of(sentence), *map(named, names)]
        if len(stated) > MOST_FIGURES:
            return []
        found = list[Clause]()
        start = 0
        for text in clauses(sentence, names):
            own = [each for each in stated if start <= each.start < start + len(text)]
            keys, compact = keys_of(without_addresses(text))
            keys = keys.union(*(each.figure.states for each in own if each.kind == "name"))
            found.append(Clause(text, keys, compact, tuple((each.kind, each.label) for each in own)))
            start += len(text)
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


def _label(sentence: str) -> str:
    """Return the text before the colon of a sentence; empty if it has figures."""
    label, colon, _ = sentence.partition(": ")
    return label if colon and not figures_of(label) else ""


@lru_cache(maxsize=READ_TEXTS)
def _words(text: str, language: str, kept: tuple[str, ...]) -> frozenset[str]:
    return words_of(text, language, kept=kept).union(label for _, label in labels(text))
