"""Contacts of offices in lines of their own on a page: address, telephone number, e-mail address, room.

Lines are shown as they stand. Contact data in sentences is left to the visitor. In doubt there is no contact.
Pure functions.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, NamedTuple

from app.features.facts.block_texts import headings_above
from app.features.facts.captions import (
    CONTACT_HEADING,
    ITEM,
    lead_of_contact,
    named_spans,
    names_nothing,
    paragraphs,
)
from app.features.facts.contact_lines import (
    DEFINITION,
    LABEL,
    POSTAL,
    Line,
    is_cut_off,
    name_of,
    plain_line,
    postal_address,
    read_line,
    read_lines,
    values_in,
)
from app.features.facts.pipe_tables import Cells, read_cells
from ingest.blocks import Span, blocks

CACHED_PAGES: Final = 64
READ_CHARACTERS: Final = 50_000
"""The part of a page that is read, which takes a second or two in the worst case."""

MOST_LINES: Final = 8

_OFFICE: Final = re.compile(
    r"amt\b|büro|stelle\b|behörde|verwaltung|dienst|bauhof|beratung|zentrum|rathaus|team|abteilung|sachgebiet"
    r"|referat|wache\b|office|department|council|desk|service|unit\b|agency|authority|centre|ministry|registry",
    re.IGNORECASE,
)
_PERSON: Final = re.compile(
    r"(?:^|: )(?:Frau|Herrn?|Dr\.|Mrs?|Ms|Ansprech(?:partner|person)\w*|Sachbearbeit\w*|Leit(?:ung|er|erin)"
    r"|[Cc]ontact person)\b"
)
_DEPUTY: Final = re.compile(r"vertret|deput|substitut", re.IGNORECASE)
_PLACE: Final = re.compile(
    r"(?:\w*adresse|\w*anschrift|\w*standort|sitz|lage|ort|(?:\w+ )?address|location|so finden sie)\b",
    re.IGNORECASE,
)
"""Begins a line or heading that announces where something is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """A contact of an office.

    * ``heading``: the line in bold or else the heading above it; empty if there is none or it names nothing
    * ``above``: all headings, and the line in bold
    * ``lead``: the sentence that leads to it, if it says whose contact this is
    * ``lines``: the page's words, without markup
    * ``phone``, ``mail``, ``address``, ``room``: taken from the lines; empty if missing
    * ``is_one_of_several``: its section has others
    * ``span``: in characters of the page's content
    * ``is_stated``: it is in JSON-LD only, which many websites repeat on all pages
    """

    lines: tuple[str, ...]
    heading: str = ""
    above: tuple[str, ...] = ()
    lead: str = ""
    phone: str = ""
    mail: str = ""
    address: str = ""
    room: str = ""
    is_one_of_several: bool = False
    span: Span = (0, 0)
    is_stated: bool = False

    def answers(self, wanted: str) -> bool:
        """Return True if it has what a question wants to know.

        ``wanted``: ``phone``, ``mail``, ``address``, ``room``, or ``name`` for an office or a person;
        anything else asks for a telephone number or an e-mail address.
        """
        is_reached = bool(self.phone or self.mail)
        match wanted:
            case "name":
                is_person = any(map(_PERSON.search, (self.heading, *self.lines)))
                is_named = is_person or _OFFICE.search(f"{self.heading} {self.name}")
                return bool(is_named) and (is_reached or bool(self.address))
            case "phone" | "mail" | "address" | "room":
                return bool(getattr(self, wanted))
            case _:
                return is_reached

    @property
    def has_own_name(self) -> bool:
        """True if its lines say whose contact it is."""
        return any(read_line(line).has_name for line in self.lines)

    @property
    def name(self) -> str:
        """The name of the office: the first line up to a comma; empty if that has a digit, a number or a
        label."""
        first = self.lines[0].partition(",")[0]
        return "" if values_in(first) or any(map(str.isdigit, first)) or LABEL.match(first) else first


