"""Makes the sources that the settings name, and the client they fetch with."""

from datetime import datetime, timedelta
from typing import Final

from app.errors import NotFoundError, SettingsError
from app.pages.pulls import Pull
from app.settings import Settings
from app.sources_settings import SourceSettings
from ingest import registry
from ingest.errors import PluginError
from ingest.fetching import AllowList, Fetcher, Limits
from ingest.protocols import ListedSource

_LISTING: Final = "listing"


def make_fetcher(settings: Settings) -> Fetcher:
    """The client. Raises ``SettingsError`` where the file of certificates cannot be read."""
    limits = Limits(
        max_bytes=settings.max_page_bytes,
        total_seconds=settings.fetch_seconds,
        per_second=settings.fetch_per_second,
    )
    try:
        return Fetcher(AllowList.parse(settings.fetch_allow), limits, authority=settings.fetch_ca)
    except OSError as error:  # an SSLError is one
        raise SettingsError(f"fetch_ca {str(settings.fetch_ca)!r} cannot be used: {error}") from error


def make_source(settings: Settings, name: str, fetcher: Fetcher) -> ListedSource:
    """The source ``name``, to be pulled.

    Raises ``NotFoundError``, ``SettingsError`` if it is not one that can be, and ``PluginError``.
    """
    table = settings.sources.get(name)
    if table is None:
        known = ", ".join(sorted(settings.sources)) or "none"
        raise NotFoundError(f"no source {name!r} in the settings: known are {known}")
    if not table.kind:
        raise SettingsError(f"source {name!r} has no kind: its pages come by events alone")
    if not hasattr(registry.factory("sources", table.kind), _LISTING):
        raise SettingsError(
            f"source {name!r}: the kind {table.kind!r} cannot be pulled: use `auskunft index`"
        )
    try:
        source: ListedSource = registry.create(
            "sources", table.kind, name=name, fetcher=fetcher, **table.options()
        )
    except PluginError as error:
        raise SettingsError(f"source {name!r}: {error}") from error
    return source


def next_pull(table: SourceSettings, last: Pull | None, now: datetime) -> datetime | None:
    """When a source is to be pulled next, ``now`` if it is time; ``None`` if it is pulled on demand."""
    if not table.kind or table.every is None:
        return None
    if last is None or last.left:
        return now
    return max(now, last.started_at + timedelta(seconds=table.every))


def can_be_pulled(table: SourceSettings) -> bool:
    """Whether its pages can be fetched one by one."""
    known = table.kind in registry.names("sources")
    return known and hasattr(registry.factory("sources", table.kind), _LISTING)


def is_full_pull(table: SourceSettings, last: Pull | None, now: datetime) -> bool:
    """Whether a complete listing is to be asked for, not only what was updated since the last one."""
    if last is None or last.complete_at is None or last.updated_after is None:
        return True
    return now - last.complete_at >= timedelta(seconds=table.full_every)
