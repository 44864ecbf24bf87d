"""Finds the terms that an article of definitions defines.

EUR-Lex prints them as a list whose items begin with the term in quotation marks: ``- (1) ‘AI system’ means
a ...``, ``- 1) «système d’IA», un ...``, ``- 1. „KI-System“ ein ...``. In French and German only the sentence
before the list announces definitions; in a single definition these words precede the term.
"""

import re
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Final

MAX_TERM: Final = 120
"""The most characters of a term; longer quoted text is a quotation."""

MAX_TERMS: Final = 500

_QUOTED: Final = (
    rf"(?:‘[^‘\n]{{1,{MAX_TERM}}}?’(?!\w)|“[^“”\n]{{1,{MAX_TERM}}}”|„[^„“”\n]{{1,{MAX_TERM}}}[“”]"
    rf"|«[^«»\n]{{1,{MAX_TERM}}}»|\"[^\"\n]{{1,{MAX_TERM}}}\"|'[^'\n]{{1,{MAX_TERM}}}'(?!\w))"
)
_TERM: Final = re.compile(_QUOTED)
_JOINED: Final = r"\s?(?:,\s?|or\s|and\s|ou\s|et\s|oder\s|und\s|/\s?)?\(?(?:or\s|ou\s|oder\s)?"
_OTHERS: Final = rf"(?:{_JOINED}{_QUOTED}\)?){{0,4}}"
_ITEM: Final = re.compile(
    r"[ \t>]{0,20}(?:[-*—–]\s{1,3})?(?:\(?\w{1,5}[.)]\s{1,3}|[-—–]\s{1,3})?"
    rf"(?P<terms>{_QUOTED}{_OTHERS})"
    r"(?P<rest>[^\n]{0,200})"
)
_DEFINES: Final = {
    "en": re.compile(r"[^\n]{0,160}?\b(?:shall\s)?(?:means?|includes?|has the (?:same )?meaning)\b"),
    "fr": re.compile(r"[^\n«]{0,80}?[,:]|\s(?:est|sont|désigne|signifie|comprend|un|une|tout|toute|tous)\b"),
    "de": re.compile(r"\s?(?:\([^()]{1,80}\)\s?)?\S"),
}
_ANNOUNCED: Final = {
    "en": None,
    "fr": re.compile(r"on entend par|on entend:|il faut entendre|définitions|s['’]entend", re.IGNORECASE),
    "de": re.compile(
        r"bezeichne[tn]|Begriffsbestimmung|bedeute[tn]|Ausdr(?:uck|ücke)|im Sinne|(?:ist|sind|gilt|gelten)\b"
    ),
}
_SINGLE: Final = {
    "en": re.compile(rf"{_QUOTED}{_OTHERS}(?=,?\s(?:shall\s)?means?\b)"),
    "fr": re.compile(rf"on\sentend\spar\s(?:{_QUOTED}{_OTHERS}|[^«“\"\n,:;]{{2,60}}(?=,))"),
    "de": re.compile(
        rf"(?:bezeichnet|bedeutet)\s(?:der\sAusdruck\s)?{_QUOTED}{_OTHERS}|{_QUOTED}(?=\sbezeichnet\b)"
    ),
}
_BEFORE_BARE: Final = re.compile(r"on\sentend\spar\s(?:le\s|la\s|les\s|l['’])?")


def defined_terms(markdown: str, language: str) -> tuple[str, ...]:
    """Return the defined terms in text order, without quotation marks, each once. Empty for languages other
    than English, French and German."""
    return tuple(dict.fromkeys(term for _, term in _found(markdown, language)))[:MAX_TERMS]


def definitions(markdown: str, language: str, terms: Collection[str]) -> list[tuple[int, int]]:
    """Return where ``terms`` are defined: spans of characters in text order, each of whole lines up to the
    next definition."""
    found = [(markdown.rfind("\n", 0, start) + 1, term) for start, term in _found(markdown, language)]
    lines = sorted({start for start, _ in found})
    ends = dict(pairwise([*lines, len(markdown)]))
    return [(start, ends[start]) for start in sorted({line for line, term in found if term in terms})]


def _found(markdown: str, language: str) -> list[tuple[int, str]]:
    """Return every defined term with its offset, in text order."""
    code = language[:2].lower()
    if code not in _DEFINES:
        return []
    found = [*_listed(markdown, code), *_single(markdown, code)]
    return sorted(
        (placed for placed in found if any(map(str.isalpha, placed[1]))), key=lambda placed: placed[0]
    )


def _listed(markdown: str, code: str) -> Iterator[tuple[int, str]]:
    """Yield terms that begin a paragraph or list item after the words that announce definitions."""
    announcement = _ANNOUNCED[code]
    announced = announcement is None
    start = 0
    for line in markdown.splitlines(keepends=True):
        item = _ITEM.match(line)
        if item and announced and _DEFINES[code].match(item["rest"]):
            yield from _terms(item["terms"], start + item.start("terms"))
        elif announcement and announcement.search(line):
            announced = True
        start += len(line)


def _single(markdown: str, code: str) -> Iterator[tuple[int, str]]:
    for found in _SINGLE[code].finditer(markdown):
        if _TERM.search(found[0]):
            yield from _terms(found[0], found.start())
        else:
            yield found.start(), _BEFORE_BARE.sub("", found[0]).strip()


def _terms(text: str, start: int) -> Iterator[tuple[int, str]]:
    for quoted in _TERM.finditer(text):
        yield start + quoted.start(), " ".join(quoted[0][1:-1].replace("*", "").split())