@lru_cache(maxsize=CACHED_PAGES)
def page_contacts(markdown: str, title: str) -> tuple[Contact, ...]:
    """Return the contacts in the content of a page with this ``title``, in text order. Of a long page only
    the beginning is read."""
    markdown = markdown[:READ_CHARACTERS]
    found: list[Contact] = []
    for around, block in {each.around: each for each in blocks(markdown)}.items():
        headings = headings_above(block, title)
        own = "".join(headings[-1:]) if block.headings[-1:] == headings[-1:] else ""
        for span, bold in _named_spans(markdown, around, own):
            found += _section(markdown, span, _Above(headings, own, bold))
    return tuple(found)


def _named_spans(markdown: str, around: Span, heading: str) -> list[tuple[Span, str]]:
    """The parts of a section below lines in bold. A single one below a heading such as "Contact" names the
    page's contact, so that it is one of its lines."""
    found = list(named_spans(markdown, around))
    is_general = not heading or CONTACT_HEADING.fullmatch(heading)
    return [(around, "")] if is_general and sum(bool(name) for _, name in found) == 1 else found


class _Above(NamedTuple):
    """What stands above a contact: all ``headings``; its ``own`` one, if that is not the page's title; and a
    line in ``bold``."""

    headings: tuple[str, ...]
    own: str
    bold: str

    def put(self, contact: Contact, *, is_next: bool) -> Contact:
        """Return a contact with what is above it. A line in bold counts if no text is between them
        (``is_next``), or if nothing else names the contact."""
        bold = self.bold if is_next or not (contact.lead or contact.has_own_name) else ""
        above = (*self.headings, bold) if bold else self.headings
        return replace(contact, heading=bold or self.own, above=above)


def _is_fact(contact: Contact) -> bool:
    """Return True unless nothing says whose contact it is, or it may be no more than the name of a street."""
    is_named = contact.lead or contact.has_own_name or not names_nothing(contact.heading)
    is_reached = contact.phone or contact.mail or contact.room or POSTAL.search(contact.address)
    is_place = contact.has_own_name or any(map(_PLACE.match, (contact.heading, *contact.lines)))
    return bool(is_named and (is_reached or is_place))


class _Part(NamedTuple):
    """The lines of a paragraph, item or row, with the name in the line above it if it has none of its own."""

    span: Span
    lines: list[Line]

    def below(self, name: tuple[Span, str] | None) -> "_Part":
        """Return the part with a name above it, if there is one."""
        return _Part((name[0][0], self.span[1]), [Line(name[1]), *self.lines]) if name else self


@dataclass(slots=True)
class _Group:
    """Parts below the same ``lead``. ``is_cut_off``: a line between them is not understood."""

    lead: str = ""
    parts: list[_Part] = field(default_factory=list)
    is_cut_off: bool = False

    @property
    def start(self) -> int:
        """The offset of the first part; 0 if there is none."""
        return self.parts[0].span[0] if self.parts else 0

    def contacts(self) -> list[Contact]:
        """Return one contact with all lines, or else one for each part or line."""
        if self.is_cut_off or not self.parts:
            return []
        names = sum(part.lines[0].begins_with_name for part in self.parts)
        span = self.start, self.parts[-1].span[1]
        whole = _contact((line for part in self.parts for line in part.lines), span) if names < 2 else None
        told = [whole] if whole else [each for part in self.parts for each in _contacts_of(part)]
        return [replace(each, lead=self.lead) for each in told]


def _section(markdown: str, around: Span, above: _Above) -> list[Contact]:
    """The contacts between two headings or lines in bold."""
    found: list[Contact] = []
    for group in _groups(markdown, around):
        is_next = not markdown[around[0] : group.start].strip()
        found += [above.put(each, is_next=is_next) for each in group.contacts()]
    found += [above.put(each, is_next=False) for each in _rows(markdown, around)]
    is_one_of_several = len(found) > 1 or any(_has_others(markdown[slice(*around)], each) for each in found)
    return [
        replace(each, heading=_shown_heading(each.heading), is_one_of_several=is_one_of_several)
        for each in found
        if _is_fact(each)
    ]


