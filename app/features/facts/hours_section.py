"""Reads the headings and lead above a block of opening hours."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from app.features.facts import signs
from app.features.facts.hours import ALL_MONTHS, Rule
from app.features.facts.hours_rules import read_months
from app.features.facts.hours_words import words_of
from ingest.blocks import Block

NAME_CHARACTERS: Final = 60


_SEASON_TIME: Final = re.compile(
    r"\b(?:sommer|winter)zeit|\b(?:summer|winter) (?:hours|times)", re.IGNORECASE
)
_NUMBER: Final = re.compile(r"\d[\d /-]{4,}\d")


def season(line: str) -> frozenset[int]:
    """Return the months in a short line that names nothing else, except perhaps a season; otherwise empty."""
    words = words_of(line)
    is_label = not any(word.kind in ("time", "days", "date", "closed") for word in words)
    is_named = signs.SEASON.search(line) or not any(word.kind == "word" for word in words)
    return read_months(words) if len(line) <= NAME_CHARACTERS and is_label and is_named else frozenset()


def _names_date(heading: str) -> bool:
    return any(word.kind == "date" for word in words_of(heading))


def _is_contact(line: str) -> bool:
    """Return True for a line with a telephone number, unless it ends in a colon: hours below it are not phone
    hours."""
    return bool(_NUMBER.search(line)) and not line.rstrip("* _").endswith(":")


@dataclass(frozen=True, slots=True)
class HoursSection:
    """The text above a block.

    ``is_titled``: it is about opening hours; ``is_other``: about other times; ``is_seasonal``: about a season
    without naming its months. ``place``: its heading, if that does not mention hours; ``months``: in which
    the hours apply; ``headings``: all of them, outermost first.
    """

    above: str
    is_titled: bool
    is_other: bool
    is_seasonal: bool
    place: str
    months: frozenset[int]
    headings: tuple[str, ...]

    @classmethod
    def of(cls, block: Block, markdown: str) -> "HoursSection":
        heading, lead = "".join(block.headings[-1:]), block.before(markdown)
        outer, named = "".join(block.headings[-2:-1]), read_months(words_of(heading))
        is_titled = bool(signs.TITLE.search(heading) or (named and signs.TITLE.search(outer)))
        is_titled = is_titled or any(map(signs.TITLE.search, lead.splitlines()))
        above = " ".join((*block.headings, lead))
        has_place = not is_titled and len(block.headings) > 1
        return cls(
            above=" ".join((heading, *(line for line in lead.splitlines() if not _is_contact(line)))),
            is_titled=is_titled,
            is_other=bool(
                signs.OTHER_TIMES.search(above) or (len(named) == 1 and signs.SINCE.search(heading))
            ),
            is_seasonal=not named and bool(signs.SEASON.search(heading) or _names_date(heading)),
            place=heading[:NAME_CHARACTERS] if has_place else "",
            months=named,
            headings=block.headings,
        )

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
