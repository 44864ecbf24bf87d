"""Recognises pages that are units of law.

Any source may use the same metadata names, so a page is a unit of law only if its id is also built from the
metadata as in :mod:`ingest.law.pages`.
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

_BEGINNING: Final = 400
"""The number of characters at the beginning in which an article says that it changes other acts."""

_CHANGE: Final = re.compile(
    r"\b(?:(?:is|are) (?:hereby )?(?:amended|repealed)|shall (?:enter into force|apply from)"
    r"|(?:wird|werden) (?:wie folgt )?(?:geändert|aufgehoben)|tritt .{0,80}in Kraft"
    r"|(?:est|sont) (?:modifiée?s?|abrogée?s?)|entre(?:nt)? en vigueur)\b",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LawUnit:
    """A unit of an act's text. ``unit``: its id within the act, including its part if it has one."""

    celex: str
    version: date
    unit: str


def law_unit(page: IndexedPage | Page) -> LawUnit | None:
    """Return the page as a unit of law; ``None`` for other pages."""
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


def changes_law(page: IndexedPage) -> bool:
    """Return True if the page begins by amending or repealing acts, or by setting its own act into force."""
    return bool(_CHANGE.search(page.fields.get("content", "")[:_BEGINNING]))


def celex_of(page: IndexedPage) -> str:
    """Return the CELEX number of the page's act; empty for other pages."""
    unit = law_unit(page)
    return unit.celex if unit else ""


def json_list(metadata_value: str) -> list[str]:
    """Return the strings of a JSON list; empty for any other value."""
    try:
        value = json.loads(metadata_value)
    except (ValueError, RecursionError):
        return []
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
