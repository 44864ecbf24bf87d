"""Deadlines as pages state them: "bis spätestens 31. März", "closing date: 30 April". Pure functions.

A deadline is shown with its whole sentence, line or row, because others may apply to some people. It counts
as past only if the sentence gives the year. In doubt there is none.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Final, Literal

from app.features.facts.block_texts import (
    BULLET,
    first_blocks,
    headings_above,
    lead_of,
    shown,
    told_sentences,
    whole_of,
)
from app.features.facts.calendar_days import DayGroup, day_groups
from app.features.facts.date_sentences import AROUND, DAYS
from app.features.facts.dates import MOST_CHARACTERS, PARTS, READ_CHARACTERS, YEAR, resolved
from app.features.facts.note_marks import has_date_mark
from app.features.facts.pipe_tables import Cells, read_table
from ingest.blocks import Block, Span, rows

Form = Literal["limit", "due", "range", "unknown"]

CACHED_PAGES: Final = 64
NEAR_CHARACTERS: Final = 2_000
"""The part of a section, before and after a text, that may say that a deadline was moved."""

_LIMIT: Final = (
    r"\b(?:bis(?: (?:spätestens|einschließlich))?|spätestens(?: bis)?|by|until|till|before|no later than)"
    r"(?: \d{1,2}(?:[.:]\d\d)?\s?(?:[ap]m|noon|uhr))? ¤"
)
_OPENING: Final = re.compile(r"\bab (?:dem )?¤ und (?=bis ¤)")
_TAIL: Final = (
    r"(?: (?:des|desselben|jedes) [A-ZÄÖÜ]\w+"
    rf"|,?\s\w+(?:platz|halle|haus|hof|park)\b|{AROUND})*"
)
_NOUN: Final = (
    r"(?:(?:An|Ab|Um|Nach)meldung(?:en)?|Anträge|Antrag|Bewerbung(?:en)?|Abgabe|Einsendung(?:en)?|Einwände"
    r"|Stellungnahmen?|Vorschläge|Zahlung)"
)
_OF: Final = r"(?: (?:auf|für|zu|gegen|des|der)(?: [a-z]{3})?(?: [A-ZÄÖÜ][\w-]+)+)"
_GERMAN_ACT: Final = (
    r"(?:eingereicht|gestellt|abgegeben|beantragt|eingelöst|bezahlt|gezahlt|angemeldet|abgemeldet)"
)
_ENGLISH_NOUN: Final = (
    r"(?:(?!(?:on|of|for|about) )\w+ ){0,3}(?:applications|entries|comments|responses|nominations"
    r"|registrations?|bookings|proposals|consultation|voting)(?: (?:for|on) (?:the )?\w+(?: \w+)?)?"
)
NAME: Final = r"\b(?:\w*(?:schluss|frist)|deadline|closing date|stichtag|letzter tag|last day)"
"""Names of a deadline."""

_LIMITS: Final = re.compile(
    "|".join(
        (
            rf"(?:[^.:;!?¤]{{1,60}} – )?[^.:;!?¤]{{0,60}}{NAME}\b(?: (?:für|for|of|to) [^.:;!?¤]{{1,60}})?"
            rf"(?::| ist| is| am| endet| ends)* ¤{_TAIL}",
            r"(?:bitte )?(?:melden|reichen|stellen|senden|schicken|bewerben|beantragen|geben|zahlen"
            rf"|überweisen) sie\b[^,;:]*{_LIMIT}{_TAIL}(?: (?:an|ab|ein|um))?",
            rf"[^,;:]*\b(?:ist|sind)\b[^,;:]*{_LIMIT}{_TAIL}"
            r" (?:zu (?:stellen|beantragen|zahlen|bezahlen)|(?:ein|ab)zu(?:reichen|geben)|möglich)",
            rf"[^,;:]*\b(?:muss|müssen)\b[^,;:]*{_LIMIT}{_TAIL}"
            rf" (?:eingehen|vorliegen|{_GERMAN_ACT} (?:werden|sein))",
            rf"[^,;:]*\b(?:kann|können)\b[^,;:]*{_LIMIT}{_TAIL} {_GERMAN_ACT} werden",
            rf"[^,;:]*\bkönnen sie\b[^,;:]*{_LIMIT}{_TAIL}"
            r" (?:beantragen|stellen|einreichen|abgeben|anmelden)",
            rf"[^,;:]*\b(?:brauchen|benötigen|nehmen) wir\b[^,;:]*{_LIMIT}{_TAIL}(?: (?:an|entgegen))?",
            rf"(?-i:{_NOUN}(?:{AROUND}|{_OF})*) {_LIMIT}{_TAIL}",
            rf"(?:please )?(?:apply|register|submit|send|return|book|enter|pay|propose)\b"
            rf"[^,;:]*{_LIMIT}{_TAIL}",
            rf"[^,;:]*\bmust (?:be \w+|reach us|be with us)[^,;:]*{_LIMIT}{_TAIL}",
            rf"{_ENGLISH_NOUN} (?:closes?|ends?|are due|are accepted)(?: {_LIMIT}| ¤){_TAIL}",
        )
    ),
    re.IGNORECASE,
)
_DUE: Final = re.compile(
    rf"[^,;:]*\b(?:ist|sind|wird|werden)\b[^,;:]*¤ (?:fällig|zu (?:be)?zahlen)"
    rf"|(?:\w+ ){{1,5}}(?:is|are) (?:due|payable)(?: (?:by|on))? ¤{_TAIL}",
    re.IGNORECASE,
)
_INSTALMENTS: Final = re.compile(
    r"[^,;:]*(?:\braten erhoben|\bfällig|\binstalments)[^:;]*?(?:, jeweils)?:? ¤", re.IGNORECASE
)
_RANGE: Final = re.compile(rf"[^.:;!?,¤]{{2,60}}(?::| –) ¤{_TAIL}", re.IGNORECASE)
_DENIED: Final = re.compile(r"\b(?:nicht|kein\w*|not|no)\b|n['’]t\b", re.IGNORECASE)
_FOR_SOME: Final = re.compile(
    r"\b(?:wer|wenn|falls|sofern|whoever|if|unless|members|mitglieder)\b[^¤]*¤", re.IGNORECASE
)
_HEAD: Final = re.compile(rf"{NAME}\b|\bbis\b|\buntil\b|\b(?:apply )?by\b", re.IGNORECASE)
_CLAUSES: Final = re.compile(r"(?<=;)\s")
_PREPOSITION: Final = re.compile(r"^(?:am|an|zum|on|the)\s", re.IGNORECASE)
_POINT: Final = re.compile(r"(?:[^\W\d_]{4,}|\d{4})\.$")
_EXTENDED: Final = re.compile(
    r"verläng|\bextend|neue frist|new deadline|~~|geändert|changed|statt\b|instead|bisher|früher",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """A deadline.

    ``above``: the headings without the page's title. ``lead``: the sentence that leads to it. ``heads``: of
    the table's columns. ``dates``: spans in ``text``. ``last``: the last day, if the text gives its year.
    ``form``: it limits an act, something is due, or it is the end of a period; ``unknown`` texts may be about
    the same thing and are never certain.
    """

    above: tuple[str, ...]
    lead: str
    heads: str
    text: str
    dates: tuple[Span, ...]
    last: date | None
    form: Form
    is_certain: bool


@lru_cache(maxsize=CACHED_PAGES)
def page_deadlines(markdown: str, title: str) -> tuple[Deadline, ...]:
    """Return the deadlines in the content of a page with this ``title``, in text order."""
    if len(markdown) > READ_CHARACTERS:
        return ()
    return tuple(
        dict.fromkeys(each for block in first_blocks(markdown) for each in _of_block(block, markdown, title))
    )


def _of_block(block: Block, markdown: str, title: str) -> Iterator[Deadline]:
    above, lead, own = headings_above(block, title), shown(lead_of(block, markdown)), whole_of(block)
    start, end = (
        max(block.around[0], own[0] - NEAR_CHARACTERS),
        min(block.around[1], own[1] + NEAR_CHARACTERS),
    )
    is_doubtful = bool(_EXTENDED.search(markdown[start:end])) or has_date_mark(markdown[slice(*own)])
    told = (shown(each) for paragraph in told_sentences(block, markdown) for each in paragraph)
    sentences = [("", part, False) for each in told for part in each.split(PARTS)]
    for heads, text, is_headed in (*sentences, *_texts(block, markdown[slice(*own)], lead)):
        groups = day_groups(text) if len(text) <= MOST_CHARACTERS else []
        form = _form(text, groups[-1], is_headed) if groups else None
        if form is None:
            continue
        year = _year(text)
        days = resolved(text, groups[-1:], year) if year else None
        yield Deadline(
            above=above,
            lead=lead,
            heads=heads,
            text=text,
            dates=(_bold(text, groups[-1]),),
            last=days[-1][1] if days else None,
            form=form,
            is_certain=form != "unknown"
            and not is_doubtful
            and bool(days or not year)
            and bool(groups[-1].days),
        )


def _texts(block: Block, text: str, lead: str) -> Iterator[tuple[str, str, bool]]:
    """The items or rows of a block, each with the heads of its table, and True if such a head announces
    deadlines."""
    if block.kind == "table" and (table := read_table(text)):
        for row in table.rows:
            yield from _row_texts(row, table.header)
    elif block.kind == "list" and lead and (dates := _only_dates(text)):
        yield "", f"{lead} {', '.join(dates)}", False
    elif block.kind == "list":
        items = (shown(BULLET.sub("", text[slice(*item)])) for item in rows(text, "list"))
        yield from (("", part, False) for item in items for part in item.split(PARTS))


def _row_texts(row: Cells, header: Cells) -> Iterator[tuple[str, str, bool]]:
    """A row with one date as a whole; for a row with several, the cells whose head announces deadlines."""
    dated = [at for at, cell in enumerate(row) if day_groups(cell)]
    if len(dated) == 1:
        yield "\n".join(header), " – ".join(filter(None, row)), bool(_HEAD.search(header[dated[0]]))
        return
    label = ", ".join(cell for at, cell in enumerate(row) if cell and at not in dated)
    for at in dated:
        if _HEAD.search(header[at]):
            yield "", f"{label} – {header[at]}: {row[at]}", True


def _only_dates(text: str) -> list[str]:
    """The items of a list that has nothing but dates."""
    items = [shown(BULLET.sub("", text[start:end])) for start, end in rows(text, "list")]
    groups = [day_groups(item) for item in items]
    is_all = all(
        len(found) == 1 and found[0].end - found[0].start == len(item)
        for found, item in zip(groups, items, strict=True)
    )
    return items if is_all else []


def _form(text: str, group: DayGroup, is_headed: bool) -> Form | None:
    """The form in which a text states a deadline, or ``None`` if it states none."""
    told = _OPENING.sub("", f"{_marked(text[: group.start])}{DAYS}{text[group.end :]}")
    clause = next(each for each in _CLAUSES.split(told) if DAYS in each).strip(" .;!*")
    other: Form | None = "unknown" if is_headed or re.search(_LIMIT, told, re.IGNORECASE) else None
    if told.count(DAYS) != 1 or _DENIED.search(told.replace("no later", "")) or _FOR_SOME.search(told):
        return other
    is_one = len(group.days) == 1 and group.days[0].first == group.days[0].last
    if is_one and (is_headed or _LIMITS.fullmatch(clause)):
        return "limit"
    if _DUE.fullmatch(clause) or _INSTALMENTS.fullmatch(clause):
        return "due"
    return "range" if len(group.days) == 1 and not is_one and _RANGE.fullmatch(clause) else other


def _marked(text: str) -> str:
    """A text with a placeholder for each group of its days."""
    for group in reversed(day_groups(text)):
        text = f"{text[: group.start]}{DAYS}{text[group.end :]}"
    return text


def _bold(text: str, group: DayGroup) -> Span:
    """The span of the days, without a preposition before them or a full stop after them."""
    told = _PREPOSITION.sub("", text[group.start : group.end])
    point = _POINT.search(told)
    return group.end - len(told), group.end - bool(point)


def _year(text: str) -> int | None:
    years = set(YEAR.findall(text))
    told = "".join(years) if len(years) == 1 else ""
    return int(told) if told.isdigit() else None
