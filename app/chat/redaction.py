"""Redacts e-mail addresses, phone numbers and IBANs in what visitors write.

Phone numbers are recognised by their form: with ``+`` or ``00``, with the ``0`` or the parentheses of an area
code, in North America's grouping, or after a word such as "Tel.". The area code need not exist: a mistyped
number is just as personal. Other numbers that begin with a zero (dates, hours, postcodes, prices, file
numbers) are matched first, and kept. docs/adr/0022 compares this with ``phonenumbers`` and ``python-stdnum``.

The text is matched from left to right, word by word and number by number, so that no phone number begins
inside another number. Phone numbers with only spaces and slashes between them become one marker.

What is matched is the text in a plain spelling, character for character: full-width letters and signs, digits
of any script and blanks of any width count as those of ASCII.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Final

from ingest.text import visible

E_MAIL: Final = "[e-mail]"
PHONE: Final = "[tel.]"
IBAN: Final = "[IBAN]"

NATIONAL_DIGITS: Final = 7
INTERNATIONAL_DIGITS: Final = 8
LABELLED_DIGITS: Final = 6
"""The fewest digits of a phone number."""

_IBAN_LENGTHS: Final = {
    country: int(length)
    for country, length in re.findall(
        r"([A-Z]{2})([0-9]{2})",
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 "
        "EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 "
        "IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 "
        "NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 "
        "SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30",
    )
}
"""Characters by country (SWIFT, IBAN Registry)."""

_IBAN_GAP: Final = r"[\s._/,:;|·‐‑‒–—-]{0,3}"
_IBAN_START: Final = re.compile(rf"(?<![^\W_])[A-Z]{{2}}(?={_IBAN_GAP}[0-9]{_IBAN_GAP}[0-9])", re.I | re.A)
_IBANS: Final = {
    length: re.compile(rf"(?:[A-Z0-9]{_IBAN_GAP}){{{length - 1}}}[A-Z0-9](?![^\W_])", re.I | re.A)
    for length in set(_IBAN_LENGTHS.values())
}
_IBAN_DIGITS: Final = 10
"""The fewest digits of an IBAN: sentences that begin with "no 12" hold fewer."""

_SPACE: Final = r"[^\S\n]"
_GAP: Final = rf"(?:{_SPACE}{{0,3}}[-‐‑‒–−·/.]?{_SPACE}{{0,3}})"
_GROUPS: Final = rf"(?:{_GAP}\(?[0-9]++(?!\w)\)?)*+"
_DAY: Final = r"(?:0?[1-9]|[12][0-9]|3[01])"
_MONTH: Final = r"(?:0?[1-9]|1[0-2])"
_YEAR: Final = r"(?:19|20)[0-9]{2}"
_LABEL: Final = (
    r"(?:tel(?:efon|ephone)?|(?:tele)?fax|phone|handy|mobile?|whatsapp|ruf|durchwahl)"
    r"(?:-?nummer|-?nr|\ (?:number|no))?\.?:?(?:\s(?:ist|is|lautet))?:?\s?(?<=[\s:.])"
)

_HOST: Final = r"(?:\[(?:ipv6:)?[0-9a-f.:]{3,45}\]|[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w.]))"
_E_MAIL: Final = re.compile(
    rf"""
    (?:
        (?:\w[\w.+'&%-]{{0,63}}|"[^"\n]{{1,64}}")
        \s{{0,3}}(?:@|[\[({{]\s?[aä]t\s?[\])}}])\s{{0,3}}
        (?:
            (?:[\w-]{{1,63}}(?:\.|\s{{1,3}}\.\s{{0,3}}|\s?[\[({{]\s?(?:dot|punkt)\s?[\])}}]\s?))+
            [^\W\d_][\w-]*\w
          | {_HOST}
        )
      | \w[\w.+'&%-]{{1,63}}@[^\W\d_][\w-]*\w
      | "[^"\n]{{1,64}}"@\w[\w-]*
    )
    """,
    re.I | re.X,
)

_WORD_OR_NUMBER: Final = re.compile(
    rf"""
    (?:https?://|www\.)[^\s@]*+(?!@)
  | {_DAY}\.\s?(?:[-–]\s?{_DAY}\.\s?)?{_MONTH}\.(?:\s?[0-9]{{4}}|\s?[0-9]{{2}})?(?![0-9]|\.[0-9])
  | {_DAY}(?P<between>[/-]){_MONTH}(?P=between)(?:[0-9]{{4}}|[0-9]{{2}})(?![0-9]|[-/.][0-9])
  | {_MONTH}/[0-9]{{2}}\s{_YEAR}(?![0-9])
  | (?:[01]?[0-9]|2[0-4])[.:][0-5][0-9](?![0-9]|[.:][0-9])
  | [0-9]{{4}}\s?[-–]\s?[0-9]{{4}}\s(?:uhr|hours|hrs)\b
  | IS[BS]N(?:-1[03])?:?\s?[0-9][0-9\s-]*+X?
  | 0[0-9]{{4}}\s?[-–/]\s?0[0-9]{{4}}(?![0-9])
  | [0-9]{{1,4}}/{_YEAR}(?!{_GAP}[0-9])
  | 0[.,][0-9]++(?![.,]?[0-9])
  | (?P<labelled>{_LABEL}(?!116)(?P<local>[1-9][0-9]*+(?!\w){_GROUPS}))
  | (?P<international>\(?(?:\+{{1,2}}+{_SPACE}?|00{_SPACE}?)(?=[1-9])[0-9]++(?!\w)\)?{_GROUPS})
  | (?P<national>
        \(?0{_SPACE}?(?=[1-9])[0-9]++(?!\w)\)?{_GROUPS}
      | (?:\([0-9]{{3}}\){_SPACE}?|[0-9]{{3}}-)[0-9]{{3}}[-.\ ][0-9]{{4}}(?![\w-])
    )
  | [^\W\d]++(?!\w)
  | \w++(?:[-./][0-9]\w*+)*+
    """,
    re.I | re.X,
)


_FULL_WIDTH: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0xFE6B: ord("@")}
_FOREIGN_DIGIT: Final = re.compile(r"(?![0-9])\d")
_BLANK: Final = re.compile(r"[^\S\n]")

_Finding = tuple[int, int, str]
"""Start, end and the text in its place."""


def redacted(text: str) -> str:
    """``text`` with a marker in place of each e-mail address, phone number and IBAN.

    Invisible characters are removed first, as copied numbers may contain some.
    """
    text = visible(text)
    for find in (_e_mails, _ibans, _phones):
        text = _replaced(text, find)
    return text


def phone_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each phone number in ``text``; digits of an IBAN are none."""
    plain = _plain(text)
    ibans = [(start, end) for start, end, _ in _ibans(plain)]
    for start, end, _ in _phones(plain):
        if not any(start < after and before < end for before, after in ibans):
            yield start, end


def _replaced(text: str, find: Callable[[str], Iterator[_Finding]]) -> str:
    kept, done = [], 0
    for start, end, marker in find(_plain(text)):
        kept += [text[done:start], marker]
        done = end
    return "".join([*kept, text[done:]])


def _plain(text: str) -> str:
    """The text in a plain spelling, of the same length."""
    if text.isascii():
        return _BLANK.sub(" ", text)
    text = _FOREIGN_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text.translate(_FULL_WIDTH))
    return _BLANK.sub(" ", text)


def _e_mails(text: str) -> Iterator[_Finding]:
    return ((*found.span(), E_MAIL) for found in _E_MAIL.finditer(text))


def _ibans(text: str) -> Iterator[_Finding]:
    done = 0
    for found in _IBAN_START.finditer(text):
        end = _iban_end(text, found.start())
        if end and found.start() >= done:
            yield found.start(), end, IBAN
            done = end


def _iban_end(text: str, start: int) -> int:
    """The end of the IBAN that begins at ``start``; 0 if there is none."""
    length = _IBAN_LENGTHS.get(text[start : start + 2].upper(), 0)
    found = _IBANS[length].match(text, start) if length else None
    return found.end() if found and _is_iban("".join(filter(str.isalnum, found[0]))) else 0


def _is_iban(iban: str) -> bool:
    """ISO 13616: letters count as 10 to 35, the first four characters as the last; the rest of 97 is 1."""
    if _digits(iban) < _IBAN_DIGITS:
        return False
    return int("".join(str(int(character, 36)) for character in iban[4:] + iban[:4])) % 97 == 1


def _phones(text: str) -> Iterator[_Finding]:
    for part in _WORD_OR_NUMBER.finditer(text):
        match part.lastgroup:
            case "labelled" if _digits(part["local"]) >= LABELLED_DIGITS:
                yield *part.span("local"), PHONE
            case "international" if _digits(part[0]) >= INTERNATIONAL_DIGITS:
                yield *part.span(), PHONE
            case "national" if _digits(part[0]) >= NATIONAL_DIGITS:
                yield *part.span(), PHONE


def _digits(text: str) -> int:
    return sum(map(str.isdigit, text))
