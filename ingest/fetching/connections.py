"""Connections that go only to checked addresses and end when their time is up.

A host's name is resolved once, at the moment of connecting. All its addresses are checked, and the connection
goes to one of them, so that a second answer of the name server cannot redirect it. ``Host``, the name in the
TLS handshake and the name in the certificate stay those of the URL.
"""

import socket
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from ipaddress import ip_address
from ssl import SSLContext
from threading import Thread
from typing import Any, Final

import httpcore

from ingest.errors import BlockedAddressError
from ingest.fetching.addresses import Address, AllowList, Server, is_metadata

Resolver = Callable[[str, int], Sequence[str]]
"""Returns all IP addresses of a host, as text. Raises ``OSError``."""

_deadline: Final[ContextVar[float]] = ContextVar("deadline")


@contextmanager
def until(deadline: float) -> Iterator[None]:
    """End every step of a connection in this block at ``deadline`` (of ``time.monotonic``)."""
    token = _deadline.set(deadline)
    try:
        yield
    finally:
        _deadline.reset(token)


def system_resolver(host: str, port: int) -> list[str]:
    """Resolve a host's name as this machine does.

    Done in a thread, so that Ctrl-C ends the wait: no signal interrupts the C library's resolver.
    """
    answer: Future[list[str]] = Future()

    def ask() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answer.set_result(list(dict.fromkeys(str(entry[4][0]) for entry in found)))
        except (OSError, UnicodeError) as error:  # labels that are empty or too long are UnicodeErrors
            answer.set_exception(error)
        finally:
            answer.cancel()  # after any other error, so that nobody waits forever

    Thread(target=ask, name="resolver", daemon=True).start()
    return answer.result()


class GuardedBackend(httpcore.SyncBackend):
    """Connects to public addresses and to those that ``allow`` permits; with ``only``, the latter applies to
    that server alone."""

    def __init__(self, allow: AllowList, resolve: Resolver, only: Server | None = None) -> None:
        self._allow = allow
        self._resolve = resolve
        self._only = only

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first of the host's addresses that answers. Raises ``BlockedAddressError``."""
        failure: httpcore.ConnectError | httpcore.ConnectTimeout | None = None
        for address in self._checked(host, port):
            try:
                stream = super().connect_tcp(
                    str(address), port, _remaining(timeout), local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return _TimedStream(stream)
        raise failure or httpcore.ConnectError("the name has no address")

    def _checked(self, host: str, port: int) -> list[Address]:
        try:
            addresses = [ip_address(found) for found in self._resolve(host, port)]
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"the name cannot be resolved ({error})") from error
        is_foreign = self._only is not None and not self._only.is_at(host, port)
        for address in addresses:
            if not self._allow.permits(host, address):
                raise BlockedAddressError(
                    _METADATA if is_metadata(address) else _PRIVATE, where=host, address=str(address)
                )
            if is_foreign and not _PUBLIC_ONLY.permits(host, address):
                raise BlockedAddressError(_FOREIGN, where=f"{host}:{port}", address=str(address))
        return addresses


_PUBLIC_ONLY: Final = AllowList()
_FOREIGN: Final = (
    "{where} is at {address}, from which this source may not fetch: for each source, "
    "fetch_allow opens only the server of its own address; use that address if the pages are there"
)


_METADATA: Final = (
    "{where} is at {address}, a cloud's metadata server, from which nothing is ever fetched: correct its "
    "DNS entry"
)
_PRIVATE: Final = (
    "{where} is at {address}, a private address: if it is yours, add its network or name to fetch_allow"
)


class _TimedStream(httpcore.NetworkStream):
    """A connection that limits each step to the time left, however slowly the other side sends."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _remaining(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _remaining(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _TimedStream(self._stream.start_tls(ssl_context, server_hostname, _remaining(timeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _remaining(timeout: float | None) -> float:
    left = _deadline.get() - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the time limit for the whole fetch has passed")
    return left if timeout is None else min(timeout, left)
