"""Parses printed captions ("Article 7a", "ANNEX III", "CHAPTER II") and names their units."""

import re
from typing import Final

from ingest.law.inline import REFERENCE
from ingest.law.marks import QUOTES
from ingest.law.roman import roman_value

ORDINALS: Final = {
    "bis": "a", "ter": "b", "quater": "c", "quinquies": "d", "sexies": "e", "septies": "f",
    "octies": "g", "nonies": "h", "decies": "i", "undecies": "j", "duodecies": "k", "terdecies": "l",
    "quaterdecies": "m", "quindecies": "n", "sexdecies": "o", "septdecies": "p", "octodecies": "q",
    "novodecies": "r", "vicies": "s",
}  # fmt: skip
"""Latin suffixes of inserted units; EUR-Lex's identifiers use letters in all languages."""

ARTICLE_WORDS: Final = (
    r"Article|Artikel|Art\.?|Articolo|Artículo|Artigo|Artykuł|Článek|Článok|Člen|Članak|Articolul|Член|Άρθρο"
    r"|Artikkel|Artikolu|Airteagal"
)
"""Words before an article's number, in all official languages that do not put them after it."""

_ARTICLE_WORDS_BEHIND: Final = r"artikla|cikk|pants|straipsnis|člen"
_ANNEX_WORDS: Final = (
    r"ANNEXE?|ANHANG|ALLEGATO|ANEXO|BIJLAGE|BILAGA?|LIITE|ZAŁĄCZNIK|P[ŘR]ÍLOHA|PRILOGA?|ANEX[AĂ]|ПРИЛОЖЕНИЕ"
    r"|ΠΑΡΑΡΤΗΜΑ|ANNESS|IARSCRÍBHINN"
)
_ANNEX_WORDS_BEHIND: Final = "MELLÉKLET|PIELIKUMS|PRIEDAS|LISA"
_APPENDIX_WORDS: Final = (
    r"APPENDI(?:X|CE|ĊI)|ANLAGE|AP[ÉE]NDICE|APÊNDICE|AANHANGSEL|TILLÆG|TILLÄGG|LISÄYS|DODAT[EAO]K|ДОПЪЛНЕНИЕ"
    r"|ΠΡΟΣΑΡΤΗΜΑ|FOSCRÍBHINN"
)
_LETTERS: Final = str.maketrans("αβγδεζηθабвгдежз", "abcdefgh" * 2)
"""Greek and Bulgarian letters after numbers; EUR-Lex's identifiers use Latin ones in all languages."""

_ROMAN: Final = "[IVXLC]{1,10}"
_ANY_NUMBER: Final = re.compile(rf"(?:^|\s)(\d{{1,4}}[a-z]?|{_ROMAN}[a-z]?)\b")
_FIRST: Final = re.compile(r"(?:premier|première|1er)\b", re.I)
_ORDINAL: Final = rf"(?:\s?[-–]?\s?(?:{'|'.join(ORDINALS)})\b)?"
_END: Final = r"(?=[\s.:]*(?:$|\())"
_ARTICLE: Final = re.compile(
    rf"(?:{ARTICLE_WORDS})\s+(?P<number>\d{{1,4}}(?!\d)|(?-i:{_ROMAN}(?=[a-z]?\b))|(?:premier|1er|unique)\b)"
    rf"(?:\.o|\.?º)?(?P<suffix>{_ORDINAL}(?:[A-Z]{{1,2}}\b|\.?[a-zα-θа-з]\b|\s?[-–]?\s?[A-Z]\b{_END})?)",
    re.I,
)
_NUMBERED_ARTICLE: Final = re.compile(
    rf"(?P<number>\d{{1,4}})[./]?\s?(?P<suffix>[A-Z]?)\.?\s?(?:{_ARTICLE_WORDS_BEHIND})\b", re.I
)
_SOLE: Final = re.compile(
    r"(?:sole|single|einziger|enig|eneste|enda)\s+(?:article|artikel)\b"
    r"|(?:article|artículo|artigo|articolo)\s+(?:unique|único|unico)\b",
    re.I,
)
_NUMBER_OF_ANNEX: Final = (
    rf"(?P<number>(?:\d{{1,4}}[A-Z]?|{_ROMAN}|(?-i:{_ROMAN}[a-zA-H])|[A-Z])\b)"
    rf"(?P<suffix>{_ORDINAL}(?:\s?[-–]?\s?[A-Z]\b{_END})?)"
)
_ANNEX: Final = re.compile(rf"(?:{_ANNEX_WORDS}|{_APPENDIX_WORDS})\b(?:\s*{_NUMBER_OF_ANNEX})?", re.I)
_NUMBERED_ANNEX: Final = re.compile(
    rf"(?:(?P<number>\d{{1,4}}|{_ROMAN})\b\.?\s+)?(?P<suffix>)(?:{_ANNEX_WORDS_BEHIND})\b", re.I
)
_APPENDIX: Final = re.compile(rf"(?:{_APPENDIX_WORDS})\b", re.I)
_RECITAL: Final = re.compile(r"^\((\d{1,4}[a-z]?)\)$")
_RANKS: Final = (
    re.compile(r"\b(?:part|partie|teil)\b", re.I),
    re.compile(r"\b(?:title|titre|titel)\b", re.I),
    re.compile(r"\b(?:chapter|chapitre|kapitel)\b", re.I),
    re.compile(r"\b(?:section|abschnitt)\b", re.I),
    re.compile(r"\b(?:subsection|sous-section|unterabschnitt)\b", re.I),
)


