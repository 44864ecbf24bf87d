"""Tells texts of law from what the site sends in their stead."""

import re
from typing import Final

from lxml import etree

from ingest.errors import PageError

_CHALLENGE: Final = re.compile(
    r"awsWafCookieDomainList|challenge-container|JavaScript is disabled|enable JavaScript", re.I
)
_ERROR: Final = re.compile(
    r"The requested document does not exist|document demandé n.existe pas"
    r"|Das gewünschte Dokument ist nicht vorhanden|No documents? (?:was |were )?found|An error has occurred"
    r"|Service (?:Temporarily )?Unavailable|Access Denied",
    re.I,
)
_END: Final = re.compile(r"</(?:html|body)\s*>", re.I)
_BEGINNING: Final = re.compile(r"<(?:html|body)\b", re.I)
_PDF: Final = re.compile(r"\.pdf\b|/PDF/", re.I)
_TAIL_CHARACTERS: Final = 2000
_MANY_WORDS: Final = 400


def check_markup(html: str) -> None:
    """Refuse what can be refused before it is parsed: an empty or truncated file."""
    if not html.strip():
        raise PageError("empty", "The text is empty.")
    if "<" not in html:
        raise PageError("unsupported", "This is no HTML; give the HTML or XHTML text of an act.")
    if _BEGINNING.search(html) and not _END.search(html[-_TAIL_CHARACTERS:]):
        raise PageError("invalid", "The text is truncated: its end is missing; fetch it again.")


def check_content(html: str, text: str) -> None:
    """Refuse pages of the site that are no act: a challenge, an error. ``text``: what is visible in it."""
    words = len(text.split())
    if words > _MANY_WORDS:
        return
    if _CHALLENGE.search(html):
        raise PageError("invalid", "This is the site's challenge for browsers, not the text of an act.")
    if _ERROR.search(text):
        raise PageError("invalid", "This is an error page of the site, not the text of an act.")
    if words:
        return
    if _PDF.search(html):
        raise PageError("unsupported", "The act is there as PDF only; there is no HTML text to index.")
    raise PageError("empty", "There is no text in it.")


def no_act(root: etree._Element) -> PageError:
    """What to raise for HTML without anything of an act in it."""
    title = " ".join((root.findtext(".//title") or "").split())[:80]
    named = f' ("{title}")' if title else ""
    return PageError("invalid", f"This HTML{named} is no act: no title, article, recital or annex was found.")
