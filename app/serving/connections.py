"""waitress, without the ways in which slow clients could fill it.

One loop reads requests and hands only whole ones to a thread, and sends what threads leave behind. waitress
waits for as long as a byte comes now and then, and for everybody: here a request as a whole has a deadline,
and where too many clients keep the loop waiting, the address with the most of them gives one up.
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
"""How long a client has for a request's head, for its next request, or without reading anything."""

LEAST_BYTES_PER_SECOND: Final = 50_000
"""A body, or a response that is written, may take as much longer as it takes at this rate."""

TRANSFER_SECONDS: Final = 300.0
"""However large it is."""

LINGER_SECONDS: Final = 2.0
"""How long a client has for closing its end, so that it reads the whole response (RFC 9112, 9.6)."""

WAITING_CONNECTIONS: Final = 512
"""So many clients may keep the server waiting; of more, one has to go."""

HELD_BYTES: Final = 256_000_000
"""What is kept of unfinished requests and of responses that nobody fetches, most of it in files; of more,
the largest go."""

OPEN_FILES: Final = 4_096

BodyLimit = Callable[[str], int]


class LengthRequiredError(Error):  # type: ignore[misc]
    """A body of unknown length is refused before it comes."""

    code = 411
    reason = "Length Required"


class RequestTimeoutError(Error):  # type: ignore[misc]
    """The request did not come in time."""

    code = 408
    reason = "Request Timeout"


class Refusal(ErrorTask):  # type: ignore[misc]
    """Answers what never reaches the application, as the application would."""

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
    """A request as it arrives."""

    def __init__(self, adjustments: Any, body_limit: BodyLimit) -> None:
        super().__init__(adjustments)
        self._body_limit = body_limit
        self.path = ""  # waitress names it in its log, also of a request that never had one
        self.begun: float = time.time()

    @property
    def seconds(self) -> float:
        """How long it may take to arrive."""
        if not self.headers_finished:
            return CLIENT_SECONDS
        return CLIENT_SECONDS + _transfer_seconds(self.content_length)

    def parse_header(self, header_plus: bytes) -> None:
        """Raises ``ParsingError``. Of a body that is too long the head goes on alone: the application
        refuses it."""
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
        """It will not be read on."""
        self.error = error
        self.completed = True

    def _expect_no_body(self) -> None:
        self.body_rcv = None
        self.chunked = self.expect_continue = False
        self.content_length = 0
        self.headers["CONNECTION"] = "close"


