"""Reads opening hours from lines and sentences."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from app.features.facts import signs
from app.features.facts.doubts import has_date, is_open, plain
from app.features.facts.hours import ALL_MONTHS, Rule
from app.features.facts.hours_rules import Reading, read_rules
from app.features.facts.hours_section import NAME_CHARACTERS, HoursSection
from app.features.facts.hours_words import Word, hours_words, normalised
from app.features.facts.notices import MOST_CHARACTERS, is_notice_name
from ingest.blocks import Block
from ingest.text import sentences

MOST_LINES: Final = 40
"""The most lines for the hours of one thing; more belong to several things."""


class HoursPart(NamedTuple):
    """Hours from one line, column or sentence. ``is_besides``: in addition to others; ``doubtful``: days on
    which they are by appointment."""

    name: str
    text: str
    rules: tuple[Rule, ...]
    is_besides: bool = False
    doubtful: frozenset[int] = frozenset()


def parts_of_lines(block: Block, markdown: str, section: HoursSection) -> Iterator[HoursPart]:
    """The hours in each line or sentence. Lines with nothing but hours have no text."""
    lead = block.before(markdown).splitlines()
    for line in (*lead, *markdown[slice(*block.own)].splitlines()):
        if len(line) > MOST_CHARACTERS:
            continue
        text = cleaned(line)
        section = section.below(text)
        for sentence in sentences(text) if line in lead or block.kind == "text" else (text,):
            yield from parts_of_line(sentence, section)


def cleaned(line: str) -> str:
    """A line without markup and asides, and without the full stops of short weekdays, which would end a
    sentence."""
    told = signs.BY_APPOINTMENT.sub("", signs.ASIDE.sub("", line))
    return signs.SHORT_DAY.sub(r"\1", plain(signs.ITEM.sub("", told)))


def parts_of_line(sentence: str, section: HoursSection) -> Iterator[HoursPart]:
    """The hours in a sentence, or in a line with nothing but hours; at most one."""
    text = normalised(sentence)
    words = hours_words(text)
    reading = read_rules(words)
    if not reading.is_whole or reading.is_unclear or reading.spans or signs.RESTRICTED.search(text):
        return
    rules, name = section.of_months(reading.rules), _name(text, words, reading)
    is_listed = name is not None and not section.is_other and (section.is_titled or section.place)
    is_besides = bool(signs.BESIDES.search(text))
    is_of_all_year = any(rule.months == ALL_MONTHS for rule in rules)
    if (
        rules
        and is_listed
        and not (is_restricted(name or "") or is_notice_name(name or ""))
        and not (section.is_seasonal and is_of_all_year)
    ):
        yield HoursPart(name or "", "", rules, is_besides)
    elif is_open(rules) and reading.has_units and signs.OPEN.search(text) and not has_date(words):
        yield HoursPart("", sentence.strip(), rules, is_besides)


def _name(text: str, words: Sequence[Word], reading: Reading) -> str | None:
    """The name before the hours of a line, up to a colon; empty if there is none. ``None`` if anything else
    or a date precedes the hours, or anything follows them."""
    if any(at > reading.last or words[at].kind == "date" for at in reading.unknown):
        return None
    if not reading.unknown:
        return ""
    before, colon, _ = text[: words[reading.first].start].rpartition(":")
    is_name = colon and len(before) <= NAME_CHARACTERS and words[reading.unknown[-1]].start < len(before)
    return before.strip() if is_name else None


def is_restricted(name: str) -> bool:
    """Return True if the name of a thing says that its hours are not the usual ones."""
    return bool(signs.OTHER_TIMES.search(name) or signs.SEASON.search(name))
