"""A page as visitors see it, as an event.

The page is answered by the site itself, in this process, to a visitor who is not logged in. What such a
visitor would not get is never sent.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from io import BytesIO
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpResponseBase
from django.utils import translation
from wagtail.models import Page

from auskunft_wagtail.models import Entry

Event = dict[str, Any]

SAVED: Final = "page.saved"
_GONE_STATUSES: Final = frozenset({301, 302, 303, 307, 308, 401, 403, 404, 410})
_MAX_SHOWN: Final = 300


class PageError(Exception):
    """The site cannot show a page that it should show."""


def events_of(entry: Entry, exclude: tuple[str, ...]) -> list[Event]:
    """Return what is to be said of a page, as it is now. Raises ``PageError``.

    One event, or two if the page was in another language before.
    """
    page = Page.objects.filter(pk=entry.page).select_related("locale").first()
    if page is None:
        return [_gone(entry, "page.deleted")]
    if not is_public(page, exclude):
        return [_gone(entry, "page.unpublished")]
    html = _html(page, entry.revision)
    if html is None:
        return [_gone(entry, "page.unpublished")]
    saved = _saved(page.specific, entry, html)
    if entry.language not in ("", saved["language"]):
        return [_gone(entry, "page.unpublished") | {"language": entry.language}, saved]
    return [saved]


def is_public(page: Page, exclude: tuple[str, ...]) -> bool:
    """Tell whether everybody may see the page, at an address of its own.

    Aliases show the text of another page, which is sent for itself.
    """
    return bool(
        page.live
        and page.alias_of_id is None
        and page.full_url
        and not (page.expire_at and page.expire_at <= datetime.now(UTC))
        and page.specific_class
        and page.specific_class._meta.label_lower not in exclude
        and not page.get_view_restrictions().exists()
    )


def _gone(entry: Entry, kind: str) -> Event:
    return {"type": kind, "id": entry.page, "revision": entry.revision}


def _saved(page: Page, entry: Entry, html: str) -> Event:
    keywords = getattr(page, "keywords", None) or getattr(page, "search_keywords", None)
    fields: Mapping[str, Any] = {
        "url": page.full_url,
        "title": page.seo_title or page.title,
        "name": page.title,
        "description": page.search_description,
        "keywords": keywords if isinstance(keywords, str) else None,
        "html": html,
        "updated": page.last_published_at and page.last_published_at.isoformat(),
        "publish_until": page.expire_at and page.expire_at.isoformat(),
    }
    event = {"type": SAVED, "id": entry.page, "revision": entry.revision, "language": _language(page)}
    return event | {name: value for name, value in fields.items() if value}


def _language(page: Page) -> str:
    """Return the ISO 639-1 code of the page's locale; ``und`` for languages that have none."""
    code = page.locale.language_code.split("-")[0].lower()
    return code if len(code) == 2 else "und"


def _html(page: Page, revision: int) -> str | None:
    """Return what the site answers to a visitor; ``None`` if that is not for everybody."""
    response = _answer(page.full_url, page.locale.language_code, revision)
    if response.status_code in _GONE_STATUSES:
        return None
    if response.status_code != 200:
        said = b"" if response.streaming else response.content
        shown = said.decode(errors="replace").strip()[:_MAX_SHOWN]
        raise PageError(f"the site answers {response.status_code} to visitors of {page.full_url}: {shown}")
    if not response.headers.get("Content-Type", "").startswith("text/html"):
        return None
    content = b"".join(response) if response.streaming else response.content
    return content.decode(response.charset, errors="replace")


def _answer(url: str, language: str, revision: int) -> HttpResponseBase:
    """Have the site answer a request for ``url``. Raises ``PageError``."""
    parts = urlsplit(url)
    secure = parts.scheme == "https" or settings.SECURE_SSL_REDIRECT
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": parts.path.encode().decode("latin-1"),
        # Caches keep an older answer under the page's own address.
        "QUERY_STRING": f"auskunft={revision}",
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
    with translation.override(language):
        try:
            return _handler().get_response(WSGIRequest(environ))
        except Exception as error:
            raise PageError(f"the site cannot show {url}: {type(error).__name__}: {error}") from error


@cache
def _handler() -> BaseHandler:
    handler = BaseHandler()
    handler.load_middleware()
    return handler
