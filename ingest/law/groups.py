"""Parses groups of units as printed: "Articles 8 to 15", "Annex III, Part A", "points (a) and (b)".

::

    group = ("Article" | "Annex" | "recital" | "paragraph" ...) item { separator item }
    item  = number { "(2)" | ", point (a)" | ", first subparagraph" }

The words after a group say which act it belongs to: see :mod:`ingest.law.references`.
"""

import re
from dataclasses import dataclass
from typing import Final

from ingest.law import captions
from ingest.law.roman import roman, roman_value
from ingest.law.vocabulary import Kind, Token, Vocabulary, latin_letter

MAX_RANGE: Final = 200
"""The most units in a range such as "Articles 8 to 15"; of a longer range only the two ends count."""

UNIT_KINDS: Final[frozenset[Kind]] = frozenset(("article", "annex", "recital", "sub"))

_PREFIX: Final[dict[Kind, str]] = {"article": "art", "annex": "anx", "recital": "rct"}
_SEPARATORS: Final[tuple[Kind, ...]] = ("comma", "and", "to")
_ANNEX: Final = re.compile(r"[IVXLC]{1,7}[a-zA-H]?|[A-Z]{1,2}|[A-Z]\d")
_LOCAL: Final = re.compile(r"(?i)paragraph|points?$|abs\.|abs[aä]tz|buchstabe|nummer|nrn?\.")


@dataclass(slots=True)
class Item:
    """One unit of a group, ``[start, end)`` in characters; ``unit`` is empty for a part of an unnamed one."""

    start: int
    end: int
    unit: str


@dataclass(frozen=True, slots=True)
class Group:
    """A group of units. ``local``: paragraphs or points, which belong to the unit whose text names them if no
    other unit is given."""

    kind: Kind
    items: tuple[Item, ...]
    local: bool = False


class Cursor:
    """A place among tokens; methods that parse tokens move it behind them."""

    def __init__(self, tokens: list[Token], words: Vocabulary) -> None:
        self.tokens = tokens
        self.words = words
        self.place = 0

    def at(self, place: int) -> Kind | None:
        """Return the kind of the token at ``place``, or None behind the last one."""
        return self.tokens[place].kind if place < len(self.tokens) else None

    def skip(self, place: int, *kinds: Kind) -> int:
        """Return the first of the four places from ``place`` up that has none of ``kinds``, otherwise
        ``place``."""
        for beyond in range(place, place + 4):
            if self.at(beyond) not in kinds:
                return beyond
        return place

    def group(self) -> Group:
        """Parse the group whose first word is here. It has no items if no number follows."""
        word = self.tokens[self.place]
        self.place += 1
        if word.kind != "sub":
            return Group(word.kind, tuple(self._items(word)))
        end = self._values(many=self._plural(word))
        items = (Item(word.start, max(end, self._parts(numbers=False)), ""),) if end else ()
        return Group("sub", items, local=_LOCAL.match(word.text) is not None)

    def _items(self, word: Token) -> list[Item]:
        number = self._number(self.place, word.kind)
        plural = self._plural(word)
        if not number:
            return [] if plural or word.kind != "annex" else [Item(word.start, word.end, "anx")]
        items = [self._item(word.start, word.kind, number)]
        while True:
            if word.kind != "recital":
                items[-1].end = max(items[-1].end, self._parts(numbers=not plural))
            place = self.skip(self.place, *_SEPARATORS)
            if place == self.place or not (number := self._number(place, word.kind)):
                return items
            if not plural and not self._goes_on(place):
                return items
            ranged = self.at(place - 1) == "to"
            self.place = place
            item = self._item(self.tokens[place].start, word.kind, number)
            items += _between(items[-1], item) if ranged else []
            items.append(item)

    def _item(self, start: int, kind: Kind, number: str) -> Item:
        """Parse the number of a unit, which is here."""
        self.place += 2 if self._ordinal(self.place, kind) else 1
        return Item(start, self.tokens[self.place - 1].end, f"{_PREFIX[kind]}_{number}")

    def _number(self, place: int, kind: Kind) -> str:
        """Return the number of a unit of this kind at ``place``; empty if there is none."""
        if self.at(place) is None:
            return ""
        text = self.tokens[place].text
        if kind == "annex" and self.at(place) in ("word", "number") and _ANNEX.fullmatch(text):
            return captions.plain_number(text) + self._ordinal(place, kind)
        if self.at(place) == "number":
            return referenced_number(text)
        if kind == "recital" and self.at(place) == "bracket" and text.strip("( )").isdecimal():
            return text.strip("( )")
        return ""

    def _ordinal(self, place: int, kind: Kind) -> str:
        """Return the letter for a Latin word after an annex's number: "annexe I bis" is ``Ia``."""
        if kind != "annex" or self.at(place + 1) != "word":
            return ""
        return latin_letter(self.tokens[place + 1].text.lower())

    def _goes_on(self, place: int) -> bool:
        """Return True for "Article 101 and 102 TFEU", which means both articles, unlike "Article 101 and 102
        companies"."""
        return self.at(place - 1) in ("and", "to") and self.at(place + 1) not in ("word", "sub")

    def _plural(self, word: Token) -> bool:
        return self.words.plural.fullmatch(word.text) is not None

    def _parts(self, *, numbers: bool) -> int:
        """Parse "(2), point (a), first subparagraph"; return its end, 0 if there is none.

        ``numbers``: "paragraph 1 and 2" means both, because no other article can follow.
        """
        end = 0
        while True:
            place = self.skip(self.place, *_SEPARATORS)
            if self.at(place) in ("bracket", "clause"):
                self.place, end = place + 1, self.tokens[place].end
                continue
            if self.at(place) != "sub" or any(self.at(i) != "comma" for i in range(self.place, place)):
                return end
            before, self.place = self.place, place + 1
            value = self._values(many=numbers or self._plural(self.tokens[place]))
            if not value:
                self.place = before
                return end
            end = value

    def _values(self, *, many: bool) -> int:
        """Parse the numbers and letters after "points"; return the end of the last, 0 if there is none."""
        end = 0
        while True:
            place = self.skip(self.place, *_SEPARATORS) if end else self.place
            if not self._is_value(place) or (end and not self._another(place, many=many)):
                return end
            self.place, end = place + 1, self.tokens[place].end
            if self._closes_number():
                self.place += 1

    def _closes_number(self) -> bool:
        """Return True if a closing bracket belongs to the number before it, as in "point 4),"."""
        closed = self.place < len(self.tokens) and self.tokens[self.place].text == ")"
        return closed and self.at(self.place + 1) in (*_SEPARATORS, "of", "bracket", "clause")

    def _another(self, place: int, *, many: bool) -> bool:
        if self.at(place) in ("bracket", "clause"):
            return True
        return many and place > self.place and self.at(place + 1) != "sub" and self.at(place - 1) is not None

    def _is_value(self, place: int) -> bool:
        kind = self.at(place)
        if kind in ("word", "of", "to"):
            return self.words.letters.fullmatch(self.tokens[place].text) is not None
        return kind in ("number", "bracket")


