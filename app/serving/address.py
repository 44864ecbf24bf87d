"""Notes the address of the server that runs on this machine, for other commands."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from app.settings.settings import Settings

FILE: Final = "served-at"
"""The file in the data folder that has the address while a server runs."""

TRY_SECONDS: Final = 0.5

_LOOPBACK: Final = {4: "127.0.0.1", 6: "[::1]"}


@contextmanager
def noted_address(data: Path, listener: socket.socket) -> Iterator[None]:
    """Note the address that ``listener`` is bound to while the server runs. Nothing is noted if the folder
    cannot be written."""
    host, port = listener.getsockname()[:2]
    file = data / FILE
    with suppress(OSError):
        file.write_text(web_address(host, port), "utf-8")
    try:
        yield
    finally:
        with suppress(OSError):
            file.unlink(missing_ok=True)


def server_address(settings: Settings, data: Path) -> str:
    """Return ``public_url``, or else the address at which a server of this data folder runs or would run."""
    if settings.public_url:
        return settings.public_url.rstrip("/")
    with suppress(OSError, UnicodeDecodeError, ValueError):
        noted = (data / FILE).read_text("utf-8")
        parts = urlsplit(noted)
        with socket.create_connection((parts.hostname or "", parts.port or 0), TRY_SECONDS):
            return noted
    return web_address(settings.host, settings.port)


def web_address(host: str, port: int) -> str:
    """Return a host and port as a URL that a browser on this machine can open, which 0.0.0.0 is not."""
    with suppress(ValueError):
        known = ip_address(host)
        if known.is_unspecified:
            host = _LOOPBACK[known.version]
        elif known.version == 6:
            host = f"[{known}]"
    return f"http://{host}:{port}"
