"""Reads the metadata of a legacy text from Dublin Core fields of the old site, or from the text's head."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from lxml import etree

from ingest.law.languages import official
from ingest.law.legacy_lines import Line

_NAME: Final = re.compile(
    r"(?:EUR-Lex\s*-\s*|(?P<consolidated>Consolidated TEXT|TEXTE consolidé):\s*)"
    r"0?(?P<celex>\d{4,5}[A-Z]{1,2}\d{3,4}(?:\(\d+\)|-\d{2})?)(?:-(?P<version>\d{8}))?"
    r"\s*[-—]\s*(?P<language>[A-Z]{2})\b(?:\s*[-—]\s*(?P<date>\d{2}\.\d{2}\.\d{4}))?",
    re.IGNORECASE,
)
_PUBLISHED: Final = re.compile(
    r"(?:Official Journal|Journal officiel|\((?:OJ|JO)\b)[^\n]{0,40}?(\d{1,2})[./](\d{1,2})[./](\d{4})"
)
_LANGUAGE: Final = re.compile(r"/lex/([a-z]{2})/")
_MARK: Final = re.compile(r"[►▼]?\s*([MAC]\d{1,3})")
_CELEX: Final = re.compile(r"[1-9]\d{4}[A-Z]{1,2}\d{0,4}")
_ACT: Final = re.compile(
    r"(?:\w+ ){0,6}?(?:REGULATION|DIRECTIVE|DECISION|RÈGLEMENT|DÉCISION|RECOMMENDATION|RECOMMANDATION"
    r"|VERORDNUNG|RICHTLINIE|ENTSCHEIDUNG|BESCHLUSS|BESCHLUß|EMPFEHLUNG)\b.*\d",
    re.IGNORECASE,
)
_INSTITUTION: Final = re.compile(
    r"(?:THE|LE|LA|L['’]|LES|DER|DIE|DAS)\s*[A-ZÀÉÈÊÎÔÇÄÖÜß'’ ,-]{5,120}(?:,| -)?"
)
_LONGEST_TITLE_LINES: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleMetadata:
    """Metadata in the page's ``<title>``. ``version``: that of a consolidated text."""

    celex: str = ""
    language: str = ""
    version: date | None = None


def named(root: etree._Element) -> TitleMetadata:
    """Return the act, language and version that the page's ``<title>`` names."""
    found = _NAME.match(" ".join((root.findtext(".//title") or "").split()))
    if found is None:
        return TitleMetadata()
    celex = found["celex"] if len(re.match(r"\d+", found["celex"])[0]) == 5 else f"3{found['celex']}"  # type: ignore[index]
    version = None
    if found["version"]:
        version = _date(found["version"][:4], found["version"][4:6], found["version"][6:])
    elif found["date"]:
        day, month, year = found["date"].split(".")
        version = _date(year, month, day)
    return TitleMetadata(celex=celex, language=found["language"].lower(), version=version)


def is_consolidated(root: etree._Element) -> bool:
    """Return True if the page's ``<title>`` says that its text includes later amendments."""
    found = _NAME.match(" ".join((root.findtext(".//title") or "").split()))
    return found is not None and bool(found["consolidated"] or found["version"])


def field(root: etree._Element, name: str) -> str:
    """Return the content of the page's ``<meta name="DC.…">`` on one line; empty if missing."""
    found = next((meta for meta in root.iter("meta") if meta.get("name") == f"DC.{name}"), None)
    return "" if found is None else " ".join((found.get("content") or "").split())


def description(root: etree._Element) -> str:
    """Return the title that the site prints above the text; empty if there is none."""
    if given := field(root, "description"):
        return given
    above = root.find(".//*[@id='document1']//p/strong")
    return "" if above is None else " ".join("".join(above.itertext()).split())


def language(root: etree._Element, asked: str) -> str:
    """Return the language of the text (ISO 639-1), which may not be the one that was ``asked`` for."""
    if given := official(field(root, "language")):
        return given
    for link in root.iter("a"):
        found = _LANGUAGE.search(link.get("href") or "") if link.get("class") == "langue" else None
        if found and (code := official(found[1])):
            return code
    return asked or official(named(root).language)


def take_title(lines: list[Line]) -> str:
    """Remove the title from the preamble's lines and return it: from the kind of act to the institution;
    empty if there is none."""
    act = next((at for at, line in enumerate(lines) if not line.table and _ACT.match(line.text)), None)
    if act is None:
        return ""
    end = act + 1
    while end < len(lines) and not _INSTITUTION.fullmatch(lines[end].text):
        end += 1
    if end == len(lines) or end - act > _LONGEST_TITLE_LINES:
        end = act + 1
    title = " ".join(line.text for line in lines[act:end])
    del lines[act:end]
    return title


def title(described: str, printed: str, celex: str) -> str:
    """Return the site's title, which is not in capitals, or the printed one; a treaty's without its parts."""
    if celex.startswith("1"):
        return described.partition(" - ")[0].strip()
    return described or printed


def published(root: etree._Element, head: Iterable[Line]) -> date | None:
    """Return the date of the Official Journal, from the page's source field or the ``(OJ …)`` below the
    title, or None."""
    found = _PUBLISHED.search(field(root, "source") or "\n".join(line.text for line in head))
    return _date(found[3], found[2], found[1]) if found else None


def subjects(root: etree._Element) -> tuple[str, ...]:
    """Return the subject words of the page."""
    words = (part.strip() for part in field(root, "subject").split(","))
    return tuple(dict.fromkeys(word for word in words if word))


def amending_acts(root: etree._Element) -> tuple[tuple[str, str], ...]:
    """Return pairs of marker and amending act's CELEX number, from the links in the list of amendments."""
    found: dict[str, str] = {}
    for link in root.iter("a"):
        mark = _MARK.fullmatch("".join(link.itertext()).strip())
        celex = _CELEX.match(link.get("title") or "")
        if mark and celex:
            found.setdefault(mark[1], celex[0])
    return tuple(found.items())


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
