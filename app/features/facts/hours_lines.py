"""Reads opening hours from lines and sentences."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from app.features.facts import signs
from app.features.facts.captions import ITEM, bold_name
from app.features.facts.doubts import has_date, is_open, plain
from app.features.facts.hours import ALL_MONTHS, Rule
from app.features.facts.hours_rules import Reading, read_rules
from app.features.facts.hours_section import NAME_CHARACTERS, HoursSection, season
from app.features.facts.hours_words import Word, hours_words, normalised
from app.features.facts.notices import MOST_CHARACTERS, is_notice_name
from ingest.blocks import Block
from ingest.text import sentences

MOST_LINES: Final = 40
"""The most lines for the hours of one thing; more belong to several things."""


_NUMBER: Final = re.compile(r"[\s*_+-]*(?:tel\w*[.:]*\s*)?[(+]?\d[\d /()-]{4,}\d", re.IGNORECASE)
"""A telephone number that a sentence with hours leads to."""


class HoursPart(NamedTuple):
    """Hours from one line, column or sentence. ``is_besides``: in addition to others; ``doubtful``: days on
    which they are by appointment. ``place``: the name above a line, if it is not that of the whole section;
    ``is_phone``: a telephone number stands beside it."""

    name: str
    text: str
    rules: tuple[Rule, ...]
    is_besides: bool = False
    doubtful: frozenset[int] = frozenset()
    place: str = ""
    is_phone: bool = False


def parts_of_lines(block: Block, markdown: str, section: HoursSection) -> Iterator[HoursPart]:
    """The hours in each line or sentence. Lines with nothing but hours have no text."""
    lead = block.before(markdown).splitlines()
    lines = (*lead, *markdown[slice(*block.own)].splitlines())
    above = markdown[block.around[0] : block.spans[0][0]].rstrip().rpartition("\n")[2]
    for line, text, here in placed(lines, section, above):
        is_lead = text.endswith(":") and _NUMBER.match(
            markdown, markdown.find(line, block.around[0]) + len(line)
        )
        for sentence in sentences(text) if line in lead or block.kind == "text" else (text,):
            for part in parts_of_line(sentence, here):
                yield part._replace(is_phone=True) if is_lead else part


def placed(
    lines: Iterable[str], section: HoursSection, above: str = ""
) -> Iterator[tuple[str, str, HoursSection]]:
    """Yield each line that is not too long, without markup, and with the section that it is in: that of the
    line in bold or the item above it. ``above``: the line before the first one."""
    item, before, is_item = list[str](), cleaned(above), False
    for line in lines:
        text = cleaned(line)
        if not text or len(line) > MOST_CHARACTERS:
            continue
        if ITEM.match(line) or not line[0].isspace():
            item, is_item = [], bool(ITEM.match(line))
        name = "" if season(text) else bold_name(line)
        section = section.about(name) if name else section.below(text)
        yield line, text, section.below_lines(item, before)
        item, before = [*item, text] if is_item else [], text


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
    name = section.label if name == "" else name
    has_title = section.place or (section.is_titled and not section.is_unnamed)
    is_listed = name is not None and not section.is_other and has_title
    is_besides = bool(signs.BESIDES.search(text))
    is_of_all_year = any(rule.months == ALL_MONTHS for rule in rules)
    if (
        rules
        and is_listed
        and not (is_restricted(name or "") or is_notice_name(name or ""))
        and not (section.is_seasonal and is_of_all_year)
    ):
        yield HoursPart(name or "", "", rules, is_besides, place=section.place, is_phone=section.is_by_phone)
    elif is_open(rules) and reading.has_units and signs.OPEN.search(text) and not has_date(words):
        yield HoursPart("", sentence.strip(), rules, is_besides, is_phone=section.is_by_phone)


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
