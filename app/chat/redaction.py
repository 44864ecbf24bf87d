"""Redacts e-mail addresses, phone numbers, IBANs and numbers of persons and cards in visitors' texts.

Phone numbers are recognised by their form: with ``+`` or ``00``, with the ``0`` or the parentheses of an area
code, in North America's grouping, or after a word such as "Tel.". The area code need not exist: a mistyped
number is just as personal. Other numbers that begin with a zero (dates, hours, postcodes, prices, file
numbers) are matched first, and kept; so are numbers after a word such as "Aktenzeichen". docs/adr/0022
compares this with ``phonenumbers`` and ``python-stdnum``.

Numbers of persons and cards are recognised by their check digits: the German tax id (IdNr), social and health
insurance numbers, and payment cards.

The text is matched from left to right, word by word and number by number, so that no phone number begins
inside another number. Phone numbers with only spaces and slashes between them become one marker. Digits in
words are a phone number if they begin with zero; a letter O among digits counts as zero.

Matching uses a plain spelling of the text with the same length: full-width letters and signs, digits of any
script and blanks of any width count as their ASCII equivalents.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ingest.text import visible

E_MAIL: Final = "[e-mail]"
PHONE: Final = "[tel.]"
IBAN: Final = "[IBAN]"
PERSON: Final = "[ID]"
CARD: Final = "[card]"

Finding = tuple[int, int, str]
"""Start, end and replacement of a match."""

FEWEST_DIGITS: Final = {"national": 7, "international": 8, "labelled": 6}
"""The fewest digits of a phone number, by the form that it was recognised by."""

PRIVATE_DIGITS: Final = {**FEWEST_DIGITS, "mobile": 11, "spoken": 0}
"""The same with numbers that cannot be dialled as they are written: without ``+``, or in words."""

UNBROKEN_DIGITS: Final = 17
"""The most digits of a phone number without separators: 15 (E.164) after ``00``."""

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
"""The length of an IBAN by country (SWIFT, IBAN Registry)."""

_IBAN_GAP: Final = r"[\s._/,:;|·‐‑‒–—-]{0,3}"
_IBAN_START: Final = re.compile(
    rf"(?:(?<![^\W_])|(?<=IBAN))[A-Z]{{2}}(?={_IBAN_GAP}[0-9]{_IBAN_GAP}[0-9])", re.I | re.A
)
_IBANS: Final = {
    length: re.compile(rf"(?:[A-Z0-9]{_IBAN_GAP}){{{length - 1}}}[A-Z0-9](?![^\W_])", re.I | re.A)
    for length in set(_IBAN_LENGTHS.values())
}
_IBAN_DIGITS: Final = 10
"""The fewest digits of an IBAN: a sentence that begins with "no 12" has fewer."""

_SPACE: Final = r"[^\S\n]"
_GAP: Final = rf"(?:{_SPACE}{{0,3}}[-‐‑‒–−·/._]?{_SPACE}{{0,3}})"
_END: Final = r"(?![^\W_])"
_GROUPS: Final = rf"(?:{_GAP}\(?[0-9]++{_END}\)?)*+(?!\w)"
_DAY: Final = r"(?:0?[1-9]|[12][0-9]|3[01])"
_MONTH: Final = r"(?:0?[1-9]|1[0-2])"
_YEAR: Final = r"(?:19|20)[0-9]{2}"
_LABEL: Final = (
    r"(?:tel(?:efon|ephone)?|(?:tele)?fax|phone|handy|mobile?|whatsapp|ruf|durchwahl|anschluss)"
    r"(?:-?nummer|-?nr|\ (?:number|no))?\.?:?(?:\s(?:ist|is|lautet))?:?\s?(?<=[\s:.])"
)

_FILE: Final = (
    r"(?:az|gz|aktenzeichen|gesch[aä]ftszeichen|vorgang|vorgangsnummer|aktennummer)\b\.?:?\s?(?:nr\.?\s?)?"
)
_SPOKEN: Final = (
    "null|eins|zwei|zwo|drei|vier|fünf|fuenf|sechs|sieben|acht|neun|"
    "zero|oh|one|two|three|four|five|six|seven|eight|nine"
)

_HOST: Final = r"(?:\[(?:ipv6:)?[0-9a-f.:]{3,45}\]|[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w.]))"
_E_MAIL: Final = re.compile(
    rf"""
    (?:
        (?:\w[\w.+'&%-]{{0,63}}|"[^"\n]{{1,64}}")
        \s{{0,3}}(?:@|%40|&\#(?:64|x40);|&commat;|[\[({{]\s?[aä]t\s?[\])}}])\s{{0,3}}
        (?:
            (?:[\w-]{{1,63}}(?:\.|\s{{1,3}}\.\s{{0,3}}|\s?[\[({{]\s?(?:dot|punkt)\s?[\])}}]\s?))+
            [^\W\d_][\w-]*\w
          | {_HOST}
        )
      | (?<!\w)(?!www\.)[^\W\d_]{{1,63}}[._][^\W\d_]\w*\sat\s(?:[\w-]{{1,63}}\.)+[^\W\d_]{{2,24}}\b
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
  | {_FILE}[0-9]++[-./][\w./-]*+
  | {_DAY}(?P<between>[/_-]){_MONTH}(?P=between)(?:[0-9]{{4}}|[0-9]{{2}})(?![0-9]|[-/.][0-9])
  | {_MONTH}/[0-9]{{2}}\s{_YEAR}(?![0-9])
  | (?:[01]?[0-9]|2[0-4])[.:][0-5][0-9](?![0-9]|[.:][0-9])
  | [0-9]{{4}}\s?[-–]\s?[0-9]{{4}}\s(?:uhr|hours|hrs)\b
  | IS[BS]N(?:-1[03])?:?\s?[0-9][0-9\s-]*+X?
  | 0[0-9]{{4}}\s?[-–/]\s?0[0-9]{{4}}(?![0-9])
  | [0-9]{{1,4}}/{_YEAR}(?!{_GAP}[0-9])
  | 0[.,][0-9]++(?![.,]?[0-9])
  | (?P<labelled>{_LABEL}(?!116)(?P<local>[1-9][0-9]*+(?!\w){_GROUPS}))
  | (?P<mobile>(?:49{_GAP}1[5-7][0-9]|43{_GAP}6[5-9][0-9]|41{_GAP}7[4-9])[0-9]*+{_END}{_GROUPS})
  | (?P<spoken>(?:null|zero|oh)(?:[\s,.-]{{1,3}}(?:{_SPOKEN})\b){{6,}}+)
  | (?P<international>\(?(?:\+{{1,2}}+{_SPACE}?|00{_SPACE}?)(?=[1-9])[0-9]++{_END}\)?{_GROUPS})
  | (?P<national>
        \(?0{_SPACE}?(?=[1-9])[0-9]++{_END}\)?{_GROUPS}
      | (?:\([0-9]{{3}}\){_SPACE}?|[0-9]{{3}}-)[0-9]{{3}}[-.\ ][0-9]{{4}}(?![\w-])
    )
  | [^\W\d]++(?!\w)
  | \w++(?:[-./][0-9]\w*+)*+
    """,
    re.I | re.X,
)


_TAX_REPEATED: Final = (2, 3)
"""One of the first ten digits of a tax id occurs so often; each other digit occurs once or not at all."""

_SOCIAL_WEIGHTS: Final = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)
_HEALTH_WEIGHTS: Final = (1, 2) * 5

_ABROAD: Final = re.compile(r"(?:\+|00)[0-9]{0,3}[\s()/.-]{0,3}\Z")
_ABROAD_CHARACTERS: Final = 9
"""``_ABROAD`` is searched for in so many characters before a match, which is then the rest of a phone
number."""

_FULL_WIDTH: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0xFE6B: ord("@")}
_FOREIGN_DIGIT: Final = re.compile(r"(?![0-9])\d")
_BLANK: Final = re.compile(r"[^\S\n]")
_ZERO: Final = re.compile(r"(?i)(?<=[0-9])o(?![^\W\d_])|(?<!\w)o(?=1[5-7][0-9])")
"""A letter O that is meant as zero."""


def redacted(text: str) -> str:
    """Return ``text`` with markers for e-mail addresses, phone numbers, IBANs, person and card numbers.

    Invisible characters are removed first, as copied numbers may contain some.
    """
    text = visible(text)
    for find in (_e_mails, _ibans, _personal_numbers, _phones):
        text = _replaced(text, find)
    return text


def phone_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each phone number in ``text`` that can be dialled, except digits of an IBAN."""
    plain = _plain(text)
    ibans = [(start, end) for start, end, _ in _ibans(plain)]
    for start, end, _ in _phones(plain, FEWEST_DIGITS):
        if not any(start < after and before < end for before, after in ibans):
            yield start, end


def _replaced(text: str, find: Callable[[str], Iterator[Finding]]) -> str:
    kept, done = [], 0
    for start, end, marker in find(_plain(text)):
        kept += [text[done:start], marker]
        done = end
    return "".join([*kept, text[done:]])


def _plain(text: str) -> str:
    """Return the text in a plain spelling of the same length."""
    text = _ZERO.sub("0", text)
    if text.isascii():
        return _BLANK.sub(" ", text)
    text = _FOREIGN_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text.translate(_FULL_WIDTH))
    return _BLANK.sub(" ", text)


def _e_mails(text: str) -> Iterator[Finding]:
    return ((*found.span(), E_MAIL) for found in _E_MAIL.finditer(text))


def _ibans(text: str) -> Iterator[Finding]:
    done = 0
    for found in _IBAN_START.finditer(text):
        end = _iban_end(text, found.start())
        if end and found.start() >= done:
            yield found.start(), end, IBAN
            done = end


def _iban_end(text: str, start: int) -> int:
    """Return the end of the IBAN that begins at ``start``, or 0 if there is none."""
    length = _IBAN_LENGTHS.get(text[start : start + 2].upper(), 0)
    found = _IBANS[length].match(text, start) if length else None
    return found.end() if found and _is_iban("".join(filter(str.isalnum, found[0]))) else 0


def _is_iban(iban: str) -> bool:
    """Check by ISO 13616: with letters as 10 to 35 and the first four characters moved to the end, the number
    modulo 97 is 1."""
    if _digits(iban) < _IBAN_DIGITS:
        return False
    return int("".join(str(int(character, 36)) for character in iban[4:] + iban[:4])) % 97 == 1


def _phones(text: str, fewest: Mapping[str, int] = PRIVATE_DIGITS) -> Iterator[Finding]:
    for part in _WORD_OR_NUMBER.finditer(text):
        kind = part.lastgroup or ""
        where = "local" if kind == "labelled" else kind
        if kind in fewest and _digits(part[where]) >= fewest[kind] and not _is_endless(part[where]):
            yield *part.span(where), PHONE


def _is_endless(number: str) -> bool:
    """Return True for a number of a parcel or the like."""
    return number.isdecimal() and len(number) > UNBROKEN_DIGITS


def _digits(text: str) -> int:
    return sum(map(str.isdigit, text))


@dataclass(frozen=True, slots=True)
class _Kind:
    marker: str
    pattern: re.Pattern[str]
    is_valid: Callable[[str], bool]


def _personal_numbers(text: str) -> Iterator[Finding]:
    """Yield the numbers of persons and cards in ``text``, which is in a plain spelling, in text order and
    without overlaps."""
    found = sorted(
        (start, end, kind.marker)
        for kind in _KINDS
        for start, end in _spans(text, kind)
        if not _ABROAD.search(text[max(start - _ABROAD_CHARACTERS, 0) : start])
    )
    done = 0
    for start, end, marker in found:
        if start >= done:
            yield start, end, marker
            done = end


def _spans(text: str, kind: _Kind) -> Iterator[tuple[int, int]]:
    for match in kind.pattern.finditer(text):
        if kind.is_valid("".join(filter(str.isalnum, match[0].upper()))):
            yield match.span()


def _is_tax_id(digits: str) -> bool:
    """Check by ISO 7064, Mod 11,10; see ``_TAX_REPEATED``."""
    counts = sorted(digits[:10].count(digit) for digit in set(digits[:10]))
    if counts[-1] not in _TAX_REPEATED or counts[-2] > 1:
        return False
    product = 10
    for digit in digits[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(digits[10])


def _is_card(digits: str) -> bool:
    """Check by ISO/IEC 7812, the Luhn formula."""
    doubled = (int(digit) * (1 + number % 2) for number, digit in enumerate(reversed(digits)))
    return sum(map(_cross_sum, doubled)) % 10 == 0


def _is_social_number(text: str) -> bool:
    return _weighted(text[:-1], _SOCIAL_WEIGHTS) == int(text[-1])


def _is_health_number(text: str) -> bool:
    return _weighted(text[:-1], _HEALTH_WEIGHTS) == int(text[-1])


def _weighted(text: str, weights: tuple[int, ...]) -> int:
    """Return the check digit. Letters count as two digits, A as 01."""
    digits = "".join(each if each.isdecimal() else f"{ord(each) - ord('A') + 1:02}" for each in text)
    products = (int(digit) * weight for digit, weight in zip(digits, weights, strict=True))
    return sum(map(_cross_sum, products)) % 10


def _cross_sum(number: int) -> int:
    return number // 10 + number % 10


def _alone(pattern: str) -> re.Pattern[str]:
    """Return a pattern that does not match within a word or a longer number."""
    return re.compile(
        rf"(?<!\w)(?<![0-9][.,/\ -])(?:{pattern})(?!\w)(?![.,/\ -][0-9])",
        re.VERBOSE | re.IGNORECASE | re.ASCII,
    )


_KINDS: Final = (
    _Kind(
        CARD,
        _alone(
            r"""
            (?:4[0-9]{3}|5[0-8][0-9]{2}|6[0-9]{3}|2[2-7][0-9]{2})
                (?P<four>[ -]?)[0-9]{4}(?P=four)[0-9]{4}(?P=four)[0-9]{4}(?:(?P=four)[0-9]{3})?
          | 3[47][0-9]{2}(?P<fifteen>[ -]?)[0-9]{6}(?P=fifteen)[0-9]{5}
          | 3[0689][0-9]{2}(?P<fourteen>[ -]?)[0-9]{6}(?P=fourteen)[0-9]{4}
            """
        ),
        _is_card,
    ),
    _Kind(
        PERSON,
        _alone(r"[1-9][0-9](?P<gap>[ ./-]?)[0-9]{3}(?P=gap)[0-9]{3}(?P=gap)[0-9]{3}"),
        _is_tax_id,
    ),
    _Kind(
        PERSON,
        _alone(r"[0-9]{2}[ -]?[0-9]{2}(?:0[0-9]|1[0-2])[0-9]{2}[ -]?[A-Z][ -]?[0-9]{2}[ -]?[0-9]"),
        _is_social_number,
    ),
    _Kind(PERSON, _alone(r"[A-Z][ ]?[0-9]{3}(?P<gap>[ ]?)[0-9]{3}(?P=gap)[0-9]{3}"), _is_health_number),
)
