"""Makes the configured sources and the HTTP client with which they fetch."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from inspect import signature
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from app.errors import NotFoundError, SettingsError
from app.pages.pulls import Pull
from app.settings.settings import Settings
from app.settings.sources import SourceSettings
from ingest import registry
from ingest.errors import PluginError, SourceError
from ingest.fetching.addresses import AllowList
from ingest.protocols import DocumentSource, ListedSource, Source, WebsiteSource
from ingest.website.addresses import normalised

if TYPE_CHECKING:
    from ingest.fetching.client import Fetcher

_LISTING: Final = "listing"
_FETCH: Final = "fetch"
_CRAWL: Final = "crawl"
WEBSITE: Final = "website"
EURLEX: Final = "eurlex"
FILES: Final = "files"
MAX_NAME: Final = 64
DEAD_SECONDS: Final = 900
"""A pull whose process died is resumed only this long after its start, or after ``every`` if that is shorter,
because the cause may recur."""


def make_fetcher(settings: Settings) -> Fetcher:
    """Make the HTTP client. Raises ``SettingsError`` if the file of certificates cannot be read."""
    from ingest.fetching.client import Fetcher, Limits  # noqa: PLC0415 - httpx takes long to import

    limits = Limits(
        max_bytes=settings.max_page_bytes,
        total_seconds=settings.fetch_seconds,
        per_second=settings.fetch_per_second,
    )
    try:
        return Fetcher(
            AllowList.parse(settings.fetch_allow),
            limits,
            authority=settings.fetch_ca,
            contact=settings.contact,
        )
    except OSError as error:  # an SSLError is one
        raise SettingsError(f"fetch_ca {str(settings.fetch_ca)!r} cannot be used: {error}") from error


def make_source(
    settings: Settings, name: str, fetcher: Fetcher
) -> ListedSource | DocumentSource | WebsiteSource:
    """Make the source ``name`` for pulling.

    Raises ``NotFoundError``, ``SettingsError`` if it cannot be pulled, and ``PluginError``.
    """
    table = settings.sources.get(name)
    if table is None:
        known = ", ".join(sorted(settings.sources)) or "none"
        raise NotFoundError(f"no source {name!r} in the settings; known: {known}")
    if not table.kind:
        raise SettingsError(f"source {name!r} has no kind: its pages come only by events")
    factory = registry.factory("sources", table.kind)
    if not any(hasattr(factory, way) for way in (_LISTING, _FETCH, _CRAWL)):
        raise SettingsError(
            f"source {name!r}: the kind {table.kind!r} cannot be pulled: use `auskunft index`"
        )
    options = (_conversion_limits(settings) if table.kind == WEBSITE else {}) | table.options()
    try:
        source: ListedSource | DocumentSource | WebsiteSource = registry.create(
            "sources", table.kind, name=name, fetcher=fetcher, **options
        )
    except PluginError as error:
        raise SettingsError(f"source {name!r}: {error}") from error
    return source


def make_listed_source(settings: Settings, name: str, fetcher: Fetcher) -> ListedSource:
    """Make a source as :func:`make_source` does. Raises ``SettingsError`` if its pages cannot be fetched one
    by one."""
    source = make_source(settings, name, fetcher)
    if isinstance(source, DocumentSource | WebsiteSource):
        raise SettingsError(f"source {name!r}: its pages cannot be fetched one by one")
    return source


def make_reader(
    settings: Settings,
    name: str,
    path: str,
    *,
    language: str | None,
    fetcher: Callable[[], Fetcher],
    base_url: str | None = None,
) -> Source:
    """Make the source ``name`` for ``path``: a folder or file, or ``eurlex:`` and CELEX numbers.

    Its kind is that of its table if that reads folders, otherwise the plugin called ``name``, otherwise
    ``files``. ``base_url``: the folder's address on the web, only for ``files``. Raises ``PluginError`` and
    ``SourceError``.
    """
    table = settings.sources.get(name, SourceSettings())
    if path.startswith(f"{EURLEX}:"):
        options = table.options() if table.kind == EURLEX else {}
        options |= {"languages": language} if language else {}
        acts = path.removeprefix(f"{EURLEX}:")
        fetched: Source = _created(EURLEX, {**options, "name": name, "fetcher": fetcher(), "acts": acts})
        return fetched
    kind = next((kind for kind in (table.kind, name) if reads_folders(kind)), FILES)
    options = table.options() if table.kind == kind else {}
    if kind == FILES:
        options = {"max_bytes": settings.max_page_bytes, **_conversion_limits(settings), **options}
        options |= {"base_url": base_url} if base_url else {}
    source: Source = _created(kind, {**options, "name": name, "path": path, "language": language})
    return source


def make_website(
    settings: Settings, address: str, *, name: str | None, language: str | None, fetcher: Fetcher
) -> WebsiteSource:
    """Make the source for the website at ``address``. Its name, unless given, is that of the settings' table
    with this address, otherwise the host. Raises ``PluginError`` and ``SourceError``."""
    start = normalised(address)
    tables = {key: table.options() for key, table in settings.sources.items() if table.kind == WEBSITE}
    known = (key for key, table in tables.items() if normalised(str(table.get("address"))) == start)
    name = name or next(known, None) or _name_of(start)
    options = _conversion_limits(settings) | tables.get(name, {})
    options |= {"language": language} if language else {}
    source: WebsiteSource = _created(
        WEBSITE, {**options, "name": name, "fetcher": fetcher, "address": address}
    )
    return source


def _created(kind: str, options: Mapping[str, Any]) -> Any:
    """Make a source with options that a command line gives. Raises ``SourceError`` if the source refuses one
    of them, otherwise ``PluginError``."""
    try:
        return registry.create("sources", kind, **options)
    except PluginError as error:
        if isinstance(error.__cause__, ValueError):
            raise SourceError(str(error)) from error
        raise


def _conversion_limits(settings: Settings) -> dict[str, Any]:
    """The limits for converting a document, for sources with documents."""
    return {
        "conversion_seconds": settings.conversion_seconds,
        "conversion_bytes": settings.conversion_bytes,
    }


def _name_of(address: str) -> str:
    """Return a name for the website: its host, in the characters allowed in names."""
    host = re.sub(r"[^a-z0-9]+", "-", (urlsplit(address).hostname or "").lower()).strip("-")
    return host[:MAX_NAME] or WEBSITE


def reads_folders(kind: str) -> bool:
    """Return True if sources of the kind can read a path given to `auskunft index`."""
    known = kind in registry.names("sources")
    return known and "path" in signature(registry.factory("sources", kind)).parameters


def next_pull(table: SourceSettings, last: Pull | None, now: datetime) -> datetime | None:
    """Return when to pull a source next: ``now`` if it is due, ``None`` if it is pulled only on demand."""
    if not table.kind or table.every is None:
        return None
    if last is None or (last.left and last.finished_at and not last.begun):
        return now
    wait = min(table.every, DEAD_SECONDS) if last.left or last.begun else table.every
    return max(now, last.started_at + timedelta(seconds=wait))


def can_be_pulled(table: SourceSettings) -> bool:
    """Return True if single pages of the source can be fetched."""
    known = table.kind in registry.names("sources")
    return known and hasattr(registry.factory("sources", table.kind), _LISTING)


def is_full_pull(table: SourceSettings, last: Pull | None, now: datetime) -> bool:
    """Return True if the next pull needs the complete listing, not only updates since the last one."""
    if last is None or last.complete_at is None or last.updated_after is None:
        return True
    return now - last.complete_at >= timedelta(seconds=table.full_every)
