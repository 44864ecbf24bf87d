"""What comes or lies where the text of an act should be, and is none: it must never be indexed.

A page is told by what people see of it or by what a browser would run. What is marked up as an act is never
taken for a notice: an act may say anything.
"""

import re
from typing import Final

from ingest import html
from ingest.errors import PageError, Reason

READ_CHARACTERS: Final = 256 * 1024
"""Of the beginning: pages that are no acts are short."""

_ACT: Final = re.compile(
    r"""class=["'](?:oj-|ti-art|doc-ti|eli-|title-doc)|id=["']TexteOnly|<txt_te>""", re.I
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
            r"angeforderte Dokument (?:existiert nicht|ist nicht vorhanden)",
            re.I,
        ),
        "invalid",
        "EUR-Lex's page for a document that does not exist: check the CELEX number",
    ),
    (
        re.compile(
            r"HTML (?:format|version)?[^.]{0,60}(?:not available|unavailable)|"
            r"not available in HTML|only available in PDF|n['’]est pas disponible en HTML|"
            r"nicht (?:im HTML-Format|als HTML) verfügbar",
            re.I,
        ),
        "unsupported",
        "EUR-Lex has no HTML of this text, at most PDF: it cannot be read",
    ),
)
_ERROR_TITLE: Final = re.compile(r"unavailable|maintenance|\b[45]\d\d\b|gateway|access denied|error", re.I)


def is_challenge(text: str) -> bool:
    """Whether a page only wants to see a browser that runs scripts."""
    return _ACT.search(text) is None and _CHALLENGE.search(text[:READ_CHARACTERS]) is not None


def check(text: str) -> None:
    """Raise ``PageError`` for a page of EUR-Lex or of the Publications Office that is no text of an act.

    Their pages have menus and a footer around a notice of one line; what has nothing of an act in it for
    another reason is for :func:`ingest.law.parse.parse` to tell.
    """
    if is_challenge(text):
        raise PageError("invalid", "a page that asks for a browser, not the text of an act: fetch it again")
    if _ACT.search(text):
        return
    head = html.metadata(text)
    shown = f"{head.title} {head.sample}"
    for pattern, reason, message in _NOTICES:
        if pattern.search(shown):
            raise PageError(reason, message)
    if _ERROR_TITLE.search(head.title):
        raise PageError("invalid", "an error page, not the text of an act: fetch it again")
