"""The only place where pages are requested over HTTP.

It uses httpcore, which has no cookies, environment proxies, stored credentials or automatic redirects that
would have to be switched off.
"""

import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final

import httpcore
import httpx

from ingest.errors import BlockedAddressError, FetchError, GoneError, RedirectedError, SourceUnavailableError
from ingest.fetching import bodies, urls
from ingest.fetching.addresses import AllowList, Server
from ingest.fetching.agent import USER_AGENT
from ingest.fetching.connections import GuardedBackend, Resolver, system_resolver, until
from ingest.fetching.pacing import Pacer, backoff, retry_after
from ingest.fetching.validators import Validators

MAX_REDIRECTS: Final = 5
ANY_TYPE: Final = "*/*"
"""Accepts every media type."""

_PORTS: Final = {"http": 80, "https": 443}
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_PERMANENT: Final = frozenset({301, 308})
_GONE: Final = frozenset({404, 410})
_BUSY: Final = frozenset({408, 425, 429})
_REFUSED: Final = frozenset({401, 403})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of a fetcher.

    ``total_seconds``: for one fetch with all redirects, retries and waits; resolving names and waiting for
    the host's rate limit do not count. ``max_bytes``: of a reply, packed and unpacked. ``per_second``:
    requests to one host.
    """

    max_bytes: int = 10_000_000
    total_seconds: float = 60.0
    connect_seconds: float = 5.0
    read_seconds: float = 20.0
    attempts: int = 3
    per_second: float = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedBody:
    """A successful reply. ``url``: the last one after redirects. ``media_type`` and the names of ``headers``
    are in lower case; repeated headers are joined with commas."""

    url: str
    body: bytes
    media_type: str
    validators: Validators
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    url: httpx.URL
    accept: Sequence[str]
    token: str
    known: Validators
    language: str
    max_bytes: int
    user_agent: str
    follow: bool
    cut: bool


class Fetcher:
    """Fetches with GET from public addresses and from those that ``allow`` permits. Thread-safe.

    ``authority``: a file with certificates to trust in addition to the usual ones. ``contact``: a contact for
    the servers' operators, sent with every request.
    """

    def __init__(
        self,
        allow: AllowList,
        limits: Limits,
        *,
        authority: Path | None = None,
        contact: str = "",
        resolve: Resolver = system_resolver,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._allow = allow
        self._limits = limits
        self._user_agent = _user_agent(contact)
        self._sleep = sleep
        self._resolve = resolve
        self._pacer = Pacer(limits.per_second, sleep)
        self._authority = authority
        self._lock = threading.Lock()
        self._confined: dict[Server, Fetcher] = {}
        self._pool = self._make_pool(None)

    def _make_pool(self, only: Server | None) -> httpcore.ConnectionPool:
        return httpcore.ConnectionPool(
            ssl_context=_ssl_context(self._authority),
            keepalive_expiry=10.0,
            network_backend=GuardedBackend(self._allow, self._resolve, only),
        )

    def confined(self, address: str) -> "Fetcher":
        """Return a client for which ``allow`` opens only the server of ``address``, wherever redirects lead.
        It has its own connections, shares this client's rate limits and is closed with it."""
        url = urls.checked(address)
        server = Server(host=url.raw_host.decode("ascii").rstrip("."), port=url.port or _PORTS[url.scheme])
        with self._lock:
            if server not in self._confined:
                client = copy(self)
                client._pool = self._make_pool(server)
                self._confined[server] = client
            return self._confined[server]

    def get(self, url: str, *, accept: Sequence[str], token: str = "") -> FetchedBody:
        """Fetch ``url``; ``accept`` lists the usable media types.

        ``token`` is sent as bearer token, only to the origin of ``url``. Raises ``SourceUnavailableError``
        (try later), ``GoneError``, ``BlockedAddressError`` and other ``FetchError``.
        """
        fetched = self.get_if_changed(url, Validators(), accept=accept, token=token)
        if fetched is None:
            raise FetchError(
                "invalid", "{where} answered HTTP 304 to an unconditional request", where=urls.shown(url)
            )
        return fetched

    def get_if_changed(
        self,
        url: str,
        known: Validators,
        *,
        accept: Sequence[str],
        token: str = "",
        language: str = "",
        max_bytes: int | None = None,
        per_second: float | None = None,
        follow: bool = True,
        cut: bool = False,
    ) -> FetchedBody | None:
        """Fetch as :meth:`get` does, but return None if nothing changed since the ``known`` validators.

        ``language``: preferred, if the address has several. ``max_bytes`` replaces the client's limit,
        ``per_second`` can only lower it. ``follow``: if False, a redirect raises ``RedirectedError``.
        ``cut``: of a larger body, return the first ``max_bytes``.
        """
        address = urls.checked(url)
        request = _Request(
            url=address,
            accept=accept,
            token=token,
            known=known if known.url in ("", str(address)) else Validators(),
            language=language,
            max_bytes=self._limits.max_bytes if max_bytes is None else max_bytes,
            user_agent=self._user_agent,
            follow=follow,
            cut=cut,
        )
        self._pacer.wait(request.url.raw_host, per_second)
        deadline = time.monotonic() + self._limits.total_seconds
        attempt = 1
        while True:
            try:
                return self._attempt(request, deadline)
            except SourceUnavailableError as error:
                wait = max(backoff(attempt, error.retry_seconds), 1 / per_second if per_second else 0)
                if attempt == self._limits.attempts or time.monotonic() + wait >= deadline:
                    raise
            attempt += 1
            self._sleep(wait)

    def close(self) -> None:
        """Close the connections."""
        for client in (self, *self._confined.values()):
            client._pool.close()

    def _attempt(self, request: _Request, deadline: float) -> FetchedBody | None:
        url = request.url
        for _ in range(MAX_REDIRECTS + 1):
            with until(deadline), _translated(url), self._reply(request, url) as reply:
                if reply.status == 304:
                    return None
                location = _text(reply, "Location")
                if reply.status not in _REDIRECTS or not location:
                    return self._read(reply, url, request)
                target = urls.redirected(url, location)
                if not request.follow:
                    raise RedirectedError(urls.shown(str(url)), str(target), reply.status in _PERMANENT)
                url = target
        raise FetchError(
            "invalid",
            "{where} redirects more than {count} times",
            where=urls.shown(str(request.url)),
            count=MAX_REDIRECTS,
        )

    @contextmanager
    def _reply(self, request: _Request, url: httpx.URL) -> Iterator[httpcore.Response]:
        limits = self._limits
        target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        timeout = {
            "connect": limits.connect_seconds,
            "read": limits.read_seconds,
            "write": limits.read_seconds,
            "pool": limits.total_seconds,
        }
        headers = _headers(request, url)
        with self._pool.stream("GET", target, headers=headers, extensions={"timeout": timeout}) as reply:
            yield reply

    def _read(self, reply: httpcore.Response, url: httpx.URL, request: _Request) -> FetchedBody:
        _check_status(reply, url)
        media_type = _text(reply, "Content-Type").partition(";")[0].strip().lower()
        where = urls.shown(str(url))
        if media_type not in request.accept and ANY_TYPE not in request.accept:
            raise _unusable(where, media_type, " or ".join(request.accept))
        length = _text(reply, "Content-Length")
        if not request.cut and length.isdecimal() and float(length) > request.max_bytes:
            raise bodies.too_large(where, request.max_bytes)
        encoding = _text(reply, "Content-Encoding").strip().lower()
        body = bodies.read(reply.iter_stream(), encoding, where, request.max_bytes, cut=request.cut)
        etag, last_modified = _text(reply, "ETag"), _text(reply, "Last-Modified")
        validators = Validators(etag=etag, last_modified=last_modified, url=str(request.url))
        return FetchedBody(
            url=str(url),
            body=body,
            media_type=media_type,
            validators=validators,
            headers=_all_headers(reply),
        )


