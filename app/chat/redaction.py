"""Redacts e-mail addresses, phone numbers and IBANs in what visitors write.

Phone numbers are recognised by their form: with ``+`` or ``00``, with the ``0`` or the parentheses of an area
code, in North America's grouping, or after a word such as "Tel.". The area code need not exist: a mistyped
number is just as personal. Other numbers that begin with a zero (dates, hours, postcodes, prices, file
numbers) are matched first, and kept. docs/adr/0022 compares this with ``phonenumbers`` and ``python-stdnum``.

The text is matched from left to right, word by word and number by number, so that no phone number begins
inside another number. Phone numbers with only spaces and slashes between them become one marker.
"""

import re
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

_IBAN_START: Final = re.compile(r"(?<![^\W_])[A-Z]{2}(?=[ \xa0-]?[0-9]{2})", re.I | re.A)
_IBANS: Final = {
    length: re.compile(rf"(?:[A-Z0-9][ \xa0-]?){{{length - 1}}}[A-Z0-9](?![^\W_])", re.I | re.A)
    for length in set(_IBAN_LENGTHS.values())
}

_SPACE: Final = r"[^\S\n]"
_GAP: Final = rf"(?:{_SPACE}{{0,2}}[-‐‑–/.]?{_SPACE}?)"
_GROUPS: Final = rf"(?:{_GAP}\(?[0-9]++(?!\w)\)?)*+"
_DAY: Final = r"(?:0?[1-9]|[12][0-9]|3[01])"
_MONTH: Final = r"(?:0?[1-9]|1[0-2])"
_YEAR: Final = r"(?:19|20)[0-9]{2}"
_LABEL: Final = (
    r"(?:tel(?:efon|ephone)?|(?:tele)?fax|phone|handy|mobile?|whatsapp|ruf|durchwahl)"
    r"(?:-?nummer|-?nr|\ (?:number|no))?\.?:?(?:\s(?:ist|is|lautet))?:?\s?(?<=[\s:.])"
)

_E_MAIL: Final = re.compile(
    r"""
    \w[\w.+'&%-]{0,63}
    \s?(?:@|[\[({]\s?[aä]t\s?[\])}])\s?
    (?:[\w-]{1,63}(?:\.|\s?[\[({]\s?(?:dot|punkt)\s?[\])}]\s?))+
    [^\W\d_][\w-]*\w
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


def redacted(text: str) -> str:
    """``text`` with a marker in place of each e-mail address, phone number and IBAN.

    Invisible characters are removed first, as copied numbers may contain some.
    """
    return _WORD_OR_NUMBER.sub(_without_phone, _without_ibans(_E_MAIL.sub(E_MAIL, visible(text))))


def _without_ibans(text: str) -> str:
    kept, done = [], 0
    for found in _IBAN_START.finditer(text):
        end = _iban_end(text, found.start())
        if end and found.start() >= done:
            kept += [text[done : found.start()], IBAN]
            done = end
    return "".join([*kept, text[done:]])


def _iban_end(text: str, start: int) -> int:
    """The end of the IBAN that begins at ``start``; 0 if there is none."""
    length = _IBAN_LENGTHS.get(text[start : start + 2].upper(), 0)
    found = _IBANS[length].match(text, start) if length else None
    return found.end() if found and _is_iban(re.sub(r"[ \xa0-]", "", found[0])) else 0


def _is_iban(iban: str) -> bool:
    """ISO 13616: letters count as 10 to 35, the first four characters as the last; the rest of 97 is 1."""
    return int("".join(str(int(character, 36)) for character in iban[4:] + iban[:4])) % 97 == 1


def _without_phone(part: re.Match[str]) -> str:
    match part.lastgroup:
        case "labelled" if _digits(part["local"]) >= LABELLED_DIGITS:
            return part[0].removesuffix(part["local"]) + PHONE
        case "international" if _digits(part[0]) >= INTERNATIONAL_DIGITS:
            return PHONE
        case "national" if _digits(part[0]) >= NATIONAL_DIGITS:
            return PHONE
    return part[0]


def _digits(text: str) -> int:
    return sum(map(str.isdigit, text))