class Channel(HTTPChannel):  # type: ignore[misc]
    """A client's connection. ``left``: when all was said, and the client's end is all that it waits for."""

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
        self.left: float | None = None
        self._unread = 0
        self._held_up: float | None = None
        self._held_up_seconds = 0.0

    @property
    def is_waiting(self) -> bool:
        """Whether it is the client's turn."""
        return not self.requests

    @property
    def since(self) -> float:
        """When the client's turn began."""
        if self.left is not None:
            return self.left
        if self.request is not None:
            return max(self.request.begun, self.answered)
        return self.answered

    @property
    def held_bytes(self) -> int:
        """What is kept for it."""
        partly = self.request
        requests = [*self.requests, *([partly] if partly is not None else [])]
        return int(self.total_outbufs_len + sum(request.body_bytes_received for request in requests))

    @property
    def deadline(self) -> float:
        """Until when the client may keep the server waiting."""
        if self.left is not None:
            return self.left + LINGER_SECONDS
        if (held_up := self._held_up) is not None:  # its thread goes on meanwhile
            return held_up + CLIENT_SECONDS - self._held_up_seconds
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
        """What comes after the last response is read, too: to a client that still sends, it would be lost."""
        return self.left is not None or super().readable()

    def received(self, data: bytes) -> bool:
        """Take what came."""
        return self.left is None and super().received(data)

    def handle_write(self) -> None:
        """Send; after the last response, take leave before closing."""
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
        self.left = time.time()
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)

    def write_soon(self, data: Any) -> int:
        """Send, or keep what cannot be sent yet. Raises ``ClientDisconnected`` as soon as that is known."""
        written: int = super().write_soon(data)
        if self.will_close:
            raise ClientDisconnected
        return written

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Where too much is unread, the thread waits; for ``CLIENT_SECONDS`` on each connection."""
        self._held_up = begun = time.time()
        try:
            super()._flush_outbufs_below_high_watermark()
        finally:
            self._held_up = None
            self._held_up_seconds += time.time() - begun

    def send(self, data: bytes, do_close: bool = True) -> int:
        """How much of it was sent. Threads leave closing to the loop (``do_close``)."""
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
        """Answer one request, in a thread."""
        super().service()
        self._unread, self.answered = self.total_outbufs_len, time.time()

    def give_up(self) -> None:
        """Tell a client who has begun to ask; part from others."""
        with self.requests_lock:
            if self.request is None or self.requests or self.total_outbufs_len:
                self.will_close = True
                return
            self.request.refuse(RequestTimeoutError("The request took too long: send it faster."))
            self.requests, self.request = [self.request], None
        self.server.add_task(self)


class Server(TcpWSGIServer):  # type: ignore[misc]
    """The loop. ``body_limit``: the longest body for a path."""

    channel_class = Channel

    def __init__(self, *arguments: Any, body_limit: BodyLimit, **options: Any) -> None:
        self.body_limit = body_limit
        self._is_stopping = False
        _open_more_files()
        super().__init__(*arguments, **options)

    def serve(self) -> None:
        """Until :meth:`stop`."""
        while not self._is_stopping:
            self._turn()

    def stop(self) -> None:
        """Take no more connections. Can be called from a signal handler."""
        self._is_stopping = True
        self.pull_trigger()

    def finish(self, seconds: float) -> None:
        """Send what is being answered, for so long; then close everything."""
        wasyncore.dispatcher.close(self)
        until = time.time() + seconds
        while self._has_work() and time.time() < until:
            self._turn()
        self.task_dispatcher.shutdown(timeout=until - time.time())
        wasyncore.close_all(self._map)

    def handle_accept(self) -> None:
        """Take a connection; if that makes too many, part from another."""
        super().handle_accept()
        if len(self.active_channels) > WAITING_CONNECTIONS:
            waiting = [each for each in self._channels() if each.is_waiting]
            if len(waiting) > WAITING_CONNECTIONS:
                least_worthy(waiting).handle_close()

    def maintenance(self, now: float) -> None:
        """Give up who is overdue, and what is too much to keep."""
        for channel in self._channels():
            if channel.deadline < now:
                channel.give_up()
        channels = sorted(self._channels(), key=lambda each: each.held_bytes)
        held = sum(each.held_bytes for each in channels)
        while channels and held > HELD_BYTES:
            held -= channels[-1].held_bytes
            channels.pop().handle_close()

    def _channels(self) -> list[Channel]:
        """All at this moment: threads may take one away."""
        return list(self.active_channels.values())

    def _has_work(self) -> bool:
        """Whether somebody is still being answered; part from all others."""
        busy = False
        for channel in self._channels():
            if channel.requests or channel.total_outbufs_len:
                busy = True
            elif channel.left is None:
                channel.will_close = True
        return busy

    def _turn(self) -> None:
        wasyncore.loop(timeout=1.0, use_poll=True, map=self._map, count=1)


def least_worthy(waiting: Sequence[Channel]) -> Channel:
    """Of the address with the most connections, the one that has waited longest."""
    share = Counter(each.addr[0] for each in waiting)
    return min(waiting, key=lambda each: (-share[each.addr[0]], each.since))


def _transfer_seconds(size: int) -> float:
    return min(size / LEAST_BYTES_PER_SECOND, TRANSFER_SECONDS)


def _open_more_files() -> None:
    """Connections and what is kept of them need more than the usual 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
