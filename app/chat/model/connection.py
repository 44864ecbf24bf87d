"""The connection to a language model's endpoint: the client, and the socket of each request."""

import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit

from httpx2 import Client, InvalidURL, Request, create_ssl_context
from openai import DefaultHttpxClient, Omit, OpenAI, Stream

import ingest.fetching.client  # noqa: F401 - loads httpx, of which openai must not meet a half
from app.chat.model.cancellation import Cancellation
from app.errors import SettingsError

_HEADERS: Final = {
    "Accept": "application/json",
    "Content-Type": "application/json",
    "User-Agent": "Auskunft",
    # Every reply has its own connection, so that it can be shut down without affecting others.
    "Connection": "close",
}
_OPENED: Final = frozenset({"connection.connect_tcp.complete", "connection.start_tls.complete"})

_cancellation: ContextVar[Cancellation] = ContextVar("cancellation")


class _Client(OpenAI):
    """Sends only headers that follow from the settings. Its base class adds some from environment variables
    meant for other programs (``OPENAI_ORG_ID``, ``OPENAI_CUSTOM_HEADERS``), and about this machine."""

    @property
    def default_headers(self) -> dict[str, str | Omit]:
        """The headers of every request."""
        return {**_HEADERS, **self.auth_headers}


def make_client(base_url: str, api_key: str) -> OpenAI:
    """Return a client for the endpoint that never repeats a request. Raises ``SettingsError`` if the
    environment names an invalid proxy."""
    # Ollama needs no key, but the client insists on one.
    return _Client(base_url=base_url, api_key=api_key or "none", max_retries=0, http_client=_http_client())


@contextmanager
def watched_by(cancellation: Cancellation) -> Iterator[None]:
    """Let ``cancellation`` watch the connections of requests that this thread begins in the body."""
    current = _cancellation.set(cancellation)
    try:
        yield
    finally:
        _cancellation.reset(current)


def host_of(base_url: str) -> str:
    """Return host and port of an endpoint. Raises ``SettingsError`` if its base URL is not an address."""
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if host is None or parts.scheme not in {"http", "https"}:
        raise SettingsError(
            "the model's base URL is not an address: use one such as http://127.0.0.1:11434/v1"
        )
    return f"{host}:{port}" if port else host


def socket_of(upstream: Stream[object]) -> socket.socket:
    """Return the socket that a reply is read from."""
    found: socket.socket = upstream.response.extensions["network_stream"].get_extra_info("socket")
    return found


def _http_client() -> Client:
    try:
        return DefaultHttpxClient(verify=_certificates(), event_hooks={"request": [_follow]})
    except (InvalidURL, ValueError):  # it reads the environment, and its error repeats a password
        raise SettingsError(
            "the proxy in HTTP_PROXY, HTTPS_PROXY or ALL_PROXY is not an address: correct it"
        ) from None


@cache  # reading them takes 30 ms
def _certificates() -> ssl.SSLContext:
    return create_ssl_context()


def _follow(request: Request) -> None:
    """Let the calling thread's ``Cancellation`` watch the connection of ``request``.

    httpcore's extension "trace" reports each connection before anything is sent over it.
    """
    cancellation = _cancellation.get()

    def opened(name: str, info: Mapping[str, Any]) -> None:
        if name in _OPENED:
            cancellation.watch(info["return_value"].get_extra_info("socket"))

    request.extensions["trace"] = opened