def _headers(request: _Request, url: httpx.URL) -> list[tuple[bytes, bytes]]:
    headers = {
        "Host": url.netloc.decode("ascii"),
        "User-Agent": request.user_agent,
        "Accept": ", ".join(request.accept),
        "Accept-Encoding": bodies.ACCEPTED_ENCODING,
    }
    if request.token and _origin(url) == _origin(request.url):
        headers["Authorization"] = f"Bearer {request.token}"
    if request.language:
        headers["Accept-Language"] = request.language
    if request.known.etag:
        headers["If-None-Match"] = request.known.etag
    if request.known.last_modified:
        headers["If-Modified-Since"] = request.known.last_modified
    return [(name.encode("ascii"), value.encode("latin-1")) for name, value in headers.items()]


def _check_status(reply: httpcore.Response, url: httpx.URL) -> None:
    where, status = urls.shown(str(url)), reply.status
    if status in _GONE:
        raise GoneError("{where} answers HTTP {status}", where=where, status=status)
    if status in _BUSY or status >= 500:
        wait = retry_after(_text(reply, "Retry-After"), datetime.now(UTC))
        raise SourceUnavailableError(
            "{where} answers HTTP {status}", retry_seconds=wait, where=where, status=status
        )
    if status in _REFUSED:
        raise FetchError(
            "invalid",
            "{where} answers HTTP {status}: check the token",
            http_status=status,
            where=where,
            status=status,
        )
    if status != 200:
        raise FetchError(
            "invalid", "{where} answers HTTP {status}", http_status=status, where=where, status=status
        )