def referenced_number(printed: str) -> str:
    """Return a number as in names of units: ``7a`` for ``7 bis``, ``100a`` for ``100 A``, ``1`` for
    ``premier`` and ``1er``, ``6`` for ``6.1``."""
    lower = printed.lower().partition(".")[0]
    if lower in ("premier", "1er"):
        return "1"
    digits = re.match(r"\d*", lower)
    suffix = lower[digits.end() if digits else 0 :].strip()
    return lower[: len(lower) - len(suffix)].strip().lstrip("0") + (latin_letter(suffix) or suffix)


def _between(first: Item, last: Item) -> list[Item]:
    """Return the units between the two; all of them, and the two, get the place of the whole range."""
    prefix, _, low = first.unit.partition("_")
    high = last.unit.partition("_")[2]
    last.start = first.start
    first.end = last.end
    return [Item(first.start, last.end, f"{prefix}_{number}") for number in _numbers_between(low, high)]


def _numbers_between(low: str, high: str) -> list[str]:
    one, other = re.match(r"\d+", low), re.match(r"\d+", high)
    if one and other and one[0] == other[0]:
        return _letters_between(one[0], low, high)
    if one and other:
        return [str(number) for number in _integers(int(one[0]), int(other[0]), lettered=other[0] != high)]
    if (start := roman_value(low)) and (end := roman_value(high)):
        return [roman(number) for number in _integers(start, end, lettered=False)]
    if len(low) == len(high) == 1 and low.isalpha() and high.isalpha():
        return [chr(code) for code in range(ord(low) + 1, ord(high))]
    return []


def _integers(low: int, high: int, *, lettered: bool) -> range:
    inner = range(low + 1, high + lettered)
    return inner if len(inner) <= MAX_RANGE - 2 else range(0)


def _letters_between(digits: str, low: str, high: str) -> list[str]:
    first, last = low.removeprefix(digits) or "`", high.removeprefix(digits)
    if len(first) != 1 or len(last) != 1:
        return []
    return [digits + chr(code) for code in range(ord(first) + 1, ord(last))]
