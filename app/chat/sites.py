"""The websites whose visitors may ask, and which of them a request comes from.

A key is no secret: it stands in every page with the chat. What keeps other websites out is the browser's
``Origin`` header; programs can leave it away or forge it, and are held back by limits alone.
"""

from ipaddress import ip_address
from typing import Final

from app.errors import NotFoundError
from app.settings.settings import Settings
from app.settings.sites import SiteSettings, origin_of

DEFAULT_KEY: Final = "default"

_LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")


class Sites:
    """Those of the settings; and ``default`` on a machine that only talks to itself."""

    def __init__(self, settings: Settings) -> None:
        known = {site.key: site for site in settings.sites}
        if _is_loopback(settings.host):
            known.setdefault(DEFAULT_KEY, SiteSettings(key=DEFAULT_KEY, contact=settings.contact))
        self._sites = {key: site for key, site in known.items() if not site.suspended}
        self._public = origin_of(settings.public_url) if settings.public_url else ""

    def all(self) -> list[SiteSettings]:
        """Those that visitors may ask."""
        return list(self._sites.values())

    def find(self, key: str, origin: str | None) -> SiteSettings:
        """The site that a request from ``origin`` (``None``: it names none) may ask.

        Raises ``NotFoundError``, the same for an unknown key, a suspended site and another website.
        """
        site = self._sites.get(key)
        if site is None or not (origin is None or self.admits(site, origin)):
            raise NotFoundError("there is no such site: check the key and the page's address")
        return site

    def admits(self, site: SiteSettings, origin: str) -> bool:
        """Whether pages of ``origin`` may ask. Our own count as each site's; on ``default`` those of any port
        of this machine."""
        if origin in site.origins or (self._public and origin == self._public):
            return True
        return site.key == DEFAULT_KEY and not site.origins and _is_local(origin)


def _is_local(origin: str) -> bool:
    scheme, _, rest = origin.partition("://")
    host, _, port = rest.rpartition(":") if not rest.endswith("]") else (rest, "", "")
    host, port = (host, port) if host else (rest, "")
    return scheme in ("http", "https") and host in _LOOPBACK_NAMES and (not port or port.isdecimal())


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