def _unusable(where: str, found: str, types: str) -> FetchError:
    if not found:
        return FetchError(
            "unsupported", "{where} sent no content type: only {types} is read", where=where, types=types
        )
    return FetchError(
        "unsupported",
        "{where} sent {found!r}: only {types} is read",
        where=where,
        found=found[:60],
        types=types,
    )


@contextmanager
def _translated(url: httpx.URL) -> Iterator[None]:
    where = urls.shown(str(url))
    try:
        yield
    except httpcore.TimeoutException as error:
        raise SourceUnavailableError("{where} does not answer in time", where=where) from error
    except httpcore.LocalProtocolError as error:
        raise BlockedAddressError(
            "{where} cannot be fetched: {error}", where=where, error=str(error)
        ) from error
    except (httpcore.NetworkError, httpcore.ProtocolError) as error:
        if isinstance(error.__context__, ssl.SSLCertVerificationError):
            why = error.__context__.verify_message
            raise FetchError(
                "invalid", "{where}: its certificate is not trusted ({why})", where=where, why=why
            ) from error
        cause = str(error) or type(error).__name__
        raise SourceUnavailableError(
            "{where} cannot be reached: {error}", where=where, error=cause
        ) from error


def _text(reply: httpcore.Response, name: str) -> str:
    wanted = name.lower().encode("ascii")
    return next((value.decode("latin-1") for key, value in reply.headers if key.lower() == wanted), "")


def _all_headers(reply: httpcore.Response) -> dict[str, str]:
    headers: dict[str, str] = {}
    for key, value in reply.headers:
        name, text = key.decode("latin-1").lower(), value.decode("latin-1")
        headers[name] = f"{headers[name]}, {text}" if name in headers else text
    return headers


def _user_agent(contact: str) -> str:
    """Return the ``User-Agent``, with the contact if a header can contain it."""
    plain = contact.strip()
    fits = plain.isascii() and plain.isprintable() and not set(plain) & set("()\\")
    return f"{USER_AGENT} (+{plain})" if plain and fits else USER_AGENT


def _origin(url: httpx.URL) -> tuple[str, bytes, int | None]:
    return url.scheme, url.raw_host, url.port


@cache  # reading the certificates takes 30 ms, which is longer than most requests
def _ssl_context(authority: Path | None) -> ssl.SSLContext:
    context = httpx.create_ssl_context(trust_env=False)
    if authority is not None:
        context.load_verify_locations(authority)
    return context
