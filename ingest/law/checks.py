"""Rejects error pages, notices and empty texts that are served instead of an act.

Such pages are recognised by their visible text or by the scripts in them. Text with the markup of an act
never counts as a notice, because an act may say anything.
"""

import re
from typing import Final

from lxml import etree

from ingest.errors import PageError, Reason
from ingest.html.metadata import HtmlMetadata
from ingest.html.metadata import metadata as head_of

READ_CHARACTERS: Final = 256 * 1024
"""Only the beginning of a page is searched, because pages that are not acts are short."""

_ACT: Final = re.compile(
    r"""class=["'](?:oj-|ti-art|doc-ti|eli-|title-doc|title-article|title-annex)|id=["']TexteOnly|<txt_te>""",
    re.I,
)
_CHALLENGE: Final = re.compile(
    r"gokuProps|awsWafCookieDomainList|challenge-container|/cdn-cgi/challenge|"
    r"verify that you(?:'|&#39;|’)re not a robot",
    re.I,
)
_NOTICES: Final[tuple[tuple[re.Pattern[str], Reason, str], ...]] = (
    (
        re.compile(
            r"requested document does not exist|document demandé n['’]existe pas|document not found|"
            r"(?:angeforderte|gewünschte) Dokument (?:existiert nicht|ist nicht vorhanden)",
            re.I,
        ),
        "invalid",
        "EUR-Lex's error page for a document that does not exist: check the CELEX number",
    ),
    (
        re.compile(
            r"HTML (?:format|version)?[^.]{0,60}(?:not available|unavailable)|"
            r"not available in HTML|only available in PDF|n['’]est pas disponible en HTML|"
            r"nicht (?:im HTML-Format|als HTML) verfügbar",
            re.I,
        ),
        "unsupported",
        "EUR-Lex has no HTML of this text, only PDF at most: it cannot be read",
    ),
)
_ERRORS: Final = frozenset({
    "unavailable", "maintenance", "gateway", "denied", "forbidden", "error", "occurred", "found",
    "timeout", "time-out", "indisponible", "erreur", "trouvé", "trouvée", "fehler", "gefunden",
    "wartung",
})  # fmt: skip
_BESIDE_ERRORS: Final = frozenset({
    "a", "access", "an", "and", "bad", "document", "documents", "eur-lex", "has", "http", "in",
    "internal", "is", "no", "not", "of", "page", "request", "scheduled", "server", "service", "site",
    "status", "system", "temporarily", "the", "this", "under", "was", "website", "were", "est", "la",
    "le", "non", "une", "die", "ist", "nicht", "seite",
})  # fmt: skip
_STATUS: Final = re.compile(r"[45]\d\d")
_WORD: Final = re.compile(r"\w+(?:-\w+)*")

_BEGINNING: Final = re.compile(r"<(?:html|body)\b", re.I)
_END: Final = re.compile(r"</(?:html|body)\s*>", re.I)
_PDF: Final = re.compile(r"\.pdf\b|/PDF/", re.I)
_TAIL_CHARACTERS: Final = 2000
"""The most text after the end of a page, not counting comments; more is another page, which is truncated."""


def is_challenge(html: str) -> bool:
    """Return True if a page only checks for a browser that runs scripts."""
    return _ACT.search(html) is None and _CHALLENGE.search(html[:READ_CHARACTERS]) is not None


def check(html: str) -> None:
    """Raise ``PageError`` for a text that is empty or truncated, and for pages of EUR-Lex or of the
    Publications Office that are not acts.

    Such pages have a notice of one line between menus and a footer. HTML that is not an act for other reasons
    is detected once it is parsed.
    """
    if not html.strip():
        raise PageError("empty", "The text is empty.")
    if "<" not in html:
        raise PageError("unsupported", "This is not HTML; use the HTML or XHTML text of an act.")
    if _is_truncated(html):
        raise PageError("invalid", "The text is truncated: its end is missing; fetch it again.")
    if is_challenge(html):
        raise PageError("invalid", "a challenge for browsers instead of the text of an act: fetch it again")
    if _ACT.search(html) is None:
        _check_shown(head_of(html))


def no_text_error(html: str) -> PageError:
    """Return the error for a page without visible text."""
    if _PDF.search(html):
        return PageError("unsupported", "The act exists only as PDF; there is no HTML text to index.")
    return PageError("empty", "It contains no text.")


def no_act_error(root: etree._Element) -> PageError:
    """Return the error for HTML that has no part of an act."""
    title = " ".join((root.findtext(".//title") or "").split())[:80]
    named = f' ("{title}")' if title else ""
    return PageError(
        "invalid", f"This HTML{named} is not an act: it has no title, article, recital or annex."
    )


def _check_shown(page: HtmlMetadata) -> None:
    shown = f"{page.title} {page.sample}"
    for pattern, reason, message in _NOTICES:
        if pattern.search(shown):
            raise PageError(reason, message)
    if _names_error(page.title) or _names_error(page.heading):
        raise PageError("invalid", "an error page instead of the text of an act: fetch it again")


def _names_error(title: str) -> bool:
    """Return True if a title says nothing except that something went wrong."""
    words = {word for word in _WORD.findall(title.lower()) if _STATUS.fullmatch(word) is None}
    status = _STATUS.search(title) is not None
    return words <= _ERRORS | _BESIDE_ERRORS and (status or not words.isdisjoint(_ERRORS))


def _is_truncated(html: str) -> bool:
    if not _BEGINNING.search(html):
        return False
    end = max((found.end() for found in _END.finditer(html)), default=None)
    if end is None:
        return True
    before, *comments = html[end:].split("<!--")
    behind = before + "".join(comment.partition("-->")[2] for comment in comments)
    return len(behind) > _TAIL_CHARACTERS
