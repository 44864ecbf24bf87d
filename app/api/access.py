"""Identifies the caller: a person who is logged in at the console, or a machine with the admin token.

A person's browser sends the session cookie, or the proxy in front of us sends the name of the user whom it
authenticated; a machine sends ``Authorization: Bearer TOKEN`` (RFC 6750). Requests of browsers that change
something must come from our own pages, by ``Sec-Fetch-Site`` or ``Origin`` (OWASP, "Cross-Site Request
Forgery Prevention", Fetch Metadata).
"""

import hmac
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, Final

from flask import g, request
from werkzeug.wrappers import Response

from app.accounts.types import User
from app.api.state import current_services
from app.errors import ForbiddenError, LoginError, NotFoundError, TokenError
from app.settings.sites import SiteSettings

COOKIE: Final = "auskunft-console"
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
MACHINE: Final = User(name="admin token", role="admin")


def require_admin() -> None:
    """Check that the request is an admin's.

    Raises ``TokenError`` if the caller is not logged in or their token is wrong, ``ForbiddenError`` if they
    are an editor, or if the settings have no token.
    """
    if not require_user().is_admin:
        raise ForbiddenError("only admins may do this")


def require_user() -> User:
    """Return the calling user or machine. Raises like :func:`require_admin`, but not for editors."""
    user = find_user()
    if user is not None:
        return user
    if not current_services().settings.admin_token.get_secret_value():
        remedy = "set AUSKUNFT_ADMIN_TOKEN, and restart, or log in at /admin"
        raise ForbiddenError("administration is off: {remedy}", remedy=remedy)
    raise TokenError


def find_user() -> User | None:
    """Return the calling user or machine, or None if unknown.

    Raises ``ForbiddenError`` for a request that another website made a browser send or whose user header does
    not come from a declared proxy, ``LoginError`` if the proxy names a user whom nobody added.
    """
    if "user" not in g:
        g.user = _machine() or _person()
    found: User | None = g.user
    return found


def visible_sources() -> frozenset[str] | None:
    """The sources that the caller may see; ``None`` for all."""
    return require_user().visible_sources


def visible_sites() -> list[SiteSettings]:
    """The sites all of whose sources the caller may see."""
    user = require_user()
    return [site for site in current_services().chat.sites.all() if user.may_see_all(frozenset(site.sources))]


def visible_site_keys() -> list[str] | None:
    """The sites whose questions the caller may see; ``None`` for all, even if no longer in the settings."""
    if visible_sources() is None:
        return None
    return [site.key for site in visible_sites()]


def require_site(key: str) -> None:
    """Raise ``NotFoundError`` for a site that the caller may not see."""
    visible = visible_site_keys()
    if visible is not None and key not in visible:
        raise NotFoundError("there is no site {name!r}", name=key)


def record(
    action: str, target: str, before: Mapping[str, Any] | None = None, after: Mapping[str, Any] | None = None
) -> None:
    """Record in the log of changes what the caller has just changed."""
    current_services().audit_log.record(require_user().name, action, target, before, after)


def require_source(name: str) -> None:
    """Raise ``NotFoundError`` for a source that the caller may not see, as if it did not exist."""
    if not require_user().may_see(name):
        raise NotFoundError("there is no source {name!r}", name=name)


def require_own_page() -> None:
    """Raise ``ForbiddenError`` for a change that another website made a browser send."""
    if request.method in SAFE_METHODS:
        return
    came_from = request.headers.get("Sec-Fetch-Site")
    ours = (f"http://{request.host}", f"https://{request.host}")
    is_ours = came_from == "same-origin" if came_from else request.headers.get("Origin") in ours
    if not is_ours:
        raise ForbiddenError("this request does not come from our own pages: open /admin and try again there")


def is_secure() -> bool:
    """True if browsers reach us through TLS."""
    return request.is_secure or current_services().settings.public_url.startswith("https://")


def host_cookie(name: str) -> str:
    """Return the cookie's name, behind TLS with the prefix by which browsers accept it only from this host
    (RFC 6265bis)."""
    return f"__Host-{name}" if is_secure() else name


def set_session(response: Response, token: str) -> None:
    """Set the session cookie: for this host alone, out of reach of scripts and other websites."""
    response.set_cookie(_cookie(), token, secure=is_secure(), httponly=True, samesite="Lax")


def end_session(response: Response) -> None:
    """Close the request's session, and delete its cookie."""
    if token := request.cookies.get(_cookie()):
        current_services().sessions.close(token)
    response.delete_cookie(_cookie(), secure=is_secure(), httponly=True, samesite="Lax")


def _machine() -> User | None:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    token = current_services().settings.admin_token.get_secret_value()
    if not token or scheme.lower() != "bearer":
        return None
    return MACHINE if hmac.compare_digest(given.strip().encode(), token.encode()) else None


def _person() -> User | None:
    user = _proxied() if current_services().settings.console.user_header else _logged_in()
    if user is not None:
        require_own_page()
    return user


def _logged_in() -> User | None:
    token = request.cookies.get(_cookie())
    return current_services().sessions.user(token) if token else None


def _proxied() -> User | None:
    """The user whom the proxy names. The header is refused, not ignored, if it does not come from a declared
    proxy, so that a wrong configuration is noticed."""
    console = current_services().settings.console
    name = request.headers.get(console.user_header, "").strip()
    if not name:
        return None
    if not any(_peer() in ip_network(each) for each in console.proxies):
        raise ForbiddenError(
            "{header} is only accepted from the proxies in console.proxies", header=console.user_header
        )
    try:
        return current_services().users.get(name)
    except NotFoundError:
        raise LoginError(
            "{name!r} is not a user: an admin can add them with `auskunft users add`", name=name
        ) from None


def _peer() -> IPv4Address | IPv6Address:
    """The address that the connection came from, before headers of proxies were applied."""
    original = request.environ.get("werkzeug.proxy_fix.orig", request.environ)
    return ip_address(original.get("REMOTE_ADDR") or "0.0.0.0")


def _cookie() -> str:
    return host_cookie(COOKIE)
