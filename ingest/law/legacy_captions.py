"""Recognises printed lines as captions of articles, annexes and divisions, recitals or headings.

In English, French and German; articles and annexes in all languages of these layouts.
"""

import re
from typing import Final, NamedTuple

from ingest.law.captions import ARTICLE_WORDS, ORDINALS, annex_number, article_number, division_rank
from ingest.law.formulas import is_unnumbered_recital
from ingest.law.legacy_lines import Line

_LATIN: Final = "|".join(sorted(ORDINALS, key=len, reverse=True))
_HEADING: Final = r"(?:\s*[-–—:]\s*(?P<heading>\S.{0,199})|\.\s+(?P<title>[^\W\d_a-zà-ž].{0,99}))?"
"""The heading on the caption's line, after a dash, a colon or a full stop."""

_ARTICLE: Final = re.compile(
    rf"(?i:(?:{ARTICLE_WORDS})\s+(?P<number>premier|[uú]nico?|unique|1\s?er|(?-i:[IVXLC]{{1,10}}[a-z]?)"
    rf"|\d{{1,4}}(?:\.o|\.?º)?(?:\s?(?:{_LATIN})\b)?(?:\s?[a-zα-θ]\b)?)"
    rf"|\d{{1,4}}(?:\s?[a-z])?\s+artikla|(?:Sole|Einziger|Enig|Eneste|Enda)\s+Arti(?:cle|kel))(?:\s?\(\d{{0,3}}\*\))?\.?{_HEADING}"
)
_FIRST: Final = re.compile(r"premier|1\s?er", re.IGNORECASE)
_EARLIER_NUMBER: Final = re.compile(r"\b(?:treaty|traité|tratado|trattato|vertrag)\b", re.IGNORECASE)
_ANNEX: Final = re.compile(
    r"(?P<label>(?:ANNEX(?:E|ES)?|Annexe?|ANHANG|ALLEGATO|ANEXO|BIJLAGE|BILAGA?|LIITE|ΠΑΡΑΡΤΗΜΑ"
    r"|APPENDI(?:X|CE)|Appendi(?:x|ce)|PROTOCOLE?|Protocole?)"
    r"(?:\s+(?:(?:No|no|n°|nº|N°)\s?)?(?P<number>[IVXLC]{1,10}[A-H]?|\d{1,3}|[A-Z])"
    r"(?:\s?(?:bis|ter|quater|[a-z])|-[A-Z])?)?(?:\s?\(\d{0,3}\*?\))?)"
    rf"(?:\s*(?P<bracket>\([^()]{{3,200}}\)))?\.?{_HEADING}"
)
_DIVISION: Final = re.compile(
    rf"(?P<label>(?:PART|PARTIE|TEIL|TITLE|TITRE|TITEL|CHAPTER|CHAPITRE|KAPITEL|(?:SUB|SOUS-)?SECTION"
    rf"|(?:UNTER)?ABSCHNITT)\s+(?:[IVXLC]+|\d{{1,3}}|[A-Z]"
    rf"|ONE|TWO|THREE|FOUR|FIVE|SIX|SEVEN|PREMIER|PREMIÈRE)(?:\s(?:{_LATIN})|[a-z])?"
    r"|(?:\w+ième|première|premiere|seconde)\s+partie)\.?(?:\s*[-–—:.]\s*(?P<heading>\S.{0,299}))?",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(r"\((\d{1,3})\)\s*(?=\S)")
_NOTE: Final = re.compile(r"\((\d{1,3}\*?)\)\s*(.*)", re.DOTALL)
_ITEM: Final = re.compile(r"\(?[0-9a-zA-Z]{1,5}[.)]\s|[-—–]\s?\w")
_ANNEX_PART: Final = re.compile(r"(?:[IVX]{1,5}|[A-Z])\.(?P<lower>\d+\.?)*\s+\S")
_LONGEST_HEADING: Final = 250


class Caption(NamedTuple):
    """A printed caption on one line, its number as printed, and the heading after it on the same line."""

    label: str
    number: str
    heading: str = ""
    rank: int = 0


def article(text: str) -> Caption | None:
    """Parse ``Article 7 bis``, but not a treaty article's former number (``Article 57 - EEC Treaty``)."""
    found = _ARTICLE.fullmatch(text)
    if found is None:
        return None
    heading = found["heading"] or found["title"] or ""
    if heading and not _is_title(heading):
        return None
    label = text.removesuffix(heading).rstrip(" -–—:") if heading else text
    return Caption(label.removesuffix("."), _number(label, found["number"] or ""), heading)


def annex(text: str) -> Caption | None:
    """Parse ``ANNEXE II``, ``Appendix``, ``PROTOCOL No 1``; all or part of the heading may be in brackets."""
    found = _ANNEX.fullmatch(text)
    if found is None:
        return None
    number = annex_number(found["label"])
    heading = " ".join(found[part] for part in ("bracket", "heading", "title") if found[part])
    return Caption(found["label"], found["number"] or "" if number is None else number, heading)


def division(text: str) -> Caption | None:
    """Parse ``CHAPTER I``, ``Part Three: Community policies``, ``Troisième partie``."""
    found = _DIVISION.fullmatch(text)
    if found is None or (found["heading"] or "").endswith((";", ",")):
        return None
    return Caption(found["label"], "", found["heading"] or "", division_rank(found["label"]) or 0)


def recital(line: Line) -> str | None:
    """Return a recital's printed number; empty if it has none (``Whereas ...``); None for other lines."""
    if found := _NUMBERED.match(line.text):
        return found[1]
    return "" if is_unnumbered_recital(line.text) else None


def note(text: str) -> tuple[str, str] | None:
    """Return the number and text of a footnote, or None for other text."""
    found = _NOTE.fullmatch(text)
    return (found[1], found[2]) if found else None


def is_heading(line: Line) -> bool:
    """Return True if the line can be the title below a caption: a short line, neither sentence nor point."""
    return _is_short(line) and not _ITEM.match(line.text) and not line.text[0].islower()


def annex_part_level(line: Line) -> int:
    """Return the level of a heading in an annex: 1 for ``Section A`` and ``II. Criteria``, 2 for ``II.1.
    Procedure``; 0 for other lines."""
    if not _is_short(line):
        return 0
    part = _ANNEX_PART.match(line.text)
    if part is not None:
        return 2 if part["lower"] else 1
    return 1 if division(line.text) is not None else 0


def _number(label: str, printed: str) -> str:
    if _FIRST.fullmatch(printed):
        return "1"
    number = article_number(label)
    return printed if number is None else number


def _is_short(line: Line) -> bool:
    if line.table or line.note or line.quoted or len(line.text) > _LONGEST_HEADING:
        return False
    return not line.text.endswith((".", ";", ":", ","))


def _is_title(text: str) -> bool:
    return not _EARLIER_NUMBER.search(text) and not text.endswith((".", ";", ",", ":"))
