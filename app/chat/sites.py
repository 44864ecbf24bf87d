"""The websites with a chat: finds the site of a request and the sources that it may search.

A site's key is not secret: every page with the chat contains it. Other websites are kept out by the browser's
``Origin`` header. Programs can omit or forge it; only the rate limits stop them.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

import structlog

from app.errors import DataFolderError, InputError, NotFoundError, PageStoreUnavailableError
from app.pages.site_texts import SiteTextRecord
from app.pages.store import PageStore
from app.search.languages import question_language
from app.settings.addresses import origin_of
from app.settings.settings import Settings
from app.settings.sites import SiteSettings, SiteTexts, is_loopback

DEFAULT_KEY: Final = "default"

SHOWN_CHARACTERS: Final = 100
"""So much of a key or origin chosen by somebody else is shown in messages."""

REST_SECONDS: Final = 5.0
"""After an error the page store is asked for changed texts only after this time, because each attempt makes a
request wait."""

_LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")

log = structlog.get_logger(__name__)


class Sites:
    """The sites of the settings, with the texts that admins changed, as of now. If the settings declare none,
    there is only ``default``, which searches all sources and is for whoever reaches the server."""

    def __init__(
        self, settings: Settings, changed: Callable[[], Mapping[str, SiteTextRecord]] = dict
    ) -> None:
        """``changed``: reads the texts that admins changed, by site."""
        self._are_declared = bool(settings.sites)
        sites = settings.sites or [SiteSettings(key=DEFAULT_KEY, contact=settings.contact)]
        self._sites = {site.key: site for site in sites if not site.suspended}
        self._read = changed
        self._rests_until = 0.0
        self._known: tuple[Mapping[str, SiteTextRecord], dict[str, SiteSettings]] = {}, self._sites
        self._public = origin_of(settings.public_url) if settings.public_url else ""
        self._is_local = is_loopback(settings.host) and not settings.trusted_proxies

    def all(self) -> list[SiteSettings]:
        """Return all sites that are not suspended."""
        return list(self._now().values())

    def declared(self, key: str) -> SiteSettings:
        """Return the site as the settings declare it. Raises ``KeyError``."""
        return self._sites[key]

    def written(self) -> dict[str, Any]:
        """Return the texts that admins wrote for these sites, by the full names of their settings, such as
        ``sites.town.name``. Raises ``PageStoreUnavailableError``."""
        records = self._read()
        return {
            f"sites.{key}.{name}": text
            for key in sorted(records.keys() & self._sites.keys())
            for name, text in records[key].texts.items()
        }

    def _now(self) -> dict[str, SiteSettings]:
        """Return the sites by key; while the page store is down, with the texts read last."""
        known, current = self._known
        if time.monotonic() < self._rests_until:
            return current
        try:
            records = self._read()
        except (PageStoreUnavailableError, DataFolderError) as error:
            log.warning("site_texts_missing", message=str(error))
            self._rests_until = time.monotonic() + REST_SECONDS
            return current
        if records != known:
            current = {key: with_texts(site, records.get(key)) for key, site in self._sites.items()}
            self._known = records, current  # in one assignment, because other threads may run this, too
        return current

    @property
    def main(self) -> SiteSettings | None:
        """The site of requests that name none: ``default``, or the only one; None if one must be named."""
        return _main(self._now())

    def find(self, key: str | None, origin: str | None, host: str = "") -> SiteSettings:
        """Return the site with this key, for a request to ``host`` from ``origin`` (None: without that
        header). Without a key, return :attr:`main`.

        Raises ``NotFoundError``, the same for an unknown key and a suspended site, and another one for an
        origin that is not allowed: without that header, anybody can see if the site exists.
        """
        sites = self._now()
        site = _main(sites) if key is None else sites.get(key)
        if site is None:
            raise self._unknown(key)
        if origin is not None and not self.allows_origin(site, origin, host):
            raise self._refusal(f"site {site.key!r}", origin)
        return site

    def check_origin(self, origin: str, host: str = "") -> None:
        """Raise ``NotFoundError`` if pages of ``origin`` may use none of the sites."""
        if not any(self.allows_origin(site, origin, host) for site in self._sites.values()):
            raise self._refusal("any site", origin)

    def _unknown(self, key: str | None) -> NotFoundError:
        if key is None:
            return NotFoundError(
                "there are several sites: name one by its key" if self._sites else "there is no site"
            )
        known = "a key declared under [[sites]] in auskunft.toml" if self._are_declared else "'default'"
        name = key[:SHOWN_CHARACTERS]
        return NotFoundError("site {name!r} is unknown: use {known}", name=name, known=known)

    def _refusal(self, whose: str, origin: str) -> NotFoundError:
        if origin == "null":
            return NotFoundError(
                "this page has no origin: open it from a web server, such as https://www.town.example"
            )
        named = f"origin {origin}" if _is_origin(origin) else "this page's origin"
        if self._are_declared:
            return NotFoundError(
                "{named} is not among `origins` of {whose}: add it to auskunft.toml", named=named, whose=whose
            )
        return NotFoundError(
            "{named} is not this service's: declare its website under [[sites]] in auskunft.toml", named=named
        )

    def allows_origin(self, site: SiteSettings, origin: str, host: str = "") -> bool:
        """Return True if pages of ``origin`` may use the site.

        The site's own origins and ours, ``public_url``, always may. ``host``: the address of the request. On
        a server that serves only this machine, by known names (:mod:`app.api.hosts`), our own pages at
        ``host`` may, too. An undeclared ``default`` without ``public_url`` is for pages at ``host`` on any
        server, and on such a local server for all pages of this machine.
        """
        if origin in site.origins or (self._public and origin == self._public):
            return True
        is_here = bool(host) and origin in (f"http://{host}", f"https://{host}")
        if self._are_declared or self._public:
            return is_here and self._is_local and _is_local(origin)
        return is_here or (self._is_local and _is_local(origin))


def with_texts(site: SiteSettings, record: SiteTextRecord | None) -> SiteSettings:
    """Return the site with the texts that admins changed."""
    texts = record.texts if record else {}
    return site.model_copy(update={name: texts[name] for name in SiteTexts.model_fields if name in texts})


def _main(sites: Mapping[str, SiteSettings]) -> SiteSettings | None:
    only = next(iter(sites.values())) if len(sites) == 1 else None
    return sites.get(DEFAULT_KEY, only)


def select_sources(store: PageStore, name: str | None, within: Collection[str] = ()) -> frozenset[str]:
    """Return the sources to search: the named one, or all of ``within``, or all that are indexed.

    Raises ``InputError`` for an unknown source, with the names of the known ones.
    """
    known = [source for source in store.sources() if not within or source in within]
    if name is None:
        return frozenset(known)
    if name not in known:
        if not known:
            raise InputError("unknown source {name!r}: none is indexed yet", name=name)
        raise InputError("unknown source {name!r}; known: {names}", name=name, names=", ".join(known))
    return frozenset((name,))


def choose_index(site: SiteSettings, name: str | None) -> SiteSettings:
    """Return the site with the sources and preset of the named index; unchanged without a name.

    Raises ``InputError`` for an unknown index, with the names of the known ones.
    """
    if name is None:
        return site
    if name not in site.indexes:
        if not site.indexes:
            raise InputError("unknown index {name!r}: this site has none to choose from", name=name)
        names = ", ".join(site.indexes)
        raise InputError("unknown index {name!r}; known: {names}", name=name, names=names)
    return site.with_index(name)


def examples_in(examples: Sequence[str], language: str) -> list[str]:
    """Return the example questions in ``language`` or in no detectable language; all of them if there are
    none, or if ``language`` is empty."""
    found = [example for example in examples if question_language(example) in (language, None)]
    return found if language and found else list(examples)


def examples_shown(examples: Sequence[tuple[str, str]], language: str) -> list[str]:
    """Return the example questions for ``language``. Each is given with its own language, empty if that must
    be detected."""
    said = [text for text, own in examples if own in ("", language) or not language]
    return examples_in(said, language) if said else [text for text, _ in examples]


def _is_origin(text: str) -> bool:
    try:
        return len(text) <= SHOWN_CHARACTERS and origin_of(text) == text
    except ValueError:
        return False


def _is_local(origin: str) -> bool:
    scheme, _, rest = origin.partition("://")
    host, _, port = rest.rpartition(":") if not rest.endswith("]") else (rest, "", "")
    host, port = (host, port) if host else (rest, "")
    return scheme in ("http", "https") and host in _LOOPBACK_NAMES and (not port or port.isdecimal())
