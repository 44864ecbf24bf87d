"""A page as visitors see it, as events.

The page is answered by the site itself, in this process, to a visitor who is not logged in. What such a
visitor would not get is never sent.
"""

from functools import cache
from io import BytesIO
from typing import Any, Final
from urllib.parse import unquote, unquote_to_bytes, urljoin, urlsplit

from django.conf import settings
from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpResponseBase
from django.utils import translation

from auskunft_django import addresses
from auskunft_django.config import Config
from auskunft_django.models import Entry
from auskunft_django.website import Version, website

Event = dict[str, Any]

SAVED: Final = "page.saved"
_GONE_STATUSES: Final = frozenset({301, 302, 303, 307, 308, 401, 403, 404, 410})
_MAX_SHOWN: Final = 300


class PageError(Exception):
    """The site cannot show a page that it should show."""


def events_of(entry: Entry, config: Config) -> list[Event]:
    """Return what is to be said of a page, as it is now. Raises ``PageError``.

    An event for each language that visitors see it in, and for each that they saw it in before; one for all
    languages if they do not see it at all.
    """
    versions = None if entry.deleted else _versions(entry.page, config)
    saved = [event for version in versions or () if (event := _saved(version, entry.revision))]
    if not saved:
        kind = "page.deleted" if versions is None else "page.unpublished"
        ids = sorted({entry.page, *(one["id"] for one in entry.known)})
        return [{"type": kind, "id": page, "revision": entry.revision} for page in ids]
    kept = [(event["id"], event["language"]) for event in saved]
    gone = [(one["id"], one["language"]) for one in entry.known]
    return [
        {"type": "page.unpublished", "id": page, "language": language, "revision": entry.revision}
        for page, language in gone
        if (page, language) not in kept
    ] + saved


def known(events: list[Event]) -> list[dict[str, str]]:
    """Return id, language and address of what Auskunft has after ``events``."""
    return [
        {name: event[name] for name in ("id", "language", "url")}
        for event in events
        if event["type"] == SAVED
    ]


def _versions(page: str, config: Config) -> list[Version] | None:
    """Return what may be public of a page; ``None`` if there is no such page. Raises ``PageError``."""
    if not addresses.is_address(page):
        return website().pages.versions(page, config)
    if not config.website:
        raise PageError("AUSKUNFT['website']: give the address of the website, for the pages of its views")
    return [addresses.version(page, config.website)]


def _saved(version: Version, revision: int) -> Event | None:
    """Return the event of a version; ``None`` if visitors do not get it."""
    html = _html(version, revision)
    if html is None:
        return None
    fields = {name: value for name, value in version.fields.items() if value}
    event = {"type": SAVED, "id": version.id, "revision": revision, "language": version.language}
    return event | {"url": version.url, "html": html} | fields


def _html(version: Version, revision: int) -> str | None:
    """Return what the site answers to a visitor; ``None`` if that is not for everybody."""
    response = _answer(version, revision)
    _check_address(version.url, response.headers.get("Location", ""))
    if response.status_code in _GONE_STATUSES:
        return None
    if response.status_code != 200:
        said = b"" if response.streaming else response.content
        shown = said.decode(errors="replace").strip()[:_MAX_SHOWN]
        raise PageError(f"the site answers {response.status_code} to visitors of {version.url}: {shown}")
    if not response.headers.get("Content-Type", "").startswith("text/html"):
        return None
    content = b"".join(response) if response.streaming else response.content
    return content.decode(response.charset, errors="replace")


def _check_address(url: str, location: str) -> None:
    """Raise ``PageError`` where the page is at the same path of another host or scheme."""
    asked, led = urlsplit(url), urlsplit(urljoin(url, location))
    is_same_path = unquote(led.path).rstrip("/") == unquote(asked.path).rstrip("/")
    if is_same_path and (led.scheme, led.netloc.lower()) != (asked.scheme, asked.netloc.lower()):
        raise PageError(
            f"the site redirects {url} to {led.scheme}://{led.netloc}: set its real address,"
            " in the CMS's site or as AUSKUNFT['website']"
        )


def _answer(version: Version, revision: int) -> HttpResponseBase:
    """Have the site answer a visitor's request. Raises ``PageError``."""
    parts = urlsplit(version.url)
    secure = parts.scheme == "https" or settings.SECURE_SSL_REDIRECT
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": unquote_to_bytes(parts.path).decode("latin-1"),
        # Caches keep an older answer under the page's own address.
        "QUERY_STRING": "&".join(filter(None, (parts.query, f"auskunft={revision}"))),
        "HTTP_HOST": parts.netloc,
        "HTTP_USER_AGENT": "auskunft",
        "REMOTE_ADDR": "127.0.0.1",
        "SERVER_NAME": parts.hostname,
        "SERVER_PORT": str(parts.port or (443 if secure else 80)),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.url_scheme": "https" if secure else "http",
        "wsgi.input": BytesIO(),
    }
    if secure and settings.SECURE_PROXY_SSL_HEADER:
        name, value = settings.SECURE_PROXY_SSL_HEADER
        environ[name] = value
    request = WSGIRequest(environ)
    if version.site is not None:
        request.site = version.site
    with translation.override(version.code):
        try:
            return _handler().get_response(request)
        except Exception as error:
            raise PageError(f"the site cannot show {version.url}: {type(error).__name__}: {error}") from error


@cache
def _handler() -> BaseHandler:
    handler = BaseHandler()
    handler.load_middleware()
    return handler
