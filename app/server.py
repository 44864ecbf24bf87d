"""Serves the application with gunicorn: one process of 64 threads, which fits the embedded index.

gunicorn forks its worker. Database connections, locks and the threads of numerical libraries do not survive
a fork (OpenMP's hang in the child), so the server starts in a fresh interpreter that takes over the process
(``exec``), and the worker builds its own services after the fork. Settings go over through a pipe, because
they hold secrets; the listening socket is inherited, so that every error of binding comes before.
"""

import json
import os
import socket
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any, Final, NoReturn

from gunicorn.app.base import BaseApplication
from gunicorn.config import Config
from gunicorn.errors import AppImportError
from gunicorn.glogging import Logger
from pydantic import SecretStr

from app import create_app
from app.errors import (
    AuskunftError,
    EmbedderUnavailableError,
    IndexUnavailableError,
    InputError,
    PluginError,
)
from app.logging import configure_logging
from app.services import Services
from app.settings import Settings
from app.web_worker import Worker

THREADS: Final = 64
BACKLOG: Final = 512
STOP_SECONDS: Final = 5
REQUEST_LINE_BYTES: Final = 8_190


def run_server(services: Services, listener: socket.socket | None = None, *, demo: bool = False) -> NoReturn:
    """Serve at the settings' host and port until SIGTERM or Ctrl-C; this process becomes the server.

    ``services`` are closed. ``listener``: of :func:`listen`, where the address was needed before. ``demo``:
    serve the sample site too. Prints the address once connections are taken. Raises ``InputError`` for an
    address that cannot be bound, and what building the services raises.
    """
    settings = services.settings
    _build(services)
    services.close()
    listener = listener or listen(settings)
    print(f"Auskunft serves at {address_of(listener)} (stop with Ctrl-C)", flush=True)  # noqa: T201
    listener.set_inheritable(True)
    arguments = [str(listener.fileno()), str(_handed_over(settings)), *(["demo"] if demo else [])]
    # -P: the working folder may hold a package named like ours.
    os.execv(sys.executable, [sys.executable, "-P", "-m", "app.server", *arguments])


def main() -> None:
    """The fresh interpreter: ``python -m app.server LISTENER SETTINGS [demo]``, two file descriptors."""
    listener, handed_over, *demo = sys.argv[1:]
    with os.fdopen(int(handed_over)) as pipe:
        settings = Settings(**json.load(pipe))
    configure_logging(settings)
    _Server(settings, int(listener), demo=bool(demo)).run()


class _Logger(Logger):  # type: ignore[misc]
    """Hands gunicorn's lines on, instead of formatting them itself."""

    def setup(self, _config: Config) -> None:
        self.error_log.propagate = True


class _Server(BaseApplication):  # type: ignore[misc]
    """gunicorn's view of the application; ``load`` runs in the worker."""

    def __init__(self, settings: Settings, listener: int, *, demo: bool) -> None:
        self._settings = settings
        self._listener = listener
        self._demo = demo
        self._services: Services | None = None
        super().__init__()

    def load_config(self) -> None:
        options = {
            "bind": f"fd://{self._listener}",
            "worker_class": Worker,
            "workers": 1,
            "threads": THREADS,
            "graceful_timeout": STOP_SECONDS,
            "limit_request_line": REQUEST_LINE_BYTES,
            "logger_class": _Logger,
            "control_socket_disable": True,
            "worker_exit": self._worker_exits,
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> object:
        self._services = Services(self._settings)
        try:
            _build(self._services)
        except AuskunftError as error:
            raise AppImportError(f"auskunft: {error}") from error
        Thread(target=_warm_up, args=(self._services,), name="warm-up", daemon=True).start()
        if not self._services.settings.broker_url:
            self._services.drain.start()
        return create_app(services=self._services, demo=self._demo)

    def leave(self) -> None:
        """End the answers that are being written; what came of them is kept."""
        if self._services is not None:
            self._services.visits.leave()

    def _worker_exits(self, _arbiter: object, _worker: object) -> None:
        if self._services is not None:
            self._services.close()


def _build(services: Services) -> None:
    """Build what questions need, while there is one thread and errors stop the start.

    An index that is away does not: it is looked for with every question.
    """
    _ = services.store
    with suppress(IndexUnavailableError):
        _ = services.index, services.retriever, services.answerer


def _warm_up(services: Services) -> None:
    """Load the embedder's model, so that the first question need not wait for it."""
    with suppress(EmbedderUnavailableError, IndexUnavailableError, PluginError):
        if live := services.index.live():
            services.embedders.of(live).embed_query("warm up")


def listen(settings: Settings) -> socket.socket:
    """Take the settings' host and port. Raises ``InputError`` where that cannot be."""
    host, port = settings.host, settings.port
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        remedy = "choose another host or port (AUSKUNFT_HOST, AUSKUNFT_PORT)"
        raise InputError(f"cannot listen on {host} port {port}: {reason}; {remedy}") from error


def address_of(listener: socket.socket) -> str:
    """Where what listens there is asked, ending in a slash."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _handed_over(settings: Settings) -> int:
    """A file descriptor that the next program of this process can read the settings from."""
    reading, writing = os.pipe()
    os.set_inheritable(reading, True)
    with os.fdopen(writing, "w") as pipe:
        json.dump(settings.model_dump(), pipe, default=_plain)
    return reading


def _plain(value: object) -> Any:
    """Types that JSON lacks, so that ``Settings`` reads the same value back."""
    match value:
        case SecretStr():
            return value.get_secret_value()
        case Path():
            return str(value)
    raise TypeError(f"a setting of type {type(value).__name__} cannot be handed over")


if __name__ == "__main__":
    main()
