"""Refuses requests for foreign hosts if the server listens on this machine only.

A website can make its name resolve to 127.0.0.1 (DNS rebinding). The browser then treats our server as part
of that website, whose scripts can read our responses. ``Host`` still names the website: they cannot forge it.
"""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

import structlog
from apiflask import APIFlask
from flask import Response, request

from app.api.problem import problem
from app.api.state import current_services
from app.settings.settings import Settings
from app.settings.sites import is_loopback

SHOWN_CHARACTERS: Final = 100

_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[^\s@/?#\\:\[\]]+)(?::[0-9]*)?", re.I)

log = structlog.get_logger(__name__)


def register(app: APIFlask, settings: Settings) -> None:
    """Refuse requests for other hosts with 421, if ``host`` is loopback and no proxy is declared.

    The loopback names are allowed, and the hosts of ``public_url`` and of the sites' origins. A server that
    listens on all addresses, as in a container, or behind a declared proxy leaves this check to what is in
    front of it.
    """
    if not is_loopback(settings.host) or settings.trusted_proxies:
        return
    known = frozenset(_known(settings))

    @app.before_request
    def refuse_other_hosts() -> Response | None:
        named = request.headers.get("Host", "")
        host = _host(named)
        if not named or (host and (is_loopback(host) or host in known)):
            return None  # every browser names a host
        shown = named[:SHOWN_CHARACTERS]
        log.warning("host_refused", host=shown)
        remedy = "if it is this server's address, it belongs into public_url (AUSKUNFT_PUBLIC_URL)"
        return problem(421, "misdirected_request", f"there is no {shown!r} here: {remedy}")


def public_address() -> str:
    """The URL at which browsers and CMSs reach the server: ``public_url``, or else this request's host."""
    return current_services().settings.public_url.rstrip("/") or request.host_url.rstrip("/")


def _known(settings: Settings) -> Iterator[str]:
    for url in (settings.public_url, *(origin for site in settings.sites for origin in site.origins)):
        if host := _host(urlsplit(url).netloc):
            yield host


def _host(netloc: str) -> str | None:
    """Return the host without the port, in lower case, or None if it is invalid."""
    found = _HOST.fullmatch(netloc)
    return found[1].strip("[]").rstrip(".").lower() if found else None
