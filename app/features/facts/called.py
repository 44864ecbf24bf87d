"""Compares names of headings, lines and subjects of sentences with what a question names. Pure functions.

The flea market at the bridge festival, for example, is not the festival. German and English; in doubt the
names are taken to differ.
"""

import re
from dataclasses import replace
from typing import Final

from app.features.facts.hours_words import months, weekday_words
from app.features.facts.named import NamedSubjects, whole_words
from app.search import analysis

_GENERAL: Final = frozenset({
    "sitzung", "sitzungen", "meeting", "meetings",
    "termin", "termine", "daten", "datum", "dates", "date", "nächste", "nächster", "nächsten", "kommende",
    "next", "upcoming", "coming", "aktuelle", "alle", "all", "our", "unsere", "weitere", "further", "more",
    "die", "der", "das", "the", "übersicht", "overview", "kalender", "calendar", "jahr", "year", "im", "in",
    "für", "for", "wann", "when", "veranstaltungen", "veranstaltung", "events", "event", "what's", "on",
    "und", "and", "of", "des", "zur", "zum", "vom", "von", "is", "are", "it", "ist", "sind", "es", "findet",
    "statt", "uhrzeit", "zeiten", "times", "time", "uhr", "halbjahr", "quartal", "halfyear", "half", "first",
    "second", "erstes", "zweites", "auf", "einen", "blick", "at", "a", "glance", "voraussichtliche",
    "geplante", "planned", "provisional", "expected",
})  # fmt: skip
"""Words of headings that name nothing."""

_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_END: Final = re.compile(
    r"\b(?:des|der|beim|bei|im|in|am|an|auf|für|mit|vor|nach|zum|zur|von|vom|und|oder|aus|über|durch|ohne"
    r"|of|at|on|for|with|during|from|by|to|and|or|before|after|near|as)\b|[,;:.…()/–|?!]|\s-\s",
    re.IGNORECASE,
)
_DATES_OF: Final = re.compile(
    r"\b(\w{3,}?)s?(?:termine?n?|tage?|daten|kalender|plan|sitzung(?:en)?)\b", re.IGNORECASE
)
"""Takes "Sitzung" from "Sitzungstermine"."""

_BIN: Final = re.compile(
    r"\b(\w{3,}?)(?:(?:müll)?tonnen?|müll|abfuhr|abholung|leerung|sammlung)\b", re.IGNORECASE
)
_BINS: Final = ("", "müll", "tonne", "abfuhr")
"""Papiertonne, Papiermüll and Papierabfuhr mean the same."""

_LED: Final = re.compile(
    r"\b(?:in|im|am|an|auf|nach|bei|beim|für|mit|vom|von|zum|zur|aus|über)\s(?:(?:der|die|das|den|dem)\s)?$",
    re.IGNORECASE,
)
_FORM_END: Final = re.compile(r"(?:e[ns]?|s)$")
_ADJECTIVE: Final = re.compile(r"\w+(?:es|(?:isch|lich|ig)e[rnm]?)")
_BRACKETS: Final = re.compile(r"\s*\([^()]*\)")
_COMPOUND_LETTERS: Final = 4


def with_parts(text: str) -> str:
    """Return a text followed by the first parts of its compounds for dates, and by other names of its
    bins."""
    bins = (f"{kind}{end}" for kind in _BIN.findall(text) for end in _BINS)
    return "\n".join((text, *_DATES_OF.findall(text), *bins))


def of_dates(question: str) -> str:
    """Return a question with its compounds for dates reduced to their first parts."""
    return _DATES_OF.sub(r"\1", _BIN.sub(r"\1", question))


def main_thing(question: str, named: NamedSubjects) -> NamedSubjects:
    """Return ``named`` reduced to the one thing that a question is about.

    In German it is the first that no preposition precedes; in English the last before a preposition.
    """
    found = [(words, match) for match in _WORD.finditer(question) if (words := _known(match[0], named))]
    if named.words.languages[0] == "de":
        free = [words for words, match in found if not _LED.search(question[: match.start()])]
        heads = (free or [words for words, _ in found])[:1]
    else:
        start = found[0][1].start() if found else 0
        cut = next((end.start() for end in _END.finditer(question, start)), len(question))
        heads = [words for words, match in found if match.start() < cut][-1:]
    if not heads:
        return named
    return replace(named, words=replace(named.words, words=heads[0]), limits=(), numbers=frozenset())


def _known(word: str, named: NamedSubjects) -> tuple[str, ...]:
    """The words in ``named`` that a word of the question contains, even if hyphenated or in the genitive."""
    folded = analysis.folded(word)
    return tuple(each for each in named.words.words if each in folded or f"{each}s" in folded)


def first_phrase(text: str) -> str:
    """Return the beginning of a text, up to the first preposition, conjunction, comma or full stop."""
    return _END.split(text, maxsplit=1)[0]


def is_general(text: str) -> bool:
    """Return True if a text names nothing but dates."""
    return not _names(text)


def is_called(text: str, named: NamedSubjects) -> bool:
    """Return True if the first thing that a text names is also named by the question."""
    names = _names(text)
    start = text.find(names[0]) if names else 0
    phrase = first_phrase(text[start:])
    words = [word for word in _WORD.findall(phrase) if word in names]
    if not words:
        return False
    if named.words.languages[1] == "de":
        words += whole_words(text)
        return any(_is_named(word.rsplit("-", 1)[-1], named) for word in words if word[0].isupper())
    return _is_named(words[-1], named)


def begins_with(text: str, named: NamedSubjects) -> bool:
    """Return True if :func:`is_called` and the name begins with the named word, perhaps after an adjective.

    "Planung Sommerfest", for example, is not the festival.
    """
    first = next((word for word in _names(text) if not _ADJECTIVE.fullmatch(word)), "")
    is_first = any(_is_named(each, named) for each in (first.rsplit("-", 1)[-1], *whole_words(text)))
    return is_called(text, named) and bool(first) and (is_first or bool(named.found_in(first)))


def without_brackets(text: str) -> str:
    """Return a text without the parts in brackets."""
    return _BRACKETS.sub("", text)


def _is_named(word: str, named: NamedSubjects) -> bool:
    """Return True if the question names the word, alone or at the end of a longer one, such as *Kurs* in
    *Schwimmkurs*."""
    if named.found_in(with_parts(word)):
        return True
    ends = tuple({word.casefold(), _FORM_END.sub("", word.casefold())})
    return len(word) >= _COMPOUND_LETTERS and any(
        len(asked) > len(word) and (asked.endswith(ends) or _FORM_END.sub("", asked).endswith(ends))
        for asked in named.words.words
    )


def _names(text: str) -> list[str]:
    return [
        word
        for word in _WORD.findall(text)
        if word.casefold() not in _GENERAL
        and word.casefold() not in months().keys() | weekday_words().keys()
        and len(word) > 1
    ]
