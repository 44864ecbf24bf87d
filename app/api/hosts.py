"""Refuses requests for foreign hosts where the server listens on this machine only.

A website may let its name lead to 127.0.0.1 (DNS rebinding): the browser then takes the server for a part of
that website, and its scripts read the answers. What the browser cannot forge is ``Host``.
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
    """Refuse requests for other hosts with 421, where ``host`` is loopback and no proxy is declared.

    Allowed are this machine's own names and those of ``public_url`` and of the sites' origins. Who listens on
    all addresses, as in a container, or says that there is a proxy, leaves the choice to what is in front.
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
    """Where browsers and CMSs reach the server, as the settings say, else as this request did."""
    return current_services().settings.public_url.rstrip("/") or request.host_url.rstrip("/")


def _known(settings: Settings) -> Iterator[str]:
    for url in (settings.public_url, *(origin for site in settings.sites for origin in site.origins)):
        if host := _host(urlsplit(url).netloc):
            yield host


def _host(netloc: str) -> str | None:
    """Return the name or address without the port, in small letters; ``None`` for what is none."""
    found = _HOST.fullmatch(netloc)
    return found[1].strip("[]").rstrip(".").lower() if found else None
