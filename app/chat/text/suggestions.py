"""Suggests follow-ups without a model: the headings of the cited pages that the answer did not touch."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from textwrap import shorten
from typing import Final

from app.chat.source_items import SourceItem
from app.chat.text.plain_text import without_marks
from app.search import analysis
from app.search.retrieval import Passage
from app.search.types import IndexedPage
from ingest.text import visible
from ingest.types import UNDETERMINED

MOST: Final = 3
CHARACTERS: Final = range(3, 61)
"""The length of a heading that may be suggested."""

TITLE_CHARACTERS: Final = 80
READ_CHARACTERS: Final = 200_000
READ_HEADINGS: Final = 200
"""Limits of the text that is searched for headings, which bound the time."""

SEPARATOR: Final = " – "

_GENERAL: Final = frozenset({
    "kontakt", "kontakte", "ansprechpartner", "ansprechpartnerin", "ansprechperson", "ansprechpersonen",
    "anfahrt", "adresse", "anschrift", "impressum", "datenschutz", "links", "downloads", "dokumente",
    "formulare", "inhalt", "inhalte", "inhaltsverzeichnis", "übersicht", "überblick", "einleitung",
    "allgemeines", "hinweis", "hinweise", "sonstiges", "quellen", "quelle", "mehr", "aktuelles",
    "zusammenfassung", "navigation", "suche", "teilen", "startseite", "verwandt", "contact", "contacts",
    "address", "imprint", "privacy", "download", "documents", "forms", "content", "contents", "overview",
    "introduction", "general", "note", "notes", "other", "sources", "more", "news", "summary", "search",
    "share", "home", "references", "related", "disclaimer",
})  # fmt: skip
_FILLING: Final = frozenset({
    "weitere", "weiterführende", "information", "informationen", "info", "infos", "further", "siehe",
    "auch", "see", "also", "read", "und", "and", "zum", "thema", "for",
})  # fmt: skip
_HEADING: Final = re.compile(r"(?m)^ {0,3}#{2,5}[ \t]+(.{1,300})$")
_FENCED: Final = re.compile(r"(?ms)^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)")
_NUMBERING: Final = re.compile(r"^(?:§+ ?)?[\d.)]+\s+")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


def suggestions(question: str, answer: str, cited: Sequence[SourceItem], language: str = "") -> list[str]:
    """Return at most ``MOST`` questions of the form ``heading – page title``, about subjects that neither
    ``question`` nor ``answer`` names. They come from the ``cited`` pages in turn, the headings nearest to the
    passage first. ``language``: the answer's; pages in another one are left out."""
    spoken = [item for item in cited if not language or item.page.ref.language in (language, UNDETERMINED)]
    columns = (_of_page(item, f"{question}\n{answer}") for item in spoken)
    found: dict[str, str] = {}
    for heading, title in filter(None, chain.from_iterable(zip_longest(*columns))):
        found.setdefault(heading.casefold(), f"{heading}{SEPARATOR}{title}")
        if len(found) == MOST:
            break
    return list(found.values())


def label(suggestion: str, title: str) -> str:
    """Return the suggestion without the title of the page that the answer is from, because that is known."""
    return suggestion.removesuffix(f"{SEPARATOR}{title}")


def reading_labels(readings: Sequence[str]) -> list[str]:
    """Return labels that distinguish readings of one question: the titles of their pages, with which they
    end. A single reading is returned whole."""
    asked = f"{readings[0].partition(SEPARATOR)[0]}{SEPARATOR}" if len(readings) > 1 else ""
    if not all(each.startswith(asked) for each in readings):
        return list(readings)
    return [each.removeprefix(asked).removesuffix("?") if asked else each for each in readings]


def _of_page(item: SourceItem, said: str) -> Iterator[tuple[str, str]]:
    """Yield the headings that may be suggested, each with the page's title."""
    page, language = item.page, item.page.ref.language
    known = _stems(said, language) | _stems(page.title, language)
    title = shorten(" ".join(page.title.split()), TITLE_CHARACTERS, placeholder=" …")
    for heading in _nearest_first(page, item.best.passage if item.best else None):
        stems = _stems(heading, language)
        if len(heading) in CHARACTERS and stems and not stems <= known and not is_general(heading):
            yield heading, title


def _nearest_first(page: IndexedPage, best: Passage | None) -> list[str]:
    """Return the page's headings, except that of the best passage, by their distance from it."""
    content = page.fields.get("content", "")[:READ_CHARACTERS]
    content = _FENCED.sub(lambda code: " " * len(code[0]), content)
    headings = list(_HEADING.finditer(content))[:READ_HEADINGS]
    if best is None or best.field != "content":
        return [_plain(heading[1]) for heading in headings]
    place = len(page.fields.get("content", "").encode()[: best.start].decode(errors="ignore"))
    own = sum(heading.start() <= place for heading in headings) - 1
    order = sorted(range(len(headings)), key=lambda index: (abs(index - own), index < own))
    return [_plain(headings[index][1]) for index in order if index != own]


def _plain(heading: str) -> str:
    text = without_marks(visible(heading))
    return " ".join(_NUMBERING.sub("", text).split()).rstrip("#: ")


def is_general(heading: str) -> bool:
    """Return True for a heading that any page may have."""
    words = {word.casefold() for word in _WORD.findall(heading)} - _FILLING
    return words <= _GENERAL


def _stems(text: str, language: str) -> frozenset[str]:
    content = analysis.content_words(text, language)
    return frozenset(analysis.tokens(" ".join(content), language))
