"""Reads the headings and lead above a block of opening hours."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.features.facts import signs
from app.features.facts.block_texts import shown
from app.features.facts.captions import named_spans, names_nothing
from app.features.facts.hours import ALL_MONTHS, Rule
from app.features.facts.hours_rules import read_months
from app.features.facts.hours_words import words_of
from ingest.blocks import Block

NAME_CHARACTERS: Final = 60
LINE_CHARACTERS: Final = 100
"""The longest line of an item that may name the thing that has hours."""


_SEASON_TIME: Final = re.compile(
    r"\b(?:sommer|winter)zeit|\b(?:summer|winter) (?:hours|times)", re.IGNORECASE
)
_NUMBER: Final = re.compile(r"\d[\d /-]{4,}\d")
_SENTENCE_END: Final = re.compile(r"[.!?:;]\W*$")


def season(line: str) -> frozenset[int]:
    """Return the months in a short line that names nothing else, except perhaps a season; otherwise empty."""
    words = words_of(line)
    is_label = not any(word.kind in ("time", "days", "date", "closed") for word in words)
    is_named = signs.SEASON.search(line) or not any(word.kind == "word" for word in words)
    return read_months(words) if len(line) <= NAME_CHARACTERS and is_label and is_named else frozenset()


def _is_time(line: str) -> bool:
    return any(word.kind != "word" for word in words_of(line))


def _names_date(heading: str) -> bool:
    return any(word.kind == "date" for word in words_of(heading))


def _is_contact(line: str) -> bool:
    """Return True for a line with a telephone number, unless it ends in a colon: hours below it are not phone
    hours."""
    return bool(_NUMBER.search(line)) and not line.rstrip("* _").endswith(":")


def _is_name(line: str) -> bool:
    """Return True for a line that may name the thing that has hours."""
    is_plain = len(line) <= LINE_CHARACTERS and not any(map(str.isdigit, line)) and line[:1].isalpha()
    return is_plain and not (signs.TITLE.search(line) or _SENTENCE_END.search(line) or _is_time(line))


@dataclass(frozen=True, slots=True)
class HoursSection:
    """The text above a block.

    * ``is_titled``: it is about opening hours; ``is_other``: about other times; ``is_seasonal``: about a
      season without naming its months
    * ``place``: the line in bold above, or else the heading, if that does not mention hours
    * ``label``: the line in bold or of an item that names the hours below a title
    * ``months``: in which the hours apply; ``headings``: all of them, outermost first
    * ``is_unnamed``: nothing says what the text is about
    * ``is_by_phone``: a telephone number stands beside it
    """

    above: str
    is_titled: bool
    is_other: bool
    is_seasonal: bool
    place: str
    months: frozenset[int]
    headings: tuple[str, ...]
    label: str = ""
    is_unnamed: bool = False
    is_by_phone: bool = False

    @classmethod
    def of(cls, block: Block, markdown: str) -> "HoursSection":
        heading, lead = "".join(block.headings[-1:]), block.before(markdown)
        outer, named = "".join(block.headings[-2:-1]), read_months(words_of(heading))
        is_titled = bool(signs.TITLE.search(heading) or (named and signs.TITLE.search(outer)))
        is_titled = is_titled or any(map(signs.TITLE.search, lead.splitlines()))
        above = " ".join((*block.headings, lead))
        is_unnamed = names_nothing(heading)
        has_place = not is_titled and not is_unnamed and len(block.headings) > 1
        above_block = block.around[0], block.spans[0][0]
        bold = "".join(name for _, name in list(named_spans(markdown, above_block))[-1:] if not season(name))
        told = cls(
            above=" ".join((heading, *(line for line in lead.splitlines() if not _is_contact(line)))),
            is_titled=is_titled,
            is_other=bool(
                signs.OTHER_TIMES.search(above) or (len(named) == 1 and signs.SINCE.search(heading))
            ),
            is_seasonal=not named and bool(signs.SEASON.search(heading) or _names_date(heading)),
            place=heading[:NAME_CHARACTERS] if has_place else "",
            months=named,
            headings=block.headings,
            is_unnamed=is_unnamed,
        )
        return told.about(bold) if bold else told

    def about(self, name: str) -> "HoursSection":
        """Return the section for text below this name. Below a heading that announces opening hours it is the
        name of the hours, otherwise the place that they belong to."""
        named = replace(self, label=name) if self.is_titled else replace(self, place=name)
        return replace(named, is_unnamed=False)

    def below_lines(self, item: Sequence[str], before: str) -> "HoursSection":
        """Return the section for a line below the other lines of its ``item`` and the line ``before`` it."""
        is_by_phone = not self.is_titled and any(map(_is_contact, (*item, before)))
        names = (name for line in item if _is_name(name := shown(line)))
        return replace(next((self.about(name) for name in names), self), is_by_phone=is_by_phone)

    def below(self, line: str) -> "HoursSection":
        """Return the section for the text below a line, if the line is a title, such as "Öffnungszeiten:", or
        names a season, such as "Winterzeit (November bis März)"."""
        if months := season(line):
            is_titled = self.is_titled or bool(_SEASON_TIME.search(line))
            return replace(self, months=months, is_titled=is_titled, is_seasonal=False)
        if len(line) > NAME_CHARACTERS or any(map(str.isdigit, line)) or not signs.TITLE.search(line):
            return self
        is_other = self.is_other or bool(signs.OTHER_TIMES.search(line))
        is_seasonal = self.is_seasonal or bool(signs.SEASON.search(line))
        return replace(self, is_titled=True, is_other=is_other, is_seasonal=is_seasonal)

    @property
    def thing(self) -> str:
        """The rest of a heading about hours: the sauna in "Öffnungszeiten der Sauna"."""
        heading = "".join(self.headings[-2:-1] if self.months else self.headings[-1:])
        rest = signs.NO_THING.sub("", signs.TITLE.sub("", heading)).strip(" :–-")
        return signs.ARTICLE.sub("", rest)[:NAME_CHARACTERS]

    @property
    def season_of(self) -> tuple[str, ...] | None:
        """The headings above its own if that one names months; sections with the same ones belong to one
        thing."""
        return self.headings[:-1] if self.months else None

    def of_months(self, rules: Iterable[Rule]) -> tuple[Rule, ...]:
        """Return the rules, with rules for every month limited to the months of the section."""
        if not self.months:
            return tuple(rules)
        return tuple(
            replace(rule, months=self.months) if rule.months == ALL_MONTHS else rule for rule in rules
        )
