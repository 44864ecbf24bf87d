"""Tells what stands above a block of opening hours."""

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
    """Return the months of a line that names nothing else but perhaps a season; else none."""
    words = words_of(line)
    is_label = not any(word.kind in ("time", "days", "date", "closed") for word in words)
    is_named = signs.SEASON.search(line) or not any(word.kind == "word" for word in words)
    return read_months(words) if len(line) <= NAME_CHARACTERS and is_label and is_named else frozenset()


def _is_contact(line: str) -> bool:
    """True for a line with a telephone number that leads to nothing: hours below it are not of the phone."""
    return bool(_NUMBER.search(line)) and not line.rstrip("* _").endswith(":")


@dataclass(frozen=True, slots=True)
class HoursSection:
    """The headings above a block. ``is_titled``: it is about hours; ``is_other``: about other times;
    ``is_seasonal``: of a season whose months it does not name. ``place``: its heading, where that names no
    hours; ``months``: in which they hold; ``headings``: all in force."""

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
            is_seasonal=bool(not named and signs.SEASON.search(heading)),
            place=heading[:NAME_CHARACTERS] if has_place else "",
            months=named,
            headings=block.headings,
        )

    def below(self, line: str) -> "HoursSection":
        """The section for what stands below a line that may be a title, such as "Öffnungszeiten:", or name a
        season, such as "Winterzeit (November bis März)"."""
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
        """The rest of a heading about hours: of "Öffnungszeiten der Sauna" the sauna."""
        heading = "".join(self.headings[-2:-1] if self.months else self.headings[-1:])
        rest = signs.NO_THING.sub("", signs.TITLE.sub("", heading)).strip(" :–-")
        return signs.ARTICLE.sub("", rest)[:NAME_CHARACTERS]

    @property
    def season_of(self) -> tuple[str, ...] | None:
        """The headings above its own, where that names months; sections with the same ones are of one
        thing."""
        return self.headings[:-1] if self.months else None

    def of_months(self, rules: Iterable[Rule]) -> tuple[Rule, ...]:
        """The rules, those of every month in those of the section alone."""
        if not self.months:
            return tuple(rules)
        return tuple(
            replace(rule, months=self.months) if rule.months == ALL_MONTHS else rule for rule in rules
        )
