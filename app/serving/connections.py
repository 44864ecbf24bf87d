"""waitress, protected against slow clients.

One loop reads requests, passes only complete ones to a thread, and sends the responses that threads write.
waitress waits for a client as long as a byte comes now and then. Here a whole request has a deadline, and if
the server waits for too many clients, the address with the most connections loses one.
"""

import json
import math
import resource
import socket
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from waitress import wasyncore
from waitress.channel import ClientDisconnected, HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask
from waitress.utilities import Error

CLIENT_SECONDS: Final = 10.0
"""Limit for receiving a request's head, between two requests, and for a client that does not read."""

LEAST_BYTES_PER_SECOND: Final = 50_000
"""A body or a response extends the limit by the time that it takes at this rate."""

TRANSFER_SECONDS: Final = 300.0
"""The longest such extension, however large the body is."""

LINGER_SECONDS: Final = 2.0
"""The time that the client has to close its end, so that it reads the whole response (RFC 9112, 9.6)."""

WAITING_CONNECTIONS: Final = 512
"""The most clients that the server waits for; above this, a connection is closed."""

BUFFERED_BYTES: Final = 256_000_000
"""The most buffered bytes of unfinished requests and unsent responses, most of them in files; above this, the
largest connections are closed."""

OPEN_FILES: Final = 4_096

BodyLimit = Callable[[str], int]


class LengthRequiredError(Error):  # type: ignore[misc]
    """The body's length is unknown, so that it is refused unread."""

    code = 411
    reason = "Length Required"


class RequestTimeoutError(Error):  # type: ignore[misc]
    """The request did not arrive in time."""

    code = 408
    reason = "Request Timeout"


class Refusal(ErrorTask):  # type: ignore[misc]
    """Answers a request that never reaches the application with a problem document like the application's."""

    def execute(self) -> None:
        """Write a problem document, then close."""
        error = self.request.error
        code = error.reason.lower().replace(" ", "_")
        problem = {"type": "about:blank", "title": error.reason, "status": error.code, "detail": error.body}
        body = json.dumps({**problem, "code": code}).encode()
        self.status = f"{error.code} {error.reason}"
        self.response_headers.append(("Content-Type", "application/problem+json"))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class Request(HTTPRequestParser):  # type: ignore[misc]
    """A request that is being received."""

    def __init__(self, adjustments: Any, body_limit: BodyLimit) -> None:
        super().__init__(adjustments)
        self._body_limit = body_limit
        self.path = ""  # waitress logs it even if the request has none
        self.started: float = time.time()

    @property
    def seconds(self) -> float:
        """The time that the request may take to arrive."""
        if not self.headers_finished:
            return CLIENT_SECONDS
        return CLIENT_SECONDS + _transfer_seconds(self.content_length)

    def parse_header(self, header_plus: bytes) -> None:
        """Parse and check the head. Raises ``ParsingError``. If the body is too long, only the head is passed
        on, and the application refuses the request."""
        if b"\r\n " in header_plus or b"\r\n\t" in header_plus:
            raise ParsingError("A header goes on in a second line: write it in one.")
        try:
            super().parse_header(header_plus)
        except ValueError as error:
            raise ParsingError("Content-Length or the address is invalid.") from error
        if self.version not in ("1.0", "1.1"):
            raise ParsingError("Send HTTP/1.1.")
        if not self.path.startswith("/"):
            raise ParsingError("The path begins with a slash.")
        if self.chunked or "TRANSFER_ENCODING" in self.headers:
            self.error = LengthRequiredError("Send the header Content-Length.")
            self._expect_no_body()
        elif self.content_length > self._body_limit(self.path):
            self._expect_no_body()

    def refuse(self, error: Error) -> None:
        """Answer with ``error`` without reading the rest."""
        self.error = error
        self.completed = True

    def _expect_no_body(self) -> None:
        self.body_rcv = None
        self.chunked = self.expect_continue = False
        self.content_length = 0
        self.headers["CONNECTION"] = "close"


