"""Contacts of offices in lines of their own on a page: address, telephone number, e-mail address, room.

Lines are shown as they stand. Contact data in sentences is left to the visitor. In doubt there is no contact.
Pure functions.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from app.chat.text.render import contact_links
from app.features.facts.block_texts import headings_above
from app.features.facts.pipe_tables import Cells, read_cells
from ingest.blocks import Block, Span, blocks

CACHED_PAGES: Final = 64
READ_CHARACTERS: Final = 50_000
"""The part of a page that is read, which takes a second or two in the worst case."""

MOST_LINES: Final = 8
LINE_CHARACTERS: Final = 150
SHORT_WORDS: Final = 6
LABEL_CHARACTERS: Final = 40
TAIL_WORDS: Final = 4

_LINK: Final = re.compile(r"\[([^\[\]\n]*)\]\(([^()\s]*)[^()\n]*\)|<([^<>\s]+@[^<>\s]+)>")
_MARKUP: Final = re.compile(r"\*+|`+|\\|(?<![^\W_])_+|_+(?![^\W_])")
_PARAGRAPH: Final = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])")
_MARKER: Final = re.compile(r"^[ \t>]*(?:(?:[-*+:]|\d{1,9}[.)])[ \t]+)?")
_DEFINITION: Final = re.compile(r"\n:[ \t]+(?=[^\n]*(?:\n[ \t]*\n|\n?\Z))")
"""Between a term and its definition, if that is one line."""

_ITEM: Final = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]")
_GENERIC: Final = re.compile(
    r"(?:ihre? |unsere? |our |your )?(?:kontakt\w*|ansprech(?:partner|person|stelle)\w*|adressen?|anschrift"
    r"|erreichbarkeit|zuständig\w*(?: stellen?| behörden?)?|so erreichen sie uns|so finden sie uns"
    r"|contacts?(?: us| details| information)?|address|(?:get|getting) in touch"
    r"|how to (?:reach|contact|find) us"
    r"|responsible (?:office|authority))(?: (?:und|and) [\w-]+)?:?",
    re.IGNORECASE,
)
"""Headings that say nothing but that a contact follows."""

_LABEL: Final = re.compile(
    r"(?:telefon|\btel\b|phone|\bfon\b|hotline|rufnummer|\bmobil|durchwahl|e-?mail|\bmail|\bcall\b)",
    re.IGNORECASE,
)
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
_BETWEEN: Final = re.compile(r"[,;·|–][ \t]+")
_ROOM: Final = re.compile(
    r"\b(?:Zimmer|Zi\.|Raum|[Rr]oom)(?:[- ]?(?:Nr\.?|Nummer|number|no\.?))?:? ?([A-Z]?[\d.]+ ?[a-z]?\b)"
)
POSTAL: Final = re.compile(r"(?<!\d)\d{5} +[A-ZÄÖÜ][\w.-]+|\b[A-Z]{1,2}\d[\dA-Z]? ?\d[A-Z]{2}\b")
_STREET: Final = re.compile(
    r"\w*(?:stra(?:ß|ss)e|str\.|platz|weg|allee|gasse|\bring|ufer|damm|\bmarkt) \d+"
    r"|\b\d+[a-z]?,? (?:[A-Z]\w+ )+(?:Street|Road|Lane|Avenue|Square|Way)\b",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(
    r"\b(?:sie|uns|wir|ihnen|you|we|our|us|ist|is|are|sind|bitte|please|wird|werden|kann|können|can|will|oder"
    r"|or|siehe|see)\b|[.!?;]$|\d \w+ \(pdf",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """A contact of an office.

    * ``heading``: the one above it; empty if there is none or it says only that this is a contact
    * ``above``: all headings
    * ``lines``: the page's words, without markup
    * ``phone``, ``mail``, ``address``, ``room``: taken from the lines; empty if missing
    * ``is_one_of_several``: its section has others
    * ``span``: in characters of the page's content
    * ``is_stated``: it is in JSON-LD only, which many websites repeat on all pages
    """

    lines: tuple[str, ...]
    heading: str = ""
    above: tuple[str, ...] = ()
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
                is_named = _OFFICE.search(f"{self.heading} {self.name}") or any(
                    map(_PERSON.search, self.lines)
                )
                return bool(is_named) and (is_reached or bool(self.address))
            case "phone" | "mail" | "address" | "room":
                return bool(getattr(self, wanted))
            case _:
                return is_reached

    @property
    def name(self) -> str:
        """The name of the office: the first line up to a comma; empty if that has a digit, a number or a
        label."""
        first = self.lines[0].partition(",")[0]
        return "" if _values(first) or any(map(str.isdigit, first)) or _LABEL.match(first) else first


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a contact. ``label``: the text before its number or e-mail address."""

    text: str
    label: str = ""
    phone: str = ""
    mail: str = ""
    address: str = ""
    room: str = ""

    @property
    def is_contact(self) -> bool:
        return bool(self.phone or self.mail or self.address or self.room)


