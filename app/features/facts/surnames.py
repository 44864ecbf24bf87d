"""Surnames by which offices divide their work: "A – K: Frau Brandt". Pure functions."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

_SURNAME: Final = re.compile(
    r",?\s*\b(?:(?:und )?ich heiße|(?:and )?my (?:sur|last )?name is"
    r"|(?:mit (?:dem )?|für (?:den )?|with the |for the )?"
    r"(?:(?:nach|familien)?namen?|(?:anfangs)?buchstaben?|surname|last name|letter)(?: ist| is|:)?)\s+"
    r"(?-i:(?P<name>[A-ZÄÖÜ][^\W\d_]*))",
    re.IGNORECASE,
)
_PART: Final = r"[A-ZÄÖÜ][a-zäöüß]{0,2}"
_RANGE: Final = re.compile(rf"(?<![\w.-])(?P<first>{_PART})\s?(?:–|—|-|bis|to)\s?(?P<last>{_PART})(?![\w.])")


def asked_surname(question: str) -> tuple[str, str]:
    """Return the surname, or its first letters, that a question gives (else empty), and the question without
    it."""
    found = _SURNAME.search(question)
    return (found["name"], _SURNAME.sub("", question)) if found else ("", question)


def has_surname(surname: str, lines: Iterable[str]) -> bool:
    """Return True if these lines have exactly one range of letters, and the surname is in it."""
    name = _plain(surname)
    ranges = [
        (_plain(each["first"]), _plain(each["last"])) for line in lines for each in _RANGE.finditer(line)
    ]
    return len(ranges) == 1 and all(first <= name and name[: len(last)] <= last for first, last in ranges)


def _plain(name: str) -> str:
    """A name in lower case with umlauts as plain vowels, as lists of names are sorted."""
    return "".join(filter(str.isalpha, unicodedata.normalize("NFD", name.casefold())))
