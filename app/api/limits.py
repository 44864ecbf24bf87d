"""Rate limits: requests per minute from one address, and ten times as many from all addresses to a site.

Messages that a person reads are limited per hour. Requests that the site refuses are not counted. Addresses
are stored with the counters for the counted minute or hour: in Redis, shared by all web servers, if the
settings name one, otherwise in memory. While Redis is unavailable each server counts for itself. Local
requests to an undeclared ``default`` site have no limits; a declared one has the limits of other sites.
"""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final, cast

from apiflask import APIFlask
from flask import Response, current_app, g, request
from flask_limiter import Limiter, RateLimitExceeded
from limits.errors import StorageError
from werkzeug.middleware.proxy_fix import ProxyFix

from app.api.metrics import is_local_request
from app.api.state import current_metrics
from app.errors import FloodError
from app.settings.settings import Settings
from app.settings.sites import SITE_FACTOR, SiteSettings

WINDOW_SECONDS: Final = 60
FACTORS: Final = {"chat": 1, "feedback": 1, "search": 3, "typing": 12, "site": 60}
"""Multiples of the site's ``questions_per_minute``, by kind of request: mostly the name of its blueprint."""
OTHER_FACTOR: Final = 6
"""The multiple for all other kinds."""
HOURLY: Final = {"message": 5}
"""Requests per hour, for kinds that a person reads."""
HOUR_SECONDS: Final = 3_600
IPV6_PREFIX: Final = 64
"""A household or a machine gets a whole network, so all its addresses count as one visitor (RFC 6177)."""
LOGINS_OF_ADDRESS: Final = "10 per minute"
LOGINS_OF_NAME: Final = "30 per 15 minutes"
"""Attempts for a name from all addresses together, so that a password cannot be guessed from many machines.
Each known browser is counted separately."""
REDIS_SECONDS: Final = 1
"""The timeout of calls to Redis."""

_COUNT: Final = "auskunft-count"
_COUNT_LOGIN: Final = "auskunft-count-login"
_DECLARED: Final = "auskunft-declared-sites"


def register(app: APIFlask, settings: Settings) -> None:
    """Add the limits to ``app``. With ``trusted_proxies``, the visitor's address is the one that the
    outermost proxy saw."""
    if hops := settings.trusted_proxies:
        # The documented way to add middleware to Flask.
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=0)  # type: ignore[method-assign]
    broker = settings.broker_url.get_secret_value()
    timeouts = {"socket_timeout": REDIS_SECONDS, "socket_connect_timeout": REDIS_SECONDS}
    limiter = Limiter(
        _address,
        app=app,
        storage_uri=broker or "memory://",
        storage_options={"wrap_exceptions": True, "key_prefix": "auskunft:limits", **timeouts}
        if broker
        else {},
        in_memory_fallback_enabled=bool(broker),
    )
    app.after_request(_count_refusal)
    limiter.logger.setLevel(logging.WARNING)  # lower levels log addresses
    limiter.request_filter(_has_no_limit)
    app.extensions[_DECLARED] = frozenset(site.key for site in settings.sites)
    # Flask-Limiter checks its limits when a decorated function is called, so we call one that does nothing.
    counted = limiter.shared_limit(_per_address, scope=_kind, key_func=_visitor)(_no_op)
    counted = limiter.shared_limit(_per_site, scope=_kind, key_func=_site_key)(counted)
    app.extensions[_COUNT] = partial(_count, limiter, counted)
    login = limiter.shared_limit(LOGINS_OF_ADDRESS, scope="login", key_func=_address)(_no_login)
    login = limiter.shared_limit(LOGINS_OF_NAME, scope="login-name", key_func=_login_name)(login)
    app.extensions[_COUNT_LOGIN] = partial(_count, limiter, login)


def count_request(site: SiteSettings, kind: str = "") -> None:
    """Count the request for the site. ``kind``: a key of ``FACTORS`` or ``HOURLY``, by default the
    request's blueprint.

    Raises ``FloodError`` if a limit is exceeded.
    """
    g.counted = (site, kind or request.blueprint or "")
    g.visitor = visitor(site)
    current_app.extensions[_COUNT]()


def count_login(name: str, device: str = "") -> None:
    """Count an attempt to log in with this name. ``device``: a browser that the user has used before. It is
    counted separately, so that strangers' guesses do not lock the user out. Raises ``FloodError`` if a limit
    is exceeded."""
    g.login_name = f"{name.strip().lower()} {device}".strip()
    current_app.extensions[_COUNT_LOGIN]()


def visitor(site: SiteSettings) -> str:
    """Return the visitor's key for the site's limits: their address, for IPv6 their network; empty for a
    client without limits."""
    if site.key not in current_app.extensions[_DECLARED] and is_local_request():
        return ""
    return f"{site.key}/{_address()}"


def _count(limiter: Limiter, counted: Callable[[], None]) -> None:
    try:
        counted()
    except RateLimitExceeded as error:
        seconds = WINDOW_SECONDS
        with suppress(StorageError):  # Redis went away after counting
            if limit := limiter.current_limit:
                seconds = limit.reset_at - int(time.time())
        raise FloodError(seconds) from error


def _count_refusal(response: Response) -> Response:
    if response.status_code == HTTPStatus.TOO_MANY_REQUESTS:
        current_metrics().count_refusal(request.blueprint or "")
    return response


def _no_op() -> None:
    """Do nothing; Flask-Limiter counts the calls."""


def _no_login() -> None:
    """Do nothing; a separate function, because Flask-Limiter keeps limits by function name."""


def _has_no_limit() -> bool:
    if "login_name" in g:
        return False
    return "counted" not in g or not g.visitor


def _login_name() -> str:
    return cast(str, g.login_name) or _address()


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
    return kind if kind in FACTORS or kind in HOURLY else "other"


def _amount() -> int:
    site: SiteSettings = g.counted[0]
    return site.questions_per_minute * FACTORS.get(g.counted[1], OTHER_FACTOR)


def _per_address() -> str:
    return _limit(1)


def _per_site() -> str:
    return _limit(SITE_FACTOR)


def _limit(factor: int) -> str:
    if (amount := HOURLY.get(g.counted[1])) is not None:
        return f"{factor * amount} per {HOUR_SECONDS} seconds"
    return f"{factor * _amount()} per {WINDOW_SECONDS} seconds"
