"""Pages of law, told from all other pages.

Any source may give its pages metadata of these names. A page of law is one whose id is made of them too, as
:mod:`ingest.law.pages` makes it; what does not fit is a page like any other.
"""

import json
import re
from dataclasses import dataclass
from datetime import date
from typing import Final

from app.search.types import IndexedPage
from ingest.law.pages import page_id

_CELEX: Final = re.compile(r"[0-9][0-9A-Z()/-]{3,40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LawUnit:
    """Which unit of which text of an act a page is; ``unit``: its id within the act, with its part."""

    celex: str
    version: date
    unit: str


def law_unit(page: IndexedPage) -> LawUnit | None:
    """The page as a unit of law; ``None`` for a page that is none."""
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
    """The act that the page is of; empty for a page that is no law."""
    unit = law_unit(page)
    return unit.celex if unit else ""


def listed(metadata_value: str) -> list[str]:
    """A JSON list of texts; nothing where it is none."""
    try:
        value = json.loads(metadata_value)
    except (ValueError, RecursionError):
        return []
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
