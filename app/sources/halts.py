"""Descriptions of the reasons for which pulls are halted."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from app.errors import HaltCode, HaltedError, HaltReason
from ingest.said import Said, joined

WORDS: Final[Mapping[HaltCode, str]] = {
    "lost": "{count:,} of {pages:,} pages lost much of their text",
    "gone": "{count:,} of {pages:,} pages are gone or have different content",
    "foreign": "{count:,} of {pages:,} pages are in another language",
    "unreadable": "{count:,} of {pages:,} pages have garbled characters",
    "repeated": "{count:,} of {pages:,} pages have the same new text: {text}",
    "moved": "{text} is the website's address now",
    "missing": "{count:,} of {pages:,} pages are missing",
}
"""Templates by reason code; the templates are the keys of their translations."""


def in_words(reasons: Iterable[HaltReason]) -> Said:
    """Return the reasons in one line, in English."""
    return joined(
        Said(WORDS[each.code], count=each.count, pages=each.pages, text=each.text) for each in reasons
    )


def halted(source: str, reasons: Sequence[HaltReason]) -> HaltedError:
    """Make the error of a pull that is halted because its source looks broken."""
    return HaltedError(
        f"source {source!r} looks broken: {in_words(reasons)}. Its old pages are kept. If this is "
        f"intended, run `auskunft sources take-over {source}`, else `auskunft sources keep {source}`",
        reasons,
    )