@lru_cache(maxsize=CACHED_PAGES)
def page_contacts(markdown: str, title: str) -> tuple[Contact, ...]:
    """Return the contacts in the content of a page with this ``title``, in text order. Of a long page only
    the beginning is read."""
    markdown = markdown[:READ_CHARACTERS]
    found: list[Contact] = []
    for around, block in {each.around: each for each in blocks(markdown)}.items():
        headings = headings_above(block, title)
        own = "".join(headings[-1:]) if block.headings[-1:] == headings[-1:] else ""
        heading = "" if _GENERIC.fullmatch(own) else own
        found += (
            replace(each, heading=heading, above=headings) for each in _section(markdown, around, block)
        )
    return tuple(found)


def _section(markdown: str, around: Span, block: Block) -> Iterator[Contact]:
    """The contacts between two headings: one that has all lines, otherwise one for each paragraph, item or
    row."""
    parts = [lines for span in _paragraphs(markdown, around) if (lines := _lines(markdown[slice(*span)]))]
    joined = [line for lines in parts for line in lines]
    whole = _contact(joined, around) if sum(not lines[0].is_contact for lines in parts) < 2 else None
    if whole:
        yield replace(whole, is_one_of_several=_has_others(markdown[slice(*around)], whole))
        return
    for span in _paragraphs(markdown, around):
        lines = _lines(markdown[slice(*span)])
        part = _contact(lines, span)
        own = [part] if part or not all(map(_is_whole, lines)) else [_contact([line], span) for line in lines]
        yield from (replace(each, is_one_of_several=True) for each in own if each)
    yield from _rows(markdown, around)


def _has_others(section: str, contact: Contact) -> bool:
    """Return True if a section has numbers, e-mail addresses or list items that are not part of the
    contact."""
    lines = [plain_line(line) for line in _DEFINITION.sub(": ", section).splitlines()]
    others = [line for line in lines if line not in contact.lines]
    items = [plain_line(line) for line in section.splitlines() if _ITEM.match(line)]
    return any(map(_values, others)) or not set(items) <= set(contact.lines)


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
                yield replace(found, is_one_of_several=True)
        header = header if line.lstrip().startswith("|") else ()


def _cell(head: str, cell: str) -> _Line:
    """A cell as a line. The head of its column is put first if the cell is a bare number, such as a room, or
    names a deputy."""
    read = _line(cell)
    if _DEPUTY.search(head):
        return _line(f"{head}: {cell}")
    return read if read.is_contact or any(map(str.isalpha, cell)) else _line(f"{head} {cell}")


def _paragraphs(markdown: str, around: Span) -> Iterator[Span]:
    start, end = around
    for gap in (*_PARAGRAPH.finditer(markdown, start, end), None):
        stop = gap.start() if gap else end
        if markdown[start:stop].strip():
            yield start, stop
        start = gap.end() if gap else end


def _lines(paragraph: str) -> list[_Line]:
    """The lines of a paragraph, if some are contact data and the others are short names; empty if it has
    sentences."""
    told = _DEFINITION.sub(": ", paragraph)
    written = [text for line in told.splitlines() if (text := plain_line(line))]
    read = [_line(text) for text in written]
    is_plain = all(line.is_contact or _is_name(line.text) for line in read) and "|" not in paragraph
    return read if is_plain and any(line.is_contact for line in read) else []


