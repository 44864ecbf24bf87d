"""Recognises pages that are units of law.

Any source may use the same metadata names. A page is a unit of law only if its id, too, is built from the
metadata as :mod:`ingest.law.pages` does.
"""

import json
import re
from dataclasses import dataclass
from datetime import date
from typing import Final

from app.search.types import IndexedPage
from ingest.law.pages import page_id
from ingest.types import Page

_CELEX: Final = re.compile(r"[0-9][0-9A-Z()/-]{3,40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LawUnit:
    """A unit of an act's text. ``unit``: its id within the act, with its part."""

    celex: str
    version: date
    unit: str


def law_unit(page: IndexedPage | Page) -> LawUnit | None:
    """The page as a unit of law; ``None`` for other pages."""
    celex, written = page.metadata.get("celex"), page.metadata.get("version")
    if not celex or not written or not _CELEX.fullmatch(celex):
        return None
    try:
        version = date.fromisoformat(written)
    except ValueError:
        return None
    unit = page.ref.id.rpartition("/")[2]
    if page.ref.id != page_id(celex, version, unit):
        return None
    return LawUnit(celex=celex, version=version, unit=unit)


def celex_of(page: IndexedPage) -> str:
    """The CELEX number of the page's act; empty for other pages."""
    unit = law_unit(page)
    return unit.celex if unit else ""


def json_list(metadata_value: str) -> list[str]:
    """The texts of a JSON list; empty for any other value."""
    try:
        value = json.loads(metadata_value)
    except (ValueError, RecursionError):
        return []
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