class Channel(HTTPChannel):  # type: ignore[misc]
    """A client's connection. ``shut_at``: when the last response was sent and the sending side shut; from
    then on it only waits for the client to close."""

    error_task_class = Refusal
    request: Request | None
    requests: list[Request]
    last_activity: float
    total_outbufs_len: int
    close_when_flushed: bool

    def __init__(self, server: "Server", *arguments: Any, **options: Any) -> None:
        super().__init__(server, *arguments, **options)
        self.parser_class = partial(Request, body_limit=server.body_limit)
        self.answered: float = self.last_activity
        self.shut_at: float | None = None
        self._unread = 0
        self._blocked_since: float | None = None
        self._blocked_seconds = 0.0

    @property
    def is_waiting(self) -> bool:
        """True if the server waits for the client."""
        return not self.requests

    @property
    def since(self) -> float:
        """The time since which the server waits for the client."""
        if self.shut_at is not None:
            return self.shut_at
        if self.request is not None:
            return max(self.request.started, self.answered)
        return self.answered

    @property
    def buffered_bytes(self) -> int:
        """The size of the connection's buffered requests and responses."""
        unfinished = self.request
        requests = [*self.requests, *([unfinished] if unfinished is not None else [])]
        return int(self.total_outbufs_len + sum(request.body_bytes_received for request in requests))

    @property
    def deadline(self) -> float:
        """The time until which the server waits for the client."""
        if self.shut_at is not None:
            return self.shut_at + LINGER_SECONDS
        if (blocked := self._blocked_since) is not None:  # read once, because its thread may change it
            return blocked + CLIENT_SECONDS - self._blocked_seconds
        if self.total_outbufs_len:
            until = self.last_activity + CLIENT_SECONDS
            return min(until, self._written_by) if self.is_waiting else until
        if not self.is_waiting:
            return math.inf
        if self.request is not None:
            return self.since + self.request.seconds
        return self.since + CLIENT_SECONDS

    @property
    def _written_by(self) -> float:
        return self.answered + CLIENT_SECONDS + _transfer_seconds(self._unread)

    def readable(self) -> bool:
        """Return True also after the last response: a client that still sends would otherwise lose it."""
        return self.shut_at is not None or super().readable()

    def received(self, data: bytes) -> bool:
        """Parse the data; discard it after the last response."""
        return self.shut_at is None and super().received(data)

    def handle_write(self) -> None:
        """Send; after the last response, shut the sending side and wait for the client to close."""
        if not self.close_when_flushed:
            super().handle_write()
            return
        self.close_when_flushed = False
        super().handle_write()
        if not self.connected:
            return
        if self.total_outbufs_len:
            self.close_when_flushed = True
            return
        self.shut_at = time.time()
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)

    def write_soon(self, data: Any) -> int:
        """Send, or buffer what cannot be sent yet. Raises ``ClientDisconnected`` once the client has left."""
        written: int = super().write_soon(data)
        if self.will_close:
            raise ClientDisconnected
        return written

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Block the thread while too much is unsent, for at most ``CLIENT_SECONDS`` per connection in all."""
        self._blocked_since = started = time.time()
        try:
            super()._flush_outbufs_below_high_watermark()
        finally:
            self._blocked_since = None
            self._blocked_seconds += time.time() - started

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Send, and return the number of bytes sent. Threads leave closing to the loop (``do_close``)."""
        try:
            return int(self.socket.send(data))
        except BlockingIOError:
            return 0
        except OSError:
            self.will_close = True
            if do_close:
                self.handle_close()
            return 0

    def service(self) -> None:
        """Answer the request, in a thread."""
        super().service()
        self._unread, self.answered = self.total_outbufs_len, time.time()

    def give_up(self) -> None:
        """Refuse an unfinished request with 408; close any other connection."""
        with self.requests_lock:
            if self.request is None or self.requests or self.total_outbufs_len:
                self.will_close = True
                return
            self.request.refuse(RequestTimeoutError("The request took too long: send it faster."))
            self.requests, self.request = [self.request], None
        self.server.add_task(self)


class Server(TcpWSGIServer):  # type: ignore[misc]
    """The server and its loop. ``body_limit``: path -> the longest body in bytes."""

    channel_class = Channel

    def __init__(self, *arguments: Any, body_limit: BodyLimit, **options: Any) -> None:
        self.body_limit = body_limit
        self._is_stopping = False
        _open_more_files()
        super().__init__(*arguments, **options)

    def serve(self) -> None:
        """Run the loop until :meth:`stop`."""
        while not self._is_stopping:
            self._poll()

    def stop(self) -> None:
        """End :meth:`serve`. Can be called from a signal handler."""
        self._is_stopping = True
        self.pull_trigger()

    def finish(self, seconds: float) -> None:
        """Finish running responses for at most ``seconds``, without new connections; then close
        everything."""
        wasyncore.dispatcher.close(self)
        until = time.time() + seconds
        while self._has_work() and time.time() < until:
            self._poll()
        self.task_dispatcher.shutdown(timeout=until - time.time())
        wasyncore.close_all(self._map)

    def handle_accept(self) -> None:
        """Accept a connection; if there are then too many, close one."""
        super().handle_accept()
        if len(self.active_channels) > WAITING_CONNECTIONS:
            waiting = [each for each in self._channels() if each.is_waiting]
            if len(waiting) > WAITING_CONNECTIONS:
                connection_to_close(waiting).handle_close()

    def maintenance(self, now: float) -> None:
        """Give up overdue connections, and close the largest ones while too much is buffered."""
        for channel in self._channels():
            if channel.deadline < now:
                channel.give_up()
        channels = sorted(self._channels(), key=lambda each: each.buffered_bytes)
        buffered = sum(each.buffered_bytes for each in channels)
        while channels and buffered > BUFFERED_BYTES:
            buffered -= channels[-1].buffered_bytes
            channels.pop().handle_close()

    def _channels(self) -> list[Channel]:
        """Return a copy of the open channels: threads may remove one meanwhile."""
        return list(self.active_channels.values())

    def _has_work(self) -> bool:
        """Return True if a request is still being answered; mark all other connections for closing."""
        busy = False
        for channel in self._channels():
            if channel.requests or channel.total_outbufs_len:
                busy = True
            elif channel.shut_at is None:
                channel.will_close = True
        return busy

    def _poll(self) -> None:
        wasyncore.loop(timeout=1.0, use_poll=True, map=self._map, count=1)


def connection_to_close(waiting: Sequence[Channel]) -> Channel:
    """Return the longest waiting connection of the address with the most connections."""
    share = Counter(each.addr[0] for each in waiting)
    return min(waiting, key=lambda each: (-share[each.addr[0]], each.since))


def _transfer_seconds(size: int) -> float:
    return min(size / LEAST_BYTES_PER_SECOND, TRANSFER_SECONDS)


def _open_more_files() -> None:
    """Raise the limit of open files: connections and their buffers need more than the usual 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
