"""Lines of contacts: numbers, e-mail addresses, postal addresses and rooms, with the text before them. Pure
functions."""

import re
from dataclasses import dataclass
from typing import Final

from app.chat.text.render import contact_links

LINE_CHARACTERS: Final = 150
SHORT_WORDS: Final = 6
LABEL_CHARACTERS: Final = 40
TAIL_WORDS: Final = 4
PHONE_DIGITS: Final = 9
"""The fewest digits of a number, with its area code, that is surely that of a telephone."""

ROLE_WORDS: Final = 8
"""The most words after an e-mail address and a comma, which say whose it is."""

_LINK: Final = re.compile(r"\[([^\[\]\n]*)\]\(([^()\s]*)[^()\n]*\)|<([^<>\s]+@[^<>\s]+)>")
_WEB_LINK: Final = re.compile(r"\[[^\[\]\n]*\]\((?!tel:|mailto:)[^()\n]*\)")
_MARKUP: Final = re.compile(r"\*+|`+|\\|(?<![^\W_])_+|_+(?![^\W_])")
_NO_SPACE: Final = re.compile(r"(?<=\w)(?:\*{4}|_{4})(?=\w)|(?<=\))(?=\[)")
"""Between two emphases, or two links, that no space separates."""

_MARKER: Final = re.compile(r"^[ \t>]*(?:(?:[-*+:]|\d{1,9}[.)])[ \t]+)?")
DEFINITION: Final = re.compile(r"\n:[ \t]+(?=[^\n]*(?:\n[ \t]*\n|\n?\Z))")
"""Between a term and its definition, if that is one line."""

LABEL: Final = re.compile(
    r"(?:telefon|\btel\b|phone|\bfon\b|hotline|rufnummer|\bmobil|durchwahl|e-?mail|\bmail|\bcall\b)",
    re.IGNORECASE,
)
_GENERAL: Final = frozenset({
    "telefon", "telefonnummer", "telefonisch", "tel", "fon", "phone", "telephone", "textphone", "hotline",
    "rufnummer", "durchwahl", "mobil", "mobiltelefon", "handy", "fax", "telefax", "e", "mail", "email",
    "call", "zentrale", "zentrales", "zentraler", "nummer", "kontakt", "contact", "adresse", "address",
    "anschrift", "number", "main", "switchboard", "out", "of", "hours", "oder", "or", "und", "and", "unter",
    "at", "us", "web", "internet", "nr", "no",
})  # fmt: skip
"""Words of labels that do not say whose number it is."""

