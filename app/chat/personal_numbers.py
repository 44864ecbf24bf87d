"""Finds numbers that name a person or a card, where their check digits tell them from others.

They are the German tax id (IdNr), social and health insurance numbers, and payment cards. Numbers without
check digits, such as those of files, invoices and accounts, look like any other number.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

PERSON: Final = "[ID]"
CARD: Final = "[card]"

Finding = tuple[int, int, str]
"""Start, end and the text in its place."""

_TAX_REPEATED: Final = (2, 3)
"""How often one of the first ten digits of a tax id occurs; each other occurs once, or not at all."""

_SOCIAL_WEIGHTS: Final = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)
_HEALTH_WEIGHTS: Final = (1, 2) * 5

_ABROAD: Final = re.compile(r"(?:\+|00)[0-9]{0,3}[\s()/.-]{0,3}\Z")
_ABROAD_CHARACTERS: Final = 9
"""Before the rest of a phone number of any country."""


@dataclass(frozen=True, slots=True)
class _Kind:
    marker: str
    pattern: re.Pattern[str]
    is_valid: Callable[[str], bool]


def personal_numbers(text: str) -> Iterator[Finding]:
    """Each in ``text``, which is in a plain spelling; in text order, none within another."""
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
    """ISO 7064, Mod 11,10; see ``_TAX_REPEATED``."""
    counts = sorted(digits[:10].count(digit) for digit in set(digits[:10]))
    if counts[-1] not in _TAX_REPEATED or counts[-2] > 1:
        return False
    product = 10
    for digit in digits[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(digits[10])


def _is_card(digits: str) -> bool:
    """ISO/IEC 7812: the formula of Luhn."""
    doubled = (int(digit) * (1 + number % 2) for number, digit in enumerate(reversed(digits)))
    return sum(map(_cross_sum, doubled)) % 10 == 0


def _is_social_number(text: str) -> bool:
    return _weighted(text[:-1], _SOCIAL_WEIGHTS) == int(text[-1])


def _is_health_number(text: str) -> bool:
    return _weighted(text[:-1], _HEALTH_WEIGHTS) == int(text[-1])


def _weighted(text: str, weights: tuple[int, ...]) -> int:
    """The check digit: letters count as two digits, A as 01."""
    digits = "".join(each if each.isdecimal() else f"{ord(each) - ord('A') + 1:02}" for each in text)
    products = (int(digit) * weight for digit, weight in zip(digits, weights, strict=True))
    return sum(map(_cross_sum, products)) % 10


def _cross_sum(number: int) -> int:
    return number // 10 + number % 10


def _alone(pattern: str) -> re.Pattern[str]:
    """What is no part of a word or of a longer number."""
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
