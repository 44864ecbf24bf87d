"""Finds references in a passage of law: to articles, annexes and recitals of any act, and to whole acts.

A small grammar over the groups of :mod:`ingest.law.groups`::

    chain     = group { separator group } [ qualifier ]
    qualifier = "of" ( act { act } | "this" type | "that" type | treaty | "that Article" ) | "thereof"

A chain without a qualifier belongs to the act itself. Text is parsed once, from left to right, in linear
time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from ingest.law.celex import basic_act, celex_number
from ingest.law.groups import UNIT_KINDS, Cursor, Group
from ingest.law.treaties import is_treaty, treaty_article, treaty_prefix
from ingest.law.vocabulary import Token, act_type, tokens, treaty, vocabulary

MAX_ACTS: Final = 20
"""The most acts that may qualify one chain, because each article then counts for each of them."""

MAX_REFERENCES: Final = 20_000
"""The most references in one text; the text after them is ignored."""

MAX_TARGETS: Final = 400
"""The most references that one chain may stand for."""

INSTRUCTION_WORDS: Final = 5
"""The most words and marks before an article that is amended: "2) À l'article 28"."""

QUOTES: Final = frozenset("'\"‘“„«")

FOREIGN_WORDS: Final = 5
"""The most words between "of the" and "Convention"."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A place in the text, ``[start, end)`` in characters, and the act or unit that it names.

    ``unit``: ``art_6``, ``art_7a``, ``anx_III``, ``anx``, ``rct_53``, or empty for an act as a whole. An
    article of a treaty is an act of its own: ``12016E114``, ``art_114``.
    """

    start: int
    end: int
    celex: str
    unit: str = ""


def references(text: str, *, celex: str, unit: str = "", language: str) -> tuple[Reference, ...]:
    """Return all references in ``text``, which is in ``unit`` of the act ``celex``, in text order.

    "paragraph 1" alone refers to ``unit`` itself, and is left out if ``unit`` is empty. In languages other
    than English, French and German nothing is found.
    """
    words = vocabulary(language)
    if words is None:
        return ()
    cursor = Cursor(list(tokens(text, words)), words)
    return tuple(islice(_Reader(cursor, basic_act(celex), unit).read(), MAX_REFERENCES))


@dataclass(frozen=True, slots=True)
class _Qualifier:
    """The text that a chain's units belong to: ``acts`` (empty for a text without a CELEX number); a unit
    named before (``same``); or the unit that the text itself is in (``itself``).
    """

    acts: tuple[str, ...] = ()
    same: Reference | None = None
    itself: bool = False


class _Reader:
    """The parser's position, and what "that Regulation", "of that Article" and "thereof" would mean there."""

    def __init__(self, cursor: Cursor, celex: str, unit: str) -> None:
        self.cursor = cursor
        self.celex = celex[:6] if is_treaty(celex) else celex
        self.unit = unit
        self.amending = False
        self.own = (celex, unit)
        self.acts: list[tuple[str, ...]] = []
        self.last: Reference | None = None
        self.in_paragraph: Reference | None = None
        self.treaty_units: dict[str, str] = {}

    def read(self) -> Iterator[Reference]:
        cursor = self.cursor
        while (kind := cursor.at(cursor.place)) is not None:
            if kind in UNIT_KINDS:
                yield from self._chain()
            elif kind == "type":
                yield from self._remember(self._whole_acts())
            else:
                self._note(cursor.tokens[cursor.place])
                cursor.place += 1

    def _note(self, token: Token) -> None:
        if token.kind == "break":
            self.in_paragraph = None
            self.treaty_units.clear()
        elif token.kind == "treaty":
            self.acts.append((treaty_prefix(treaty(token.text), self.own[0]),))
        elif token.kind == "amended" and self.in_paragraph is not None:
            self._amend(self.in_paragraph)

    def _amend(self, amended: Reference) -> None:
        """After "Directive 98/70/EC is amended as follows", let articles without an act belong to it."""
        if not is_treaty(amended.celex):
            self.celex, self.unit, self.amending = amended.celex, amended.unit or self.unit, True

    def _remember(self, found: list[Reference]) -> list[Reference]:
        if found:
            self.last = self.in_paragraph = found[-1]
        return found

    def _follow(self, start: int) -> None:
        """After "1. Article 7 is amended: paragraph 2 is deleted", let paragraphs belong to Article 7."""
        amended = self.amending and self.last is not None and self.last.celex == self.celex
        if amended and self.last is not None and self.last.unit and self._begins_paragraph(start):
            self.unit = self.last.unit

    def _begins_paragraph(self, place: int) -> bool:
        """Return True if only a few words precede ``place`` in its paragraph, and no quotation mark begins
        it."""
        cursor = self.cursor
        for back in range(place, max(place - INSTRUCTION_WORDS, 0) - 1, -1):
            if back == 0 or cursor.at(back - 1) == "break":
                return cursor.tokens[back].text not in QUOTES
        return False

    def _whole_acts(self) -> list[Reference]:
        word = self.cursor.tokens[self.cursor.place]
        named, self.cursor.place = self._cited(self.cursor.place)
        if named:
            self.acts.append(tuple(celex for celex, _ in named))
        starts = [word.start, *(token.start for _, token in named[1:])]
        return [
            Reference(start, token.end, celex) for start, (celex, token) in zip(starts, named, strict=False)
        ]

    def _cited(self, place: int) -> tuple[list[tuple[str, Token]], int]:
        """Return the acts of "Regulations (EU) No 1093/2010 and (EU) 2016/679", and the place behind them."""
        cursor = self.cursor
        kind = act_type(cursor.tokens[place].text)
        found: list[tuple[str, Token]] = []
        after = following = place + 1
        while cursor.at(following) == "cited":
            token = cursor.tokens[following]
            if celex := celex_number(kind, token.text):
                found.append((celex, token))
            after = following + 1
            listed = after + (cursor.at(after) == "bracket")  # the mark of a footnote
            following = cursor.skip(listed, "comma", "and")
            if following == listed:
                break
        return found, after

    def _chain(self) -> list[Reference]:
        cursor = self.cursor
        start = cursor.place
        possessive = cursor.place > 0 and cursor.at(cursor.place - 1) == "possessive"
        groups, listed = [cursor.group()], True
        while (following := self._joined()) is not None:
            within, place = following
            listed = within or any(cursor.at(between) == "and" for between in range(cursor.place, place))
            cursor.place = place
            if within and (groups[-1].kind == "sub" or cursor.at(cursor.place) == "annex"):
                groups.pop()
            groups.append(cursor.group())
        if not any(group.items for group in groups) or self._is_caption(start) or self._is_this(start):
            return []
        before = cursor.place
        qualifier = self._qualifier()
        if qualifier is None and possessive and self.acts:
            qualifier = _Qualifier(self.acts[-1])
        found: list[Reference] = []
        for group in groups:
            shared = qualifier if listed or group is groups[-1] else None
            found += self._remember(list(self._resolved(group, shared)))
            self._follow(start)
        if not found:
            cursor.place = before  # "Chapter IV of Directive 95/46/EC" is the directive as a whole
        return found[:MAX_TARGETS]

    def _is_this(self, start: int) -> bool:
        """Return True if the chain is only "this Annex", which is not a reference, like "this Regulation"."""
        alone = self.cursor.place == start + 1
        return alone and start > 0 and self.cursor.at(start - 1) in ("this", "that")

    def _is_caption(self, start: int) -> bool:
        """Return True if the chain from ``start`` is all that its paragraph or table cell contains."""
        cursor = self.cursor
        if start > 0 and cursor.tokens[start - 1].text in QUOTES:
            start -= 1
        if start > 0 and not _is_edge(cursor.tokens[start - 1]):
            return False
        if cursor.place < len(cursor.tokens):
            return _is_edge(cursor.tokens[cursor.place])
        return start > 0

    def _joined(self) -> tuple[bool, int] | None:
        """Return the place of another group, after True if the current one is part of it ("point (a) of
        Article 7"); None if no group follows."""
        cursor = self.cursor
        within = cursor.at(cursor.place) == "of"
        place = cursor.place if within else cursor.skip(cursor.place, "comma", "and")
        if place == cursor.place and not within:
            return None
        place = cursor.skip(place, "to", "of", "determiner")
        if within and cursor.at(place) == "clause":
            place = cursor.skip(place + 1, "of", "determiner")
        return (within, place) if cursor.at(place) in UNIT_KINDS else None

    def _qualifier(self) -> _Qualifier | None:
        cursor = self.cursor
        place = cursor.skip(cursor.place, "comma") if cursor.words.commas else cursor.place
        if cursor.at(place) == "thereof":
            cursor.place = place + 1
            return self._thereof()
        if cursor.at(place) == "treaty":
            return self._of_treaty(place)
        named = cursor.skip(place, "of", "to", "determiner")
        if cursor.at(named) in ("this", "that"):
            return self._of_pronoun(named)
        if cursor.at(place) not in ("of", "to"):
            return None
        return self._of_named(named, adjacent=place == cursor.place)

    def _of_named(self, place: int, *, adjacent: bool) -> _Qualifier | None:
        kind = self.cursor.at(place)
        if kind == "type":
            return self._of_act(place)
        if kind == "treaty":
            return self._of_treaty(place)
        return self._of_foreign(place) if adjacent else None

    def _thereof(self) -> _Qualifier | None:
        if self.acts:
            return _Qualifier(self.acts[-1], same=self.last)
        return _Qualifier((self.celex,), same=self.last)

    def _of_treaty(self, place: int) -> _Qualifier:
        self.cursor.place = place + 1
        self.acts.append((treaty_prefix(treaty(self.cursor.tokens[place].text), self.own[0]),))
        return _Qualifier(self.acts[-1])

    def _of_act(self, place: int) -> _Qualifier | None:
        cursor = self.cursor
        word = cursor.tokens[place].text
        named, after = self._cited(place)
        if not named:
            cursor.place = place + 1
            return (
                _Qualifier()
                if _says_number(cursor, place + 1)
                else self._antecedent(word, otherwise=self._own(word))
            )
        while cursor.words.commas and len(named) < MAX_ACTS:
            following = cursor.skip(cursor.skip(after, "comma", "and"), "of", "to", "determiner")
            if cursor.at(following) != "type" or cursor.at(following - 1) not in ("of", "determiner"):
                break
            more, beyond = self._cited(following)
            if not more:
                break
            named, after = [*named, *more], beyond
        cursor.place = after
        self.acts.append(tuple(celex for celex, _ in named[:MAX_ACTS]))
        return _Qualifier(self.acts[-1])

    def _of_pronoun(self, place: int) -> _Qualifier | None:
        cursor = self.cursor
        this = cursor.at(place) == "this"
        named = cursor.skip(place + 1, "determiner")
        kind = cursor.at(named)
        if kind in UNIT_KINDS:
            cursor.place = named + 1
            return _Qualifier((self.celex,), itself=True) if this else self._same(cursor.tokens[named])
        if kind not in ("type", "treaty", "foreign"):
            return None
        cursor.place = named + 1
        word = cursor.tokens[named].text
        if kind == "type":
            return _Qualifier((self._own(word) or self.own[0],)) if this else self._antecedent(word)
        if kind == "treaty":
            return self._of_treaty(named) if this else self._that_treaty(named)
        return _Qualifier()

    def _same(self, word: Token) -> _Qualifier:
        """Return the unit that "that Article" or "that paragraph" refers to."""
        return _Qualifier(same=self.last) if self.last else _Qualifier((self.celex,), itself=True)

    def _that_treaty(self, place: int) -> _Qualifier:
        named = next((acts for acts in reversed(self.acts[-MAX_ACTS:]) if is_treaty(acts[0])), None)
        return _Qualifier(named) if named else self._of_treaty(place)

    def _of_foreign(self, place: int) -> _Qualifier | None:
        """Return the convention or act that follows "of the" after a few capitalised words, or None."""
        cursor = self.cursor
        for beyond in range(place, place + FOREIGN_WORDS):
            kind = cursor.at(beyond)
            if kind == "foreign":
                cursor.place = beyond + 1
                return _Qualifier()
            if kind in ("type", "treaty"):
                return self._of_act(beyond) if kind == "type" else self._of_treaty(beyond)
            if kind not in ("word", "number") or not _capital(cursor.tokens[beyond]):
                return None
        return None

    def _antecedent(self, word: str, otherwise: str = "") -> _Qualifier:
        """Return the acts of this type that were named last, or else ``otherwise``."""
        kinds = {"D": "DF"}.get(act_type(word), act_type(word))
        for acts in reversed(self.acts[-MAX_ACTS:]):
            if acts[-1][5:6] in kinds and not is_treaty(acts[-1]):
                return _Qualifier(acts)
        return _Qualifier((otherwise,) if otherwise else ())

    def _own(self, word: str) -> str:
        """Return the act that "this Regulation" means: the amended act if it has this type, otherwise the
        text's own; empty if neither has it."""
        kind = act_type(word)
        return next((celex for celex in (self.celex, self.own[0]) if celex[5:6] == kind), "")

    def _resolved(self, group: Group, qualifier: _Qualifier | None) -> Iterator[Reference]:
        if group.kind == "sub":
            yield from self._resolved_part(group, qualifier)
            return
        acts = (self.celex,) if qualifier is None else qualifier.acts
        for item in group.items:
            for act in acts:
                celex = self.treaty_units.get(item.unit, act) if qualifier is None else act
                if not is_treaty(celex):
                    yield Reference(item.start, item.end, celex, item.unit)
                elif article := treaty_article(celex, item.unit):
                    self.treaty_units[item.unit] = celex
                    yield Reference(item.start, item.end, article, item.unit)

    def _resolved_part(self, group: Group, qualifier: _Qualifier | None) -> Iterator[Reference]:
        if qualifier is not None and qualifier.same is not None:
            yield from (
                Reference(item.start, item.end, qualifier.same.celex, qualifier.same.unit)
                for item in group.items
            )
        elif group.local and self.unit and (qualifier is None or qualifier.itself):
            celex = self.own[0] if is_treaty(self.celex) else self.celex
            yield from (Reference(item.start, item.end, celex, self.unit) for item in group.items)


def _is_edge(token: Token) -> bool:
    return token.kind == "break" or token.text == "|"


def _says_number(cursor: Cursor, place: int) -> bool:
    return cursor.at(place) in ("number", "cited") or (
        cursor.at(place) == "word" and cursor.tokens[place].text.lower() in ("no", "n", "nr")
    )


def _capital(token: Token) -> bool:
    return token.text[0].isupper() or token.text[0].isdecimal()
