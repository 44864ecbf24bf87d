"""Finds the phone numbers and e-mail addresses in an answer's text, to link them.

An e-mail address is linked alone, without a subject or text; one with a query is none. A phone
number is recognised as :func:`app.chat.redaction.phone_numbers` does, but only a clear one: of an
international form or with a sign between its digits, not too long, and of no fax.
"""

import re
from collections.abc import Iterator
from typing import Final

from app.chat.redaction import phone_numbers

PHONE_DIGITS: Final = 15
"""The most digits of a phone number (E.164)."""

_E_MAIL: Final = re.compile(
    r"(?<![\w.%+@/:-])[a-z0-9][a-z0-9._%+-]{0,63}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![\w@?-]|\.\w)",
    re.IGNORECASE | re.ASCII,
)
_FAX: Final = re.compile(r"(?i)fax(?:-?(?:nummer|nr)|\ (?:number|no))?\.?:?\s?\Z")
_FAX_CHARACTERS: Final = 16
_TRUNK_PREFIX: Final = re.compile(r"\(0\)")
_SEPARATOR: Final = re.compile(r"[^\d\s][\d\s]*\d|\d\s+\d")


def contact_links(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and URL (``mailto:`` or ``tel:``) of each, in text order; they do not overlap."""
    mails = [(*match.span(), f"mailto:{match[0]}") for match in _E_MAIL.finditer(text)]
    phones = [
        (start, end, href)
        for start, end in phone_numbers(text)
        if (href := _phone_link(text[max(start - _FAX_CHARACTERS, 0) : start], text[start:end]))
    ]
    done = 0
    for start, end, href in sorted(mails + phones):
        if start >= done:
            yield start, end, href
            done = end


def _phone_link(before: str, number: str) -> str:
    """The URL of a phone number behind this text; empty if it is not clearly one."""
    if _FAX.search(before) or not _SEPARATOR.search(number):
        return ""
    international = number.lstrip("(").startswith(("+", "00"))
    digits = "".join(filter(str.isdecimal, _TRUNK_PREFIX.sub("", number) if international else number))
    if not digits.isascii() or len(digits) > PHONE_DIGITS:
        return ""
    return f"tel:+{digits.removeprefix('00')}" if international else f"tel:{digits}"