def _shown_heading(heading: str) -> str:
    return "" if CONTACT_HEADING.fullmatch(heading) or names_nothing(heading) else heading


def _groups(markdown: str, around: Span) -> Iterator[_Group]:
    """The parts with contact data, grouped by the sentences that lead to them."""
    group, name, was_item = _Group(), None, False
    for start, end in paragraphs(markdown, around):
        text = markdown[start:end]
        is_item = bool(ITEM.match(text))
        lines, lead, title = read_lines(text), lead_of_contact(text), name_of(text)
        is_over = group.lead and not is_item and (was_item or not (lines or title))
        if (lead and not lines) or is_over:
            yield group
            group = _Group("" if lines else lead)
        if lines:
            is_unnamed = lines[0].is_contact and not lines[0].has_name
            group.parts.append(_Part((start, end), lines).below(name if is_unnamed else None))
        group.is_cut_off |= bool(group.parts and not lines) and is_cut_off(text)
        name = ((start, end), title) if title and not (lines or _is_label(title)) else None
        was_item = is_item
    yield group


def _contacts_of(part: _Part) -> list[Contact]:
    if contact := _contact(part.lines, part.span):
        return [contact]
    each_whole = part.lines if all(line.is_whole for line in part.lines) else []
    return [contact for line in each_whole if (contact := _contact([line], part.span))]


def _has_others(section: str, contact: Contact) -> bool:
    """Return True if a section has numbers, e-mail addresses or list items that are not part of the
    contact."""
    lines = [plain_line(line) for line in DEFINITION.sub(": ", section).splitlines()]
    others = [line for line in lines if line not in contact.lines]
    items = [plain_line(line) for line in section.splitlines() if ITEM.match(line)]
    return any(map(values_in, others)) or not set(items) <= set(contact.lines)


def _rows(markdown: str, around: Span) -> Iterator[Contact]:
    """The contacts in rows of a table that have a number or an address in a cell of its own."""
    start = around[0]
    header: Cells = ()
    for line in markdown[slice(*around)].splitlines(keepends=True):
        span = start, start + len(line)
        start = span[1]
        for row in read_cells([line]):
            if not header:
                header = row
                continue
            read = [_cell(head, cell) for head, cell in zip(header, row, strict=False) if cell]
            if len(read) > 1 and not read[0].is_contact and (found := _contact(read, span)):
                yield found
        header = header if line.lstrip().startswith("|") else ()


def _cell(head: str, cell: str) -> Line:
    """A cell as a line. The head of its column is put first if the cell is a bare number, such as a room, or
    names a deputy."""
    read = read_line(cell)
    if _DEPUTY.search(head):
        return read_line(f"{head}: {cell}")
    return read if read.is_contact or any(map(str.isalpha, cell)) else read_line(f"{head} {cell}")


def _is_label(name: str) -> bool:
    """Return True for a line that announces a contact or something else, and is not its name."""
    return bool(CONTACT_HEADING.fullmatch(name)) or names_nothing(name) or bool(_PLACE.match(name))


def _contact(lines: Iterable[Line], span: Span) -> Contact | None:
    """The contact in these lines, or ``None`` if they belong to several contacts or have no contact data."""
    read = list(lines)
    labels = [(line.label, bool(line.mail)) for line in read if line.phone or line.mail]
    addresses = [line.address for line in read if line.address]
    rooms = {line.room for line in read if line.room}
    is_one = len(labels) == len(set(labels)) and len(addresses) < 3 and len(rooms) < 2
    if not is_one or not 0 < len(read) <= MOST_LINES or not any(line.is_contact for line in read):
        return None
    return Contact(
        lines=tuple(line.text for line in read),
        phone=next((line.phone for line in read if line.phone), ""),
        mail=next((line.mail for line in read if line.mail), ""),
        address=postal_address([line.text for line in read if not (line.phone or line.mail)])
        if addresses
        else "",
        room="".join(rooms),
        span=span,
    )