_OTHER_NUMBER: Final = re.compile(
    r"konto|iban|\bbic\b|\bblz\b|bank|nummer|number|\bnr\b|\bno\b|zeichen|fax|steuer|artikel|isbn|issn|postfach"
    r"|kennung|code|version|register|reference|preis|kosten|\bref\b|raum|zimmer|\broom\b|klasse"
    r"|\b(?:hat|haben|has|have|gilt|lautet|unter|seit|bis|ab|vom|am|since|until|from|on)\b"
    r"|^(?:der|die|das|the)\b",
    re.IGNORECASE,
)
"""In labels of other numbers than those of telephones, and in parts of sentences."""
_NO_NAME: Final = re.compile(r"\d|: |www\.")
_NO_ADDRESS: Final = re.compile(
    r"\b(?:tele)?fax\b|:(?:\s|$)|\buhr\b|^\(|^(?:mo|di|mi|do|fr|mon|tues?|wed|thu|fri|daily|täglich)\b",
    re.IGNORECASE,
)
_FAX: Final = re.compile(r"\b(?:tele)?fax\b", re.IGNORECASE)
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
_BRACKETS: Final = re.compile(r"\([^()]*\)")
_NUMBER_END: Final = re.compile(r"\d[ /()–-]*$")
_WORD: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a contact. ``label``: the text before its number or e-mail address."""

    text: str
    label: str = ""
    phone: str = ""
    mail: str = ""
    address: str = ""
    room: str = ""

    @property
    def is_contact(self) -> bool:
        """True if the line has contact data."""
        return bool(self.phone or self.mail or self.address or self.room)

    @property
    def begins_with_name(self) -> bool:
        """True if the line begins with a name, as "Helpline: 0800 …" does, but not "Phone, office: …"."""
        words = _WORD.findall(self.label)
        return not self.is_contact or (bool(words) and words[0] not in _GENERAL)

    @property
    def has_name(self) -> bool:
        """True if the line says whose contact it is."""
        text = _BRACKETS.sub("", self.text)
        name, comma, _ = text.partition(",")
        words = name if self.address and comma else self.label if self.is_contact else text
        return not any(map(str.isdigit, words)) and not _GENERAL.issuperset(_WORD.findall(words.casefold()))

    @property
    def is_whole(self) -> bool:
        """True if the line has a number and says whose it is: "Jagdrecht: Herr Bohne, Telefon 123"."""
        return bool(self.phone) and self.text.casefold().find(self.label) > 0


def read_lines(paragraph: str) -> list[Line]:
    """Return the lines of a paragraph, if some are contact data and the others are short names; empty if it
    has sentences."""
    told = DEFINITION.sub(": ", paragraph)
    written = [(raw, text) for raw in told.splitlines() if (text := plain_line(raw))]
    read = [_shown_line(raw, text) for raw, text in written]
    is_plain = all(line.is_contact or _is_name(line.text) for line in read) and "|" not in paragraph
    return read if is_plain and any(line.is_contact for line in read) else []


def _shown_line(markdown: str, text: str) -> Line:
    """The contact data of a line, but no street that is the title of a linked page."""
    line = read_line(text)
    is_link = _WEB_LINK.fullmatch(_MARKER.sub("", markdown).strip())
    return Line(text) if is_link and line.address and not POSTAL.search(text) else line


def name_of(paragraph: str) -> str:
    """Return the name that a paragraph consists of; empty if it is no name."""
    text = plain_line(paragraph)
    is_name = "\n" not in paragraph.strip() and _is_name(text) and not _NO_NAME.search(text.rstrip(": "))
    return text if is_name and Line(text).has_name else ""


def is_cut_off(paragraph: str) -> bool:
    """Return True for a short line that may belong to a contact but is not understood, such as a town with an
    incomplete postal code."""
    text = plain_line(paragraph)
    is_short = "\n" not in paragraph.strip() and _is_name(text) and not _FAX.search(text)
    return is_short and bool(re.match(r"\d+\s[A-ZÄÖÜ][^\W\d_]+", text))


def plain_line(markdown: str) -> str:
    """Return a line without the markup of items, links and emphasis."""
    shown = _LINK.sub(_shown, _NO_SPACE.sub(" ", _MARKER.sub("", markdown)))
    return " ".join(_MARKUP.sub("", shown).split())


def _shown(link: re.Match[str]) -> str:
    """The text of a link, or its e-mail address if the text does not show one."""
    text, target = link[1] or link[3], link[2] or ""
    scheme, _, value = target.partition(":")
    is_hidden = scheme.lower() == "mailto" and "@" not in text
    return value.partition("?")[0] if is_hidden else text


def read_line(text: str) -> Line:
    """Return the contact data of a line, if it has nothing else but names."""
    values, room = values_in(text), _ROOM.search(text)
    if len(text) > LINE_CHARACTERS or any(_is_torn(text, start) for start, *_ in values):
        return Line(text)
    is_address = is_postal(text)
    first = min((start for start, *_ in values), default=len(text))
    *before, label = (piece.strip(" :.–-") for piece in _BETWEEN.split(text[:first]))
    names = [name for piece in before for name in piece.split(": ")]
    is_named = all(_is_short(name) and not is_postal(name) for name in names)
    if values and not is_address and not (is_named and _is_labelled(label, text, values[-1])):
        return Line(text)
    phones = [text[start:end] for start, end, href in values if href.startswith("tel:")]
    mails = [text[start:end] for start, end, href in values if href.startswith("mailto:")]
    return Line(
        text,
        label=label.casefold() if values else "",
        phone="".join(phones[:1]),
        mail="".join(mails[:1]),
        address=text if is_address and not values else "",
        room=room[0] if room and (is_address or _is_short(text)) else "",
    )


def values_in(text: str) -> list[tuple[int, int, str]]:
    """Return start, end and URL of the numbers and e-mail addresses in a line, but not of a postal code or
    house number."""
    is_town = POSTAL.search(text) and "@" not in text and not LABEL.search(text)
    return [] if is_town else list(contact_links(text))


def _is_torn(text: str, start: int) -> bool:
    """Return True if a number or e-mail address begins with digits that may belong to a number before it."""
    return bool(
        text[start].isdigit() and "@" in text[start:].partition(" ")[0] and _NUMBER_END.search(text[:start])
    )


def _is_labelled(label: str, text: str, last: tuple[int, int, str]) -> bool:
    """Return True for a line with nothing but numbers or e-mail addresses, of which this is the ``last``, and
    perhaps a label."""
    start, end, href = last
    after = _BRACKETS.sub("", text[end:])
    is_role = href.startswith("mailto:") and after.startswith(",") and not _SENTENCE.search(after)
    is_label = not label or (
        len(label) <= LABEL_CHARACTERS
        and len(label.split()) <= SHORT_WORDS
        and (
            bool(LABEL.search(label))
            or (not after.strip() and _is_name_of_number(text[:start], text[start:end]))
        )
    )
    most = ROLE_WORDS if is_role else TAIL_WORDS
    return is_label and len(after.split()) <= most and not _SENTENCE.search(label)


def _is_name_of_number(before: str, number: str) -> bool:
    """Return True for a name before a number that is surely that of a telephone: "Enquiries 020 7946 …"."""
    is_phone = number.lstrip("(").startswith(("0", "+")) and sum(map(str.isdigit, number)) >= PHONE_DIGITS
    return is_phone and not any(map(str.isdigit, before)) and not _OTHER_NUMBER.search(before)


def is_postal(text: str) -> bool:
    """Return True for a line with a postal code or a street and house number, and nothing else but names."""
    is_found = bool(POSTAL.search(text) or _STREET.search(text))
    pieces = [piece.split() for piece in text.split(",")]
    is_short = all(len(piece) <= SHORT_WORDS for piece in pieces)
    return is_found and is_short and not _SENTENCE.search(text)


def _is_short(text: str) -> bool:
    """Return True for a name, a street without a number, or words that lead to a contact."""
    return len(text.split()) <= SHORT_WORDS and not _SENTENCE.search(text)


def _is_name(text: str) -> bool:
    return _is_short(text) and not values_in(text)


def postal_address(lines: list[str]) -> str:
    """Return the lines of a postal address without the label or name at their beginning, and without lines
    that say something else, such as a fax number; empty if no line has a street or a postal code."""
    if not any(map(is_postal, lines)):
        return ""
    first, *more = lines
    told = [re.sub(r"^[^\d:,]+:\s", "", first), *(each for each in more if not _NO_ADDRESS.search(each))]
    name, comma, rest = told[0].partition(",")
    is_named = not any(map(str.isdigit, name)) and (comma or len(told) > 1)
    kept = (rest, *told[1:]) if is_named else told
    return ", ".join(filter(None, (line.strip(" ,") for line in kept)))
