"""Extracts schema.org data (JSON-LD) from a page's HTML: contacts, addresses, opening hours and prices.

The data is metadata; only the page's text is searched. Broken, hostile and huge data is left out.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import structlog
from lxml import etree

from ingest.text import shortened, visible

READ_CHARACTERS: Final = 1024 * 1024
"""Only the beginning of a page is parsed, because that happens in the caller's process, without a time
limit."""

SCRIPT_CHARACTERS: Final = 64 * 1024
MOST_DEPTH: Final = 12
MOST_VALUES: Final = 1_000
"""The most values in all scripts of a page together."""

TEXT_CHARACTERS: Final = 200
MOST_NUMBER: Final = 10**9

_NAMES: Final = frozenset({"@type", "name"})
_WITHIN: Final = frozenset({
    "@graph", "mainEntity", "about", "provider", "department", "location", "contactPoint", "address",
    "openingHoursSpecification", "specialOpeningHoursSpecification", "offers", "hasOfferCatalog",
    "itemListElement", "itemOffered", "priceSpecification",
})  # fmt: skip
_FACTS: Final = frozenset({
    "telephone", "email", "contactType", "streetAddress", "postalCode", "addressLocality", "address",
    "dayOfWeek", "opens", "closes", "validFrom", "validThrough", "price", "priceCurrency",
    "priceValidUntil", "availabilityStarts", "availabilityEnds", "lowPrice", "highPrice",
    "minPrice", "maxPrice",
})  # fmt: skip

log = structlog.get_logger(__name__)


def json_ld(html: str, page: str) -> str:
    """Return the data in the scripts of a page, as a JSON list of objects without unused values; empty if
    there is none. ``page``: its name in the log."""
    found: list[Any] = []
    skipped: list[str] = []
    budget = _Budget()
    for script in _scripts(html[:READ_CHARACTERS]):
        try:
            if len(script) > SCRIPT_CHARACTERS:
                raise ValueError(f"more than {SCRIPT_CHARACTERS:,} characters")
            kept = budget.kept(json.loads(script))
        except (ValueError, RecursionError) as error:
            skipped.append(shortened(str(error), TEXT_CHARACTERS))
            continue
        found += [each for each in (kept if isinstance(kept, list) else [kept]) if isinstance(each, dict)]
    if skipped:
        log.info("json_ld_skipped", page=page, scripts=len(skipped), error=skipped[0])
    return json.dumps(found, ensure_ascii=False) if found else ""


def _scripts(html: str) -> Iterator[str]:
    """Yield the texts of the scripts with JSON-LD."""
    target = _ScriptTarget()
    etree.fromstring(
        html.encode("utf-8", "replace"), etree.HTMLParser(target=target, huge_tree=True, encoding="utf-8")
    )
    return map("".join, target.scripts)


class _Budget:
    """Limits the number of values that are read from a page."""

    def __init__(self) -> None:
        self._read = 0

    def kept(self, value: Any, depth: int = 0) -> Any:
        """Return the value without unused parts, or None if nothing is left. Raises ``ValueError`` if there
        are too many values, or they are nested too deeply."""
        self._read += 1
        if depth > MOST_DEPTH or self._read > MOST_VALUES:
            raise ValueError(f"more than {MOST_VALUES:,} values, or {MOST_DEPTH} within each other")
        match value:
            case dict():
                return self._object(value, depth)
            case list():
                return [each for item in value if (each := self.kept(item, depth + 1)) is not None] or None
            case str():
                return shortened(" ".join(visible(value).split()), TEXT_CHARACTERS) or None
            case bool() | None:
                return None
            case _:
                return value if abs(value) < MOST_NUMBER else None

    def _object(self, value: Mapping[str, Any], depth: int) -> dict[str, Any] | None:
        used = {key: value[key] for key in value if key in _NAMES | _WITHIN | _FACTS}
        found = {key: self.kept(each, depth + 1) for key, each in used.items()}
        found = {
            key: each
            for key, each in found.items()
            if each is not None and (key in _NAMES | _FACTS or not isinstance(each, str))
        }
        return found if found.keys() - _NAMES else None


class _ScriptTarget:
    """Receives lxml's parse events, so that no tree is built, whatever the page's size."""

    def __init__(self) -> None:
        self.scripts: list[list[str]] = []
        self._is_open = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        kind = (attributes.get("type") or "").partition(";")[0].strip().lower()
        self._is_open = tag == "script" and kind == "application/ld+json"
        if self._is_open:
            self.scripts.append([])

    def end(self, _tag: str) -> None:
        self._is_open = False

    def data(self, text: str) -> None:
        if self._is_open:
            self.scripts[-1].append(text)

    def close(self) -> None:
        """Part of lxml's target interface."""
