"""How often visitors may ask: so many requests of an address a minute, ten times as many of all on a site.

Counted are requests that a site lets in. Addresses are kept for their minute alone, where the counters are:
in memory, or in Redis where the settings name one, for all web servers together. While Redis is away each
server counts for itself. ``default`` on a machine that only talks to itself knows no limits for the programs
of that machine; declared in the settings, it has those of other sites.
"""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final, cast

from apiflask import APIFlask
from flask import current_app, g, request
from flask_limiter import Limiter, RateLimitExceeded
from limits.errors import StorageError
from werkzeug.middleware.proxy_fix import ProxyFix

from app.api.metrics import is_asked_here
from app.errors import FloodError
from app.settings.settings import Settings
from app.settings.sites import SiteSettings

WINDOW_SECONDS: Final = 60
SITE_FACTOR: Final = 10
FACTORS: Final = {"chat": 1, "feedback": 1, "search": 3}
"""Times the site's ``questions_per_minute``, by blueprint."""
OTHER_FACTOR: Final = 6
"""For reading what was answered."""
IPV6_PREFIX: Final = 64
"""What a household or a machine gets: each of its addresses is the same visitor (RFC 6177)."""
ANSWER_SECONDS: Final = 1
"""How long Redis may take."""

_COUNT: Final = "auskunft-count"
_DECLARED: Final = "auskunft-declared-sites"


def register(app: APIFlask, settings: Settings) -> None:
    """Let ``app`` count; with ``trusted_proxies`` the visitor's address is what the outermost of them saw."""
    if hops := settings.trusted_proxies:
        # The documented way to add middleware to Flask.
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=0)  # type: ignore[method-assign]
    broker = settings.broker_url.get_secret_value()
    timeouts = {"socket_timeout": ANSWER_SECONDS, "socket_connect_timeout": ANSWER_SECONDS}
    limiter = Limiter(
        _address,
        app=app,
        storage_uri=broker or "memory://",
        storage_options={"wrap_exceptions": True, "key_prefix": "auskunft:limits", **timeouts}
        if broker
        else {},
        in_memory_fallback_enabled=bool(broker),
    )
    limiter.logger.setLevel(logging.WARNING)  # below, it tells addresses
    limiter.request_filter(lambda: "counted" not in g or not g.visitor)
    app.extensions[_DECLARED] = frozenset(site.key for site in settings.sites)
    # The library checks whatever function it decorates; of two limits the first that is exceeded refuses.
    counted = limiter.shared_limit(_per_address, scope=_kind, key_func=_visitor)(_nothing)
    counted = limiter.shared_limit(_per_site, scope=_kind, key_func=_site_key)(counted)
    app.extensions[_COUNT] = partial(_count, limiter, counted)


def check(site: SiteSettings, kind: str = "") -> None:
    """Count the request on the site. ``kind``: one of ``FACTORS``, the request's blueprint if none is given.

    Raises ``FloodError``.
    """
    g.counted = (site, kind or request.blueprint or "")
    g.visitor = visitor(site)
    current_app.extensions[_COUNT]()


def visitor(site: SiteSettings) -> str:
    """Who asks, for limits on the site: his address, of IPv6 the network; empty if he has none."""
    if site.key not in current_app.extensions[_DECLARED] and is_asked_here():
        return ""
    return f"{site.key}/{_address()}"


def _count(limiter: Limiter, counted: Callable[[], None]) -> None:
    try:
        counted()
    except RateLimitExceeded as error:
        seconds = WINDOW_SECONDS
        with suppress(StorageError):  # Redis left since it counted
            if limit := limiter.current_limit:
                seconds = limit.reset_at - int(time.time())
        raise FloodError(seconds) from error


def _nothing() -> None:
    """Counting is all."""


def _visitor() -> str:
    return cast(str, g.visitor)


def _address() -> str:
    try:
        address = ip_address(request.remote_addr or "")
    except ValueError:
        return "unknown"
    if not isinstance(address, IPv6Address):
        return str(address)
    return str(address.ipv4_mapped or IPv6Network((int(address), IPV6_PREFIX), strict=False))


def _site_key() -> str:
    return cast(str, g.counted[0].key)


def _kind(_endpoint: str) -> str:
    kind = cast(str, g.counted[1])
    return kind if kind in FACTORS else "other"


def _amount() -> int:
    site: SiteSettings = g.counted[0]
    return site.questions_per_minute * FACTORS.get(g.counted[1], OTHER_FACTOR)


def _per_address() -> str:
    return f"{_amount()} per {WINDOW_SECONDS} seconds"


def _per_site() -> str:
    return f"{SITE_FACTOR * _amount()} per {WINDOW_SECONDS} seconds"
