"""Makes an act's pages: one for each recital, article and annex, and one for the act itself.

A page is named ``CELEX@version/unit``, its document ``CELEX@version/language``: versions stay side by
side, and another text of the same version replaces the whole document. The page of the act contains its
title, citations and signatures. It comes last, so that it gets the highest sequence and is indexed last: the
versions of acts are known from these pages (:mod:`app.law.catalogue`), and a new version must take over only
once its other pages are there.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Final
from urllib.parse import quote

from ingest.errors import PageError
from ingest.law.definitions import defined_terms
from ingest.law.model import Act, Unit
from ingest.law.names import short_name
from ingest.law.references import references
from ingest.types import FieldName, MediaType, PageRef, RawField, RawPage

PLACE: Final = "https://eur-lex.europa.eu/legal-content/{language}/TXT/?uri=CELEX:{celex}"

MAX_ID_PART: Final = 200
"""The most characters of a unit's name in a page's id; a longer one is a mistake and refused."""

_DESIGNATION: Final = re.compile(r".{1,80}?\d+[/.-]\d+(?:/[A-Z]{2,4}\b)?")


def pages(act: Act, *, source: str, url: str = "") -> list[RawPage]:
    """Return the act's pages, that of the act last. ``url``: the text's address; by default that on EUR-Lex.

    Raises :class:`~ingest.errors.PageError` if a unit's name is too long.
    """
    place = url or address(act)
    units = [unit for unit in act.units if unit.kind not in ("act", "final")]
    terms = {unit.id: defined_terms(unit.markdown, act.language) for unit in units if unit.kind == "article"}
    listed = [_page(act, unit, terms.get(unit.id, ()), source, place) for unit in units]
    return [*listed, _act_page(act, terms, source, place)]


def document_name(celex: str, version: date, language: str) -> str:
    """Return the name of an act's text among a source's documents."""
    return f"{celex}@{version.isoformat()}/{language}"


def page_id(celex: str, version: date, unit: str) -> str:
    """Return the id of a unit's page, which is the same in all languages."""
    return f"{celex}@{version.isoformat()}/{unit}"


def address(act: Act) -> str:
    """Return the address where EUR-Lex shows this version of the act."""
    celex = f"0{act.celex[1:]}-{act.version:%Y%m%d}" if act.consolidated else act.celex
    return PLACE.format(language=act.language.upper(), celex=quote(celex))


def designation(act: Act) -> str:
    """Return a short name of the act: its customary name, otherwise the short title in its title, otherwise
    its printed number, otherwise its CELEX number."""
    if name := short_name(act.celex, act.language) or act.short_title:
        return name
    printed = _DESIGNATION.match(act.title)
    return _sentence_case(printed[0]) if printed else act.celex


def _page(act: Act, unit: Unit, terms: Sequence[str], source: str, place: str) -> RawPage:
    kept = {
        "unit": unit.name,
        "label": unit.label,
        "amended_by": " ".join(unit.amended_by),
        "references": _named_in(act, unit),
    }
    return RawPage(
        ref=_ref(act, unit.id, source),
        document=document_name(act.celex, act.version, act.language),
        url=f"{place}#{quote(unit.anchor)}" if unit.anchor else place,
        fields=_fields(
            name=f"{designation(act)}, {_caption(act, unit)}",
            title=unit.heading,
            description=" › ".join([*map(str, unit.divisions), act.title]),
            keywords=", ".join(dict.fromkeys((act.number, act.celex, *terms, *act.subjects))),
            content=unit.markdown,
        ),
        updated=_moment(act.version),
        kind=unit.kind,
        metadata=_known(_act_metadata(act) | kept),
    )


def _act_page(act: Act, terms: Mapping[str, Sequence[str]], source: str, place: str) -> RawPage:
    """Return the act's own page. ``terms``: the terms that each unit defines, by unit id."""
    defined: dict[str, str] = {}
    for unit, names in terms.items():
        for name in names:
            defined.setdefault(name, unit)
    own = [unit for unit in act.units if unit.kind in ("act", "final")]
    recitals = any(unit.kind == "recital" for unit in act.units)
    kept = {
        "unit": "act",
        "recitals": "yes" if recitals else "",
        "terms": json.dumps(defined, ensure_ascii=False) if defined else "",
    }
    return RawPage(
        ref=_ref(act, "act", source),
        document=document_name(act.celex, act.version, act.language),
        url=place,
        fields=_fields(
            name=designation(act),
            title=act.title,
            keywords=", ".join(dict.fromkeys((act.number, act.celex, *act.subjects))),
            content="\n\n".join([*_contents(act), *(unit.markdown for unit in own if unit.markdown)]),
        ),
        updated=_moment(act.version),
        kind="act",
        metadata=_known(_act_metadata(act) | kept),
    )


def _contents(act: Act) -> list[str]:
    """Return a list of articles and annexes, which answers what the act is about; empty if none has a
    heading."""
    lines = [
        f"- {unit.label}: {unit.heading}"
        for unit in act.units
        if unit.kind in ("article", "annex") and unit.heading and not unit.part
    ]
    return ["\n".join(lines)] if lines else []


def _named_in(act: Act, unit: Unit) -> str:
    """Return the other units that the unit's text names, as a JSON list of ``CELEX/unit`` in text order."""
    found = references(unit.markdown, celex=act.celex, unit=unit.name, language=act.language)
    named = dict.fromkeys(f"{item.celex}/{item.unit}" for item in found)
    others = [name for name in named if name != f"{act.celex}/{unit.name}"]
    return json.dumps(others) if others else ""


def _caption(act: Act, unit: Unit) -> str:
    if unit.kind == "recital":
        word = {"de": "Erwägungsgrund", "fr": "considérant"}.get(act.language, "recital")
        return f"{word} {unit.number}"
    label = _sentence_case(unit.label or unit.name)
    return f"{label} ({unit.part})" if unit.part else label


def _sentence_case(text: str) -> str:
    """Capitalise words in capitals: ``ANNEX III`` becomes ``Annex III``; Roman numerals and ``(EU)`` stay."""
    words = text.split()
    return " ".join(
        word.capitalize() if word.isalpha() and word.isupper() and len(word) > 4 else word for word in words
    )


def _ref(act: Act, unit: str, source: str) -> PageRef:
    if len(unit) > MAX_ID_PART:
        raise PageError("invalid", f"a unit that starts {unit[:20]!r} has a name of {len(unit)} characters")
    return PageRef(source=source, id=page_id(act.celex, act.version, unit), language=act.language)


def _fields(**texts: str) -> dict[FieldName, RawField]:
    def field(name: str, text: str) -> RawField:
        kind: MediaType = "text/markdown" if name == "content" else "text/plain"
        return RawField(text=text, media_type=kind)

    return {name: field(name, text) for name, text in texts.items() if text.strip()}  # type: ignore[misc]


def _act_metadata(act: Act) -> dict[str, str]:
    return {
        "celex": act.celex,
        "version": act.version.isoformat(),
        "short_title": designation(act),
        "type": act.type,
        "number": act.number,
        "eli": act.eli,
        "consolidated": "yes" if act.consolidated else "",
        "document_date": _day(act.document_date),
        "published": _day(act.published),
        "applies_from": _day(act.applies_from),
        "valid_until": _day(act.valid_until),
    }


def _known(metadata: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in metadata.items() if value}


def _day(day: date | None) -> str:
    return day.isoformat() if day else ""


def _moment(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