def plain_line(markdown: str) -> str:
    """Return a line without the markup of items, links and emphasis."""
    shown = _LINK.sub(_shown, _MARKER.sub("", markdown))
    return " ".join(_MARKUP.sub("", shown).split())


def _shown(link: re.Match[str]) -> str:
    """The text of a link, or its e-mail address if the text does not show one."""
    text, target = link[1] or link[3], link[2] or ""
    scheme, _, value = target.partition(":")
    is_hidden = scheme.lower() == "mailto" and "@" not in text
    return value.partition("?")[0] if is_hidden else text


def _line(text: str) -> _Line:
    if len(text) > LINE_CHARACTERS:
        return _Line(text)
    values, room = _values(text), _ROOM.search(text)
    is_address = _is_address(text)
    first = min((start for start, *_ in values), default=len(text))
    *before, label = (piece.strip(" :.–-") for piece in _BETWEEN.split(text[:first]))
    names = [name for piece in before for name in piece.split(": ")]
    is_named = all(_is_short(name) and not _is_address(name) for name in names)
    is_labelled = _is_labelled(label, text, values) and is_named
    if values and not is_address and not is_labelled:
        return _Line(text)
    phones = [text[start:end] for start, end, href in values if href.startswith("tel:")]
    mails = [text[start:end] for start, end, href in values if href.startswith("mailto:")]
    return _Line(
        text,
        label=label.casefold() if values else "",
        phone="".join(phones[:1]),
        mail="".join(mails[:1]),
        address=text if is_address and not values else "",
        room=room[0] if room and (is_address or _is_short(text)) else "",
    )


def _values(text: str) -> list[tuple[int, int, str]]:
    """The numbers and e-mail addresses in a line, but not a postal code or house number."""
    is_town = POSTAL.search(text) and "@" not in text and not _LABEL.search(text)
    return [] if is_town else list(contact_links(text))


def _is_labelled(label: str, text: str, values: list[tuple[int, int, str]]) -> bool:
    """Return True for a line with nothing but numbers or e-mail addresses, perhaps with a label."""
    after = re.sub(r"\([^()]*\)", "", text[values[-1][1] :] if values else "").split()
    is_label = not label or (
        len(label) <= LABEL_CHARACTERS and len(label.split()) <= SHORT_WORDS and bool(_LABEL.search(label))
    )
    return is_label and len(after) <= TAIL_WORDS and not _SENTENCE.search(label)


def _is_address(text: str) -> bool:
    is_found = bool(POSTAL.search(text) or _STREET.search(text))
    pieces = [piece.split() for piece in text.split(",")]
    is_short = all(len(piece) <= SHORT_WORDS for piece in pieces)
    return is_found and is_short and not _SENTENCE.search(text)


def _is_short(text: str) -> bool:
    """Return True for a name, a street without a number, or words that lead to a contact."""
    return len(text.split()) <= SHORT_WORDS and not _SENTENCE.search(text)


def _is_name(text: str) -> bool:
    return _is_short(text) and not _values(text)


def _is_whole(line: _Line) -> bool:
    """Return True for a line that says whose number it has: "Jagdrecht: Herr Bohne, Telefon 123"."""
    return bool(line.phone) and line.text.casefold().find(line.label) > 0


def _contact(lines: Iterable[_Line], span: Span) -> Contact | None:
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
        address=_address([line.text for line in read if not (line.phone or line.mail)]) if addresses else "",
        room="".join(rooms),
        span=span,
    )


def _address(lines: list[str]) -> str:
    """The lines without the label or name at their beginning."""
    lines = [re.sub(r"^[^\d:,]+:\s", "", lines[0]), *lines[1:]]
    name, comma, rest = lines[0].partition(",")
    is_named = not any(map(str.isdigit, name)) and (comma or len(lines) > 1)
    return ", ".join(filter(None, (rest.strip(), *lines[1:]) if is_named else lines))
