"""Names of contacts and opening hours, from the text above them: a line in bold, a sentence that leads to
them, or a heading. Pure functions.

The nearest one counts. Headings such as "Further information" name nothing.
"""

import re
from collections.abc import Iterator
from typing import Final

from app.features.facts import signs
from app.features.facts.doubts import named_weekdays, plain
from ingest.blocks import Span
from ingest.text import sentences

NAME_CHARACTERS: Final = 100
LEAD_CHARACTERS: Final = 300

_PARAGRAPH: Final = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])")
_BOLD: Final = re.compile(r"\s*(\*\*|__)(?P<name>(?:(?!\1).)+)\1\s*:?\s*")
ITEM: Final = re.compile(r"^\s*(?:[-*+]|\d{1,9}[.)])[ \t]")

CONTACT_HEADING: Final = re.compile(
    r"(?:ihre? |unsere? |our |your )?(?:kontakt\w*|ansprech(?:partner|person|stelle)\w*|adressen?|anschrift"
    r"|erreichbarkeit|zuständig\w*(?: stellen?| behörden?)?|so erreichen sie uns|so finden sie uns"
    r"|contacts?(?: us| details| information)?|address|(?:get|getting) in touch"
    r"|how to (?:reach|contact|find) us"
    r"|responsible (?:office|authority))(?: (?:und|and) [\w-]+)?:?",
    re.IGNORECASE,
)
"""Headings that say nothing but that a contact follows."""

_OTHERS: Final = re.compile(
    r"(?:(?:weitere?|weiterführende|zusätzliche|mehr|nützliche|hilfreiche|interessante|(?:die )?wichtigsten"
    r"|wichtige|alle|further|more|additional|related|useful|helpful|other|all|important|key) )*"
    r"(?:informationen|infos?|links?|hinweise|(?:telefon|ruf|notruf)?nummern|angebote|adressen|kontakte"
    r"|information|numbers|phone numbers|contacts|content|resources|reading|pages|websites?|services|notes?"
    r"|downloads?|dokumente|documents?)"
    r"|(?:lesen sie|siehe|see|das könnte sie) (?:auch|also)(?: interessieren)?|zum thema|mehr zum thema"
    r"|fußnoten?|quellen?|footnotes?|sources?|references?|freigabevermerk"
    r"|find out more|read more|learn more|mehr erfahren|help and advice|hilfe und beratung",
    re.IGNORECASE,
)
"""Headings above all kinds of things, which name none of them."""

_NO_NAME: Final = re.compile(
    r"(?:telefon(?:nummer|isch)?|tel|fax|e-?mail\w*|mobil\w*|post|phone|telephone|mail|internet|web\w*|url"
    r"|zimmer|raum|room|\w*adresse|\w*anschrift|(?:\w+ )?address|by (?:post|phone|email)"
    r"|(?:öffnungs|sprech|service|besuchs)zeiten|sprechstunden?|(?:opening|office) (?:hours|times)|hours"
    r"|(?:please )?(?:write|contact|call|email|phone)(?: (?:to|us))?)\W*"
    r"|(?:für )?(?:weitere|nähere|for (?:further|more)) (?:informationen|auskünfte|fragen|information)\b.*"
    r"|\W*(?:achtung|wichtig\w*|(?:\w+ )?hinweise?|tipps?|bitte|neu|info|beachten|note|important|attention"
    r"|please|notice|tips?|warning|new|update|beispiel|example|frage|antwort|oder|or|und|and)\b(?!-).*",
    re.IGNORECASE,
)
"""Bold lines and leads that name nothing: labels and notices."""

_NOTICE: Final = re.compile(
    r"^\W*(?:achtung|wichtig|hinweis|tipp|note|important|tip)\W*?[:!]\W*", re.IGNORECASE
)
_OWN: Final = re.compile(r"\b(?:uns|wir|unser\w*|us|we|our)\b", re.IGNORECASE)
_ENDED: Final = re.compile(r"[.!]$")
_VALUE: Final = re.compile(r"@|\d[\d /()–-]{4,}\d")


def paragraphs(markdown: str, around: Span) -> Iterator[Span]:
    """Yield the paragraphs and list items of a part of a text."""
    start, end = around
    for gap in (*_PARAGRAPH.finditer(markdown, start, end), None):
        stop = gap.start() if gap else end
        if markdown[start:stop].strip():
            yield start, stop
        start = gap.end() if gap else end


def names_nothing(heading: str) -> bool:
    """Return True for a heading above all kinds of things, such as "Further information"."""
    return bool(_OTHERS.fullmatch(heading.strip(" :")))


def bold_name(paragraph: str) -> str:
    """Return the name that a paragraph consists of, if it is in bold; empty if it is no name."""
    bold = _BOLD.fullmatch(paragraph)
    name = " ".join(plain(bold["name"]).split()).rstrip(": ") if bold else ""
    is_name = len(name) <= NAME_CHARACTERS and not (_ENDED.search(name) or _VALUE.search(name))
    is_name = is_name and not (_NO_NAME.fullmatch(name) or signs.TITLE.search(name) or named_weekdays(name))
    return name if is_name else ""


def named_spans(markdown: str, around: Span) -> Iterator[tuple[Span, str]]:
    """Yield the parts of a section below each line in bold, with the name in it, and first the part above
    them all, with no name."""
    start, name = around[0], ""
    for span in paragraphs(markdown, around):
        bold = bold_name(markdown[slice(*span)])
        if bold and not CONTACT_HEADING.fullmatch(bold):
            yield (start, span[0]), name
            start, name = span[1], bold
    yield (start, around[1]), name


def lead_of_contact(paragraph: str) -> str:
    """Return the sentence that leads to a contact and says whose it is; empty for other text, and if it is
    about "us"."""
    text = _NOTICE.sub("", plain(ITEM.sub("", paragraph, count=1)), count=1)
    last = (sentences(text) or [""])[-1].strip()
    is_lead = last.endswith(":") and len(last) <= LEAD_CHARACTERS
    label = last.rstrip(": ")
    is_named = not (CONTACT_HEADING.fullmatch(label) or names_nothing(label) or _NO_NAME.fullmatch(label))
    return " ".join(last.split()) if is_lead and is_named and not _OWN.search(last) else ""