def article_number(caption: str) -> str | None:
    """Return the printed number in an article's caption (``7a``, ``28 bis``); empty for a sole article; None
    for other captions."""
    caption = _bare(caption)
    if _SOLE.match(caption):
        return ""
    match = _ARTICLE.match(caption) or _NUMBERED_ARTICLE.match(caption)
    if match is None:
        return None
    return _joined("1" if _FIRST.fullmatch(match["number"]) else match["number"], match["suffix"])


def annex_number(caption: str) -> str | None:
    """Return the printed number in the caption of an annex or appendix (``III``, ``I bis``); empty if it has
    none; None for other captions."""
    caption = _bare(caption)
    match = _ANNEX.match(caption) or _NUMBERED_ANNEX.match(caption)
    if match is None:
        return None
    return _joined(match["number"], match["suffix"]) if match["number"] else ""


def is_appendix(caption: str) -> bool:
    """Return True if the caption is that of an appendix, which is numbered within an annex."""
    return _APPENDIX.match(_bare(caption)) is not None


def any_number(caption: str) -> str:
    """Return the first number in a caption whose words are not known; empty if it has none."""
    found = _ANY_NUMBER.search(_bare(caption))
    return found[1] if found else ""


def recital_number(marker: str) -> str | None:
    """Return the number in a recital's printed marker ``(53)``, or None for other markers."""
    match = _RECITAL.match(marker.strip())
    return match[1] if match else None


def article_name(number: str) -> str:
    """Return the unit's name: ``art_7a`` for ``7a``, ``7 A`` and ``7 bis``; a sole article is ``art_1``."""
    return f"art_{plain_number(number) or '1'}"


def annex_name(number: str) -> str:
    """Return the unit's name: ``anx_III``; ``anx`` without a number."""
    return f"anx_{plain_number(number)}" if number else "anx"


def appendix_name(number: str, annex: str) -> str:
    """Return the unit's name: ``anx_III.app_2`` for the appendix ``2`` to ``annex``, or ``anx.app_2`` if that
    is empty."""
    return f"{annex or 'anx'}.app{'_' if number else ''}{plain_number(number)}"


def plain_number(number: str) -> str:
    """Return a printed number as in names of units: Roman digits in capitals, letters after it in lower
    case."""
    first, *rest = number.split() or [""]
    return _plain_first(first) + "".join(ORDINALS.get(word.lower(), word.lower()) for word in rest)


def follows(number: str, earlier: str) -> bool:
    """Return True if the article ``number`` directly follows ``earlier``: ``5b`` or ``6`` after ``5a``."""
    (integer, letters), (before, letters_before) = _order(number), _order(earlier)
    if integer == before:
        return len(letters) == 1 and ord(letters) == ord(letters_before or "`") + 1
    return integer == before + 1 and not letters


def may_follow(number: str, earlier: str) -> bool:
    """Return True if the article ``number`` can come next after ``earlier``: letters may be skipped."""
    (integer, letters), (before, letters_before) = _order(number), _order(earlier)
    return integer == before + 1 or (integer == before and letters > letters_before)


def is_next_integer(number: str, earlier: str) -> bool:
    """Return True if the integer in ``number`` is the successor of that in ``earlier``."""
    return _order(number)[0] == _order(earlier)[0] + 1


def division_rank(label: str) -> int | None:
    """Return the level of a division, from 0 for a part to 4 for a subsection, or None if unknown."""
    return next((rank for rank in reversed(range(len(_RANKS))) if _RANKS[rank].search(label)), None)


def unquoted(text: str) -> str:
    """Return the text without an opening quotation mark."""
    return text.lstrip(QUOTES + " \u00a0")


def _order(number: str) -> tuple[int, str]:
    found = re.fullmatch(r"art_(?:(\d+)|([IVXLC]+))([a-z]?)", article_name(number))
    if found is None:
        return -1, ""
    return int(found[1]) if found[1] else roman_value(found[2]), found[3]


def _bare(caption: str) -> str:
    """Return the caption without an opening quotation mark and footnote references."""
    return unquoted(REFERENCE.sub("", caption)).strip()


def _plain_first(printed: str) -> str:
    if printed[:1].isdigit():
        return printed.lower().translate(_LETTERS)
    if printed.islower() and roman_value(printed.upper()):
        return printed.upper()
    if not roman_value(printed) and roman_value(printed[:-1]):
        return printed[:-1] + printed[-1].lower()
    return printed


def _joined(number: str, suffix: str) -> str:
    suffix = " ".join(re.sub(r"[–.-]", " ", suffix).split())
    words = suffix.split()
    if words and words[0].lower() in ORDINALS:
        return f"{number} {suffix}"
    return number + suffix.replace(" ", "")
