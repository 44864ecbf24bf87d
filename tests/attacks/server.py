"""The real server under attack: a process of its own, and sockets that send it what no client would."""

import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

PATIENCE_SECONDS: Final = 20.0
_PROGRAM: Final = """
import json, sys
from app.serving.server import run_server
from app.services import Services
from app.settings.settings import load_settings

run_server(Services(load_settings(**json.load(sys.stdin))))
"""


class Server:
    """Its ``port``; what it has logged so far is in ``log``."""

    def __init__(self, process: "subprocess.Popen[str]", port: int) -> None:
        self.process = process
        self.port = port
        self.log: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def folder(self) -> Path:
        """Where the system tells of the process that answers, the only child of the one that was started."""
        listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return Path(f"/proc/{listed[0]}")

    @property
    def memory(self) -> int:
        """Of that process, in bytes."""
        return int((self.folder / "statm").read_text().split()[1]) * 4_096

    @property
    def threads(self) -> int:
        """Of that process."""
        return len(list((self.folder / "task").iterdir()))

    def connect(self, *, receive_bytes: int | None = None, address: str = "127.0.0.1") -> socket.socket:
        """A connection from ``address``; ``receive_bytes``: how much the kernel takes for a reader who does
        not read."""
        connection = socket.socket()
        if receive_bytes is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        connection.settimeout(PATIENCE_SECONDS)
        connection.bind((address, 0))
        connection.connect(("127.0.0.1", self.port))
        return connection

    def ask(self, request: bytes, *, half_closed: bool = False) -> bytes:
        """All that is answered until the server closes, or has said all of one response."""
        with self.connect() as connection:
            with suppress(OSError):  # it may refuse before it has read everything
                connection.sendall(request)
                if half_closed:
                    connection.shutdown(socket.SHUT_WR)
            return read_response(connection)

    def _read(self) -> None:
        assert self.process.stderr is not None
        self.log.extend(self.process.stderr)


@contextmanager
def serving(settings: dict[str, Any]) -> Iterator[Server]:
    """A server with these settings, on a free port; stopped at the end."""
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(settings))
            process.stdin.close()
            found = next((re.search(r"http://\S+:(\d+)/", line) for line in process.stdout), None)
            assert found, process.stderr and process.stderr.read()
            server = Server(process, int(found[1]))
            server.ask(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")  # it has started
            yield server
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)


def chat_request(question: str, visitor: str = "198.51.100.1") -> bytes:
    """A question as bytes, as a proxy passes it on for the ``visitor``."""
    body = json.dumps({"question": question}).encode()
    head = "POST /api/chat?site=town HTTP/1.1\r\nHost: chat.example\r\nContent-Type: application/json\r\n"
    return f"{head}X-Forwarded-For: {visitor}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def read_response(connection: socket.socket) -> bytes:
    """Up to the connection's end, or to the end of a body whose length is said."""
    received = b""
    with suppress(ConnectionError):
        while not is_complete(received):
            piece = connection.recv(65_536)
            if not piece:
                break
            received += piece
    return received


def is_complete(received: bytes) -> bool:
    """Whether that is a response with its whole body."""
    head, blank, body = received.partition(b"\r\n\r\n")
    if not blank:
        return False
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    if length:
        return len(body) >= int(length[1])
    return b"chunked" in head.lower() and body.endswith(b"0\r\n\r\n")


def status_of(response: bytes) -> int:
    """0 where nothing was answered."""
    found = re.match(rb"HTTP/1\.[01] (\d{3}) ", response)
    return int(found[1]) if found else 0
