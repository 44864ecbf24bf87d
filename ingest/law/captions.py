"""Printed captions: "Article 7a", "ANNEX III", "CHAPTER II", and what units they name."""

import re
from typing import Final

from ingest.law.marks import QUOTES
from ingest.law.roman import roman_value

ORDINALS: Final = {
    "bis": "a", "ter": "b", "quater": "c", "quinquies": "d", "sexies": "e", "septies": "f",
    "octies": "g", "nonies": "h", "decies": "i", "undecies": "j", "duodecies": "k", "terdecies": "l",
    "quaterdecies": "m", "quindecies": "n", "sexdecies": "o", "septdecies": "p", "octodecies": "q",
    "novodecies": "r", "vicies": "s",
}  # fmt: skip
"""What inserted units are called in French and Latin; EUR-Lex names them by letters in all languages."""

_FIRST: Final = re.compile(r"(?:premier|première|1er|unique|sole|einziger?)\b", re.I)
_ARTICLE: Final = re.compile(
    r"^(?:Article|Artikel|Art\.?)\s+(?P<number>\d+|[IVXLC]+\b|premier\b|1er\b|unique\b)"
    r"(?P<suffix>(?:\s?[-–]?\s?(?:" + "|".join(ORDINALS) + r")\b)?(?:\s?[A-Za-z]{1,2}\b)?)",
    re.I,
)
_SOLE: Final = re.compile(r"^(?:sole|single|einziger)\s+(?:article|artikel)\b|^(?:article)\s+unique\b", re.I)
_ANNEX: Final = re.compile(
    r"^(?:ANNEX|ANNEXE|ANHANG|APPENDIX|APPENDICE)\b[\s\u00a0]*(?P<number>(?:\d+|[IVXLC]+|[A-Z])\b)?"
    r"(?P<suffix>(?:\s?(?:" + "|".join(ORDINALS) + r")\b)?(?:\s?[A-Za-z]\b)?)",
    re.I,
)
_LETTERED: Final = re.compile(
    r"^(?:ANNEX|ANNEXE|ANHANG)\s+(?P<number>\d+|[IVXLC]+)(?P<letter>[a-z])\b",
)
_RECITAL: Final = re.compile(r"^\((\d{1,4}[a-z]?)\)$")
_RANKS: Final = (
    re.compile(r"\b(?:part|partie|teil)\b", re.I),
    re.compile(r"\b(?:title|titre|titel)\b", re.I),
    re.compile(r"\b(?:chapter|chapitre|kapitel)\b", re.I),
    re.compile(r"\b(?:section|abschnitt)\b", re.I),
    re.compile(r"\b(?:subsection|sous-section|unterabschnitt)\b", re.I),
)


def article_number(caption: str) -> str | None:
    """The printed number of an article's caption (``7a``, ``28 bis``); "" for a sole one; else ``None``."""
    caption = unquoted(caption)
    if _SOLE.match(caption):
        return ""
    match = _ARTICLE.match(caption)
    if match is None:
        return None
    number = "1" if _FIRST.fullmatch(match["number"]) else match["number"]
    return _joined(number, match["suffix"])


def annex_number(caption: str) -> str | None:
    """The printed number of an annex's caption (``III``, ``I bis``); "" if it has none; else ``None``."""
    caption = unquoted(caption)
    if lettered := _LETTERED.match(caption):
        return lettered["number"] + lettered["letter"]
    match = _ANNEX.match(caption)
    if match is None:
        return None
    return _joined(match["number"], match["suffix"]) if match["number"] else ""


def recital_number(marker: str) -> str | None:
    """The number in a recital's printed marker ``(53)``."""
    match = _RECITAL.match(marker.strip())
    return match[1] if match else None


def article_name(number: str) -> str:
    """``art_7a`` for ``7a`` and for ``7 bis``; a sole article is ``art_1``."""
    return f"art_{_lettered(number) or '1'}"


def annex_name(number: str) -> str:
    """``anx_III``; ``anx`` for one without a number."""
    return f"anx_{_lettered(number)}" if number else "anx"


def follows(number: str, earlier: str) -> bool:
    """Whether the article ``number`` is the very next after ``earlier``: ``5b`` or ``6`` after ``5a``."""
    (integer, letters), (before, letters_before) = _order(number), _order(earlier)
    if integer == before:
        return len(letters) == 1 and ord(letters) == ord(letters_before or "`") + 1
    return integer == before + 1 and not letters


def may_follow(number: str, earlier: str) -> bool:
    """Whether the article ``number`` can come next after ``earlier``: letters may be left out."""
    (integer, letters), (before, letters_before) = _order(number), _order(earlier)
    return integer == before + 1 or (integer == before and letters > letters_before)


def is_next_integer(number: str, earlier: str) -> bool:
    """Whether the integer in ``number`` is the next after that in ``earlier``."""
    return _order(number)[0] == _order(earlier)[0] + 1


def division_rank(label: str) -> int | None:
    """How high a division stands: 0 for a part, 4 for a subsection; ``None`` if its label does not say."""
    return next((rank for rank in reversed(range(len(_RANKS))) if _RANKS[rank].search(label)), None)


def unquoted(text: str) -> str:
    """Without the quotation mark that opens it."""
    return text.lstrip(QUOTES + " \u00a0")


def _order(number: str) -> tuple[int, str]:
    found = re.fullmatch(r"art_(?:(\d+)|([IVXLC]+))([a-z]?)", article_name(number))
    if found is None:
        return -1, ""
    return int(found[1]) if found[1] else roman_value(found[2]), found[3]


def _joined(number: str, suffix: str) -> str:
    suffix = " ".join(suffix.replace("–", " ").replace("-", " ").split())
    words = suffix.split()
    if words and words[0].lower() in ORDINALS:
        return f"{number} {suffix}"
    return number + suffix.replace(" ", "")


def _lettered(number: str) -> str:
    first, *rest = number.split() or [""]
    return first + "".join(ORDINALS.get(word.lower(), word) for word in rest)
