"""Reads where the sources state figures and names, and which words stand with each.

A place is a cell of a table with its row and column, a clause with its sentence, or the text below a heading
that names an article. Its words are stems (:mod:`app.chat.text.figure_words`), each with how closely it
belongs to the figure.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from app.chat.text.figure_names import names_in, names_of
from app.chat.text.figure_words import NUMBERED, clauses, kind_of, labels, without_addresses, words_of
from app.chat.text.figures import Figure, Keys, figures_of, is_stated, keys_of
from app.search.matching_rows import cells
from ingest.blocks import Block, Span, blocks, rows
from ingest.sentences import ends
from ingest.text import visible

OWN: Final = 1.0
EARLIER: Final = 0.8
NEAR: Final = 0.6
BESIDE: Final = 0.5
HEADING: Final = 0.5
TITLE: Final = 0.4
LATER: Final = 0.3
"""How closely a word belongs to a figure: of the same clause, or of its cell and the heads of row and column;
of an earlier clause, which may hold the subject; of the same row; of the sentence before, or a list's lead;
of the headings; of the page's title; of what follows in the sentence."""

MOST_CHARACTERS: Final = 200_000
"""Of all sources: of more no place is read, to bound the time."""

_BOLD_LINE: Final = re.compile(r"^\*\*([^*\n]+)\*\*$", re.MULTILINE)
"""Headings as the prompt has them above a section."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A source as the model reads it: its title, its Markdown, its language."""

    title: str
    text: str
    language: str


@dataclass(frozen=True, slots=True)
class Place:
    """A place with figures. ``keys``, ``compact``: see :func:`app.chat.text.figures.keys_of`; ``figures``:
    each with its kind; ``words``: how closely each belongs to them; ``headings``: title and headings above;
    ``named``: the heading that names all text below, of which this place is."""

    keys: Keys
    compact: str
    figures: tuple[tuple[str, Keys], ...]
    words: Mapping[str, float]
    language: str
    headings: tuple[str, ...]
    named: str = ""

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of its figures."""
        return frozenset(kind for kind, _ in self.figures)

    def states(self, figure: Figure) -> bool:
        """True if the figure stands here."""
        return is_stated(figure, self.keys, self.compact)


def places_of(sources: Sequence[SourceText]) -> list[Place]:
    """Return the places of all sources."""
    if sum(len(source.text) for source in sources) > MOST_CHARACTERS:
        return []
    names = names_of("\n".join(source.text for source in sources))
    return [place for source in sources for place in _Reader(source, names).places()]


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
            above, lead = _Above(self._title, block.headings, self._language), self._lead(block)
            own = self._text[slice(*block.own)]
            for heading in above.headings:
                sections.setdefault(heading, []).append(f"{lead}\n{own}")
            if lead and block.spans[0] not in leads:  # the parts of a long list have the same
                leads.add(block.spans[0])
                yield from self._sentences(lead, above, "")
            if block.kind == "table":
                yield from self._table(block, own, above, lead)
            else:
                for item in rows(own, block.kind):
                    yield from self._sentences(own[slice(*item)], above, lead)
        for heading, texts in sections.items():
            if any(figure.kind in NUMBERED for figure in figures_of(heading)):
                above = _Above(heading, (), self._language)
                place = self._place(heading, {OWN: "\n".join((heading, *texts))}, above)
                yield replace(place, named=heading)

    def _lead(self, block: Block) -> str:
        """What is read before a list or a table, without the header of this."""
        before = (self._text[slice(*span)] for span in block.spans[:-1])
        return "\n".join(text for text in before if not text.startswith("|"))

    def _table(self, block: Block, own: str, above: "_Above", lead: str) -> Iterator[Place]:
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

    def _sentences(self, text: str, above: "_Above", lead: str) -> Iterator[Place]:
        before = ""
        for start, end in pairwise((0, *ends(text))):
            parts = clauses(text[start:end])
            for number, clause in enumerate(parts):
                earlier, later = "".join(parts[:number]), "".join(parts[number + 1 :])
                levels = {BESIDE: f"{lead}\n{before}", EARLIER: earlier, OWN: clause, LATER: later}
                yield from self._stating(clause, levels, above)
            before = text[start:end]

    def _stating(self, text: str, levels: Mapping[float, str], above: "_Above") -> Iterator[Place]:
        place = self._place(text, levels, above)
        if place.figures:
            yield place

    def _place(self, text: str, levels: Mapping[float, str], above: "_Above") -> Place:
        words = dict(above.words)
        for closeness, level in sorted(levels.items()):
            found = _words(level, self._language)
            words |= {word: max(closeness, words.get(word, 0.0)) for word in found}
        plain = without_addresses(text)
        keys, compact = keys_of(plain)
        names = [name for name in names_in(plain) if name.states <= self._names]
        figures = tuple((kind_of(each, plain), each.states) for each in (*figures_of(plain), *names))
        keys = keys.union(*(name.states for name in names))
        return Place(keys, compact, figures, words, self._language, above.headings)


class _Above:
    """What stands above a block: its page's title and headings. ``words``: those of both."""

    def __init__(self, title: str, headings: tuple[str, ...], language: str) -> None:
        self.headings = (title, *headings)
        self.words = dict.fromkeys(_words(title, language), TITLE)
        self.words |= dict.fromkeys(_words("\n".join(headings), language), HEADING)


def _words(text: str, language: str) -> frozenset[str]:
    return words_of(text, language).union(label for _, label in labels(text))
