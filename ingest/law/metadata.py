"""Reads an act's printed number, dates and names, and the acts that a consolidated text is made of."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from lxml import etree

from ingest.law.blocks import classes_of
from ingest.law.celex import ActType, celex_number
from ingest.law.dates import first_date
from ingest.law.languages import official

_REFERENCE: Final = re.compile(
    r"\b0?(\d{4}[A-Z]{1,2}\d{4}(?:\(\d+\))?)\s*[—–-]\s*([A-Z]{2})\s*[—–-]\s*([\d.]+)"
)
_ELI: Final = re.compile(r"https?://data\.europa\.eu/eli/[^\s\"<>]+")
_NUMBER: Final = re.compile(
    r"(?:\((?:EU|UE|EC|CE|EEC|CEE|EG|EWG|Euratom|ECSC|CECA)(?:,\s?Euratom)?\)\s*)?"
    r"(?:n\s?[o°º]\.?\s*|nr\.?\s*)?\d{1,4}/\d{1,4}(?:/[A-Z]{2,8})?",
    re.I,
)
_COMMUNITY: Final = re.compile(r"^(?:\([^)]*\)\s*)?(?:n\s?[o°º]\.?\s*|nr\.?\s*)?", re.I)
_LAST_BRACKETS: Final = re.compile(
    r"\((\d{1,4}/\d{1,4}/[A-Z]{2,8})(?:,\s?Euratom)?\)\s*(?:\((?:[^()]|\([^()]*\))*\)\s*)*$", re.I
)
_BEFORE_NUMBER: Final = 60
"""The most characters between the word for the type and the number ("directive du Conseil 91/680/CEE")."""

_TYPES: Final = (
    ("corrigendum", re.compile(r"corrigendum|rectificatif|berichtigung", re.I), ""),
    ("regulation", re.compile(r"regulation|règlement|verordnung", re.I), "R"),
    ("directive", re.compile(r"directive|richtlinie", re.I), "L"),
    ("decision", re.compile(r"decision|décision|beschluss|entscheidung", re.I), "D"),
    ("recommendation", re.compile(r"recommendation|recommandation|empfehlung", re.I), "H"),
    ("treaty", re.compile(r"treaty|traité|vertrag\b", re.I), ""),
)
_BY_LETTER: Final = {"R": "regulation", "L": "directive", "D": "decision", "H": "recommendation"}
_SHORT: Final = re.compile(r"\(([^()]{3,80})\)\s*$")
_NO_NAMES: Final = re.compile(
    r"\d|\b(?:recast|refonte|neufassung|codif\w+|kodif\w+|consolid\w+|text|texte|version|repealed|abrogé\w*)\b",
    re.I,
)
_LISBON_TREATY: Final = "12008E"
_TREATIES: Final = {
    "en": {
        "C": "Treaty establishing the European Community",
        "E": "Treaty on the Functioning of the European Union",
        "M": "Treaty on European Union",
        "P": "Charter of Fundamental Rights of the European Union",
    },
    "fr": {
        "C": "Traité instituant la Communauté européenne",
        "E": "Traité sur le fonctionnement de l'Union européenne",
        "M": "Traité sur l'Union européenne",
        "P": "Charte des droits fondamentaux de l'Union européenne",
    },
    "de": {
        "C": "Vertrag zur Gründung der Europäischen Gemeinschaft",
        "E": "Vertrag über die Arbeitsweise der Europäischen Union",
        "M": "Vertrag über die Europäische Union",
        "P": "Charta der Grundrechte der Europäischen Union",
    },
}
_MARKER: Final = re.compile(r"[►▼]?\s*([A-Z]\d+)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedMetadata:
    """Metadata in the head and foot of a page. ``amended_by``: pairs of marker and CELEX number."""

    celex: str = ""
    language: str = ""
    eli: str = ""
    published: date | None = None
    consolidated_on: date | None = None
    amended_by: tuple[tuple[str, str], ...] = ()


def printed(root: etree._Element) -> PrintedMetadata:
    """Return the metadata around the text, on pages of the Official Journal and in consolidated texts."""
    texts = _texts_by_class(root)
    reference = _REFERENCE.search(texts.get("reference", ""))
    eli = _ELI.search(texts.get("eli", ""))
    language = reference[2] if reference else texts.get("hd-lg", "")
    return PrintedMetadata(
        celex=f"3{reference[1]}" if reference else "",
        language=official(language),
        eli=eli[0] if eli else "",
        published=first_date(texts.get("hd-date", "")),
        consolidated_on=first_date(reference[3]) if reference else None,
        amended_by=tuple(_amending_acts(root)) if reference else (),
    )


def act_type(celex: str, title: str) -> str:
    """Return ``regulation``, ``directive`` ... by the first such word in the title, otherwise by the CELEX
    number."""
    named = [(match.start(), name) for name, words, _ in _TYPES if (match := words.search(title))]
    if named:
        return min(named)[1]
    return "treaty" if celex.startswith("1") else _BY_LETTER.get(celex[5:6], "act")


def number(title: str) -> str:
    """Return the act's number in its title, without its community: ``2024/1689``, ``96/71/EC``,
    ``219/2009``; empty if there is none."""
    return _COMMUNITY.sub("", _designation(title))


def celex_of(title: str) -> str:
    """Return the CELEX number of the act with that title; empty if unknown, as for a corrigendum, which names
    the act that it corrects."""
    types = _type_words(title)
    if not types or act_type("", title) == "corrigendum":
        return ""
    kind: ActType = types[0][2]  # type: ignore[assignment]
    return celex_number(kind, _designation(title)) or ""


def short_title(title: str) -> str:
    """Return the customary name in the last brackets of a title ("Artificial Intelligence Act"), or empty."""
    match = _SHORT.search(title)
    return match[1].strip() if match and not _NO_NAMES.search(match[1]) else ""


def treaty_title(celex: str, language: str) -> str:
    """Return the name of the treaty that a separately published article belongs to; empty if unknown."""
    names = _TREATIES.get(language, _TREATIES["en"])
    letter = celex[5:6] if celex.startswith("1") else ""
    return names.get("C" if letter == "E" and celex < _LISBON_TREATY else letter, "")


def _designation(title: str) -> str:
    """Return the number with its community, if it is at the beginning, shortly after the word for the type,
    or in the last brackets; other numbers belong to other acts."""
    first = _NUMBER.search(title)
    if first is not None:
        before = title[: first.start()]
        types = _type_words(before)
        behind = before[types[0][1] :] if types else before
        if len(types) <= 1 and len(behind) <= _BEFORE_NUMBER and not any(map(str.isdigit, before)):
            return first[0]
    last = _LAST_BRACKETS.search(title)
    return last[1] if last else ""


def _type_words(title: str) -> list[tuple[int, int, str]]:
    """Return the spans of words for types of acts, with their letters in CELEX numbers."""
    return sorted(
        (*match.span(), letter) for _, words, letter in _TYPES if letter for match in words.finditer(title)
    )


def _texts_by_class(root: etree._Element) -> dict[str, str]:
    texts: dict[str, str] = {}
    for paragraph in root.iter("p"):
        text = " ".join("".join(paragraph.itertext()).split())
        for name in classes_of(paragraph.get("class")):
            texts.setdefault(name, text)
        if text.startswith("ELI:"):
            texts.setdefault("eli", text)
    return texts


def _amending_acts(root: etree._Element) -> Iterator[tuple[str, str]]:
    """Yield each marker (``M1``) in the table of amendments with its act's CELEX number."""
    for row in root.iter("tr"):
        paragraphs = {name: node for node in row.iter("p") for name in classes_of(node.get("class"))}
        marker, act = paragraphs.get("arrow"), paragraphs.get("title-fam-member-star")
        if marker is None or act is None:
            continue
        found = _MARKER.search("".join(marker.itertext()))
        celex = celex_of(" ".join("".join(act.itertext()).split()))
        if found and celex:
            yield found[1], celex
