"""Serves the application with waitress: one process of 64 threads, which suits the embedded index.

One loop receives and sends (:mod:`app.serving.connections`); threads get complete requests, and never wait
for clients.

A page may kill the process that indexes it, and only fails after several attempts. So a supervisor process
restarts the server if it dies (:mod:`app.serving.supervisor`). The server is a fresh interpreter, because the
threads of numerical libraries do not survive a fork. It gets the settings through a pipe, because they
contain secrets, and inherits the listening socket, so that binding errors come first.
"""

import json
import logging
import os
import signal
import socket
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread
from types import FrameType
from typing import Any, Final, NoReturn

import structlog
from pydantic import SecretStr
from waitress.adjustments import Adjustments

from app import create_app
from app.application import BODY_BYTES
from app.chat.sites import select_sources
from app.errors import AuskunftError, IndexUnavailableError, InputError
from app.monitoring.logging import configure_logging
from app.monitoring.site_check import site_check
from app.services import Services
from app.serving.address import noted_address
from app.serving.connections import Server
from app.serving.supervisor import STOP_SIGNALS
from app.settings.settings import Settings

THREADS: Final = 64
BACKLOG: Final = 512
CONNECTIONS: Final = 2_048
STOP_SECONDS: Final = 5.0
HEAD_BYTES: Final = 32_768
SPOOLED_BYTES: Final = 65_536
"""Larger bodies and responses are buffered in files."""

RESPONSE_BYTES: Final = 64_000_000
"""A thread waits for the client only if more than this is unsent."""

READ_BYTES: Final = 16_384
"""The most that one round of the loop reads from each client."""

LARGE_BODIES: Final = (
    "/api/sources/",
    "/admin/login",
    "/admin/unsent",
)
"""Paths whose bodies may be up to ``max_event_bytes`` long; features add theirs."""

log = structlog.get_logger(__name__)


def run_server(services: Services, listener: socket.socket | None = None, *, demo: bool = False) -> NoReturn:
    """Serve at the settings' host and port until SIGTERM or Ctrl-C.

    This process becomes the supervisor, which prints the address. Closes ``services``. ``listener``: from
    :func:`listen`, if the caller needed the address before. ``demo``: True to serve the sample site, too.
    Raises ``InputError`` if the address cannot be bound, and whatever building the services raises.
    """
    settings = services.settings
    _build(services)
    services.close()
    listener = listener or listen(settings)
    # A handler of ours could run in another thread, and its effect be lost by ``execv``. This way a signal
    # ends the process at once, or stays pending until the supervisor unblocks it.
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    listener.set_inheritable(True)
    arguments = [str(listener.fileno()), str(_handed_over(settings)), *(["demo"] if demo else [])]
    # -P: the working folder may contain a package with the name of ours.
    os.execv(sys.executable, [sys.executable, "-P", "-m", "app.serving.supervisor", *arguments])


def main() -> None:
    """Run the server: ``python -m app.serving.server LISTENER [demo]``. LISTENER is a file descriptor. The
    settings are the first line of standard input; when that closes, the supervisor has died."""
    listener, *demo = sys.argv[1:]
    settings = Settings(**json.loads(sys.stdin.readline()))
    with Services(settings) as services, socket.socket(fileno=int(listener)) as listening:
        _build(services)
        configure_logging(settings)
        services.start()
        _warn_of_sites(services)
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # it warns of every request that waits
        Thread(target=_warm_up, args=(services,), name="warm-up", daemon=True).start()
        if not settings.broker_url:
            services.background.worker.start()
        server = _server(services, listening, demo=bool(demo))
        for number in STOP_SIGNALS:
            signal.signal(number, partial(_stop, server))
        Thread(target=_stop_with_supervisor, args=(server,), name="supervisor", daemon=True).start()
        with noted_address(services.data, listening):
            server.serve()
        services.chat.cancel_answers()
        server.finish(STOP_SECONDS)


def _stop_with_supervisor(server: Server) -> None:
    sys.stdin.read()
    server.stop()


def _server(services: Services, listener: socket.socket, *, demo: bool) -> Server:
    adjustments = Adjustments(
        sockets=[listener],
        threads=THREADS,
        backlog=BACKLOG,
        connection_limit=CONNECTIONS,
        cleanup_interval=1,
        max_request_header_size=HEAD_BYTES,
        inbuf_overflow=SPOOLED_BYTES,
        outbuf_overflow=SPOOLED_BYTES,
        outbuf_high_watermark=RESPONSE_BYTES,
        recv_bytes=READ_BYTES,
        clear_untrusted_proxy_headers=False,  # the application decides (trusted_proxies)
        ident=None,
    )
    app = create_app(services=services, demo=demo)
    return Server(
        app,
        adj=adjustments,
        _sock=listener,
        sockinfo=(listener.family, listener.type, None, listener.getsockname()),
        bind_socket=False,
        body_limit=partial(_body_limit, services.settings.max_event_bytes, _large_bodies(services)),
    )


def _large_bodies(services: Services) -> tuple[str, ...]:
    """The prefixes of paths whose bodies may be long."""
    return LARGE_BODIES + tuple(path for feature in services.features for path in feature.large_bodies)


def _body_limit(most: int, large_bodies: tuple[str, ...], path: str) -> int:
    return most if path.startswith(large_bodies) else BODY_BYTES


def _stop(server: Server, _number: int, _frame: FrameType | None) -> None:
    server.stop()


def _build(services: Services) -> None:
    """Build the services that questions need, while there is one thread and an error prevents the start.

    An unavailable index does not prevent it: every question tries to open it again.
    """
    _ = services.store, services.chat.prompts
    services.chat.check_presets()
    with suppress(IndexUnavailableError):
        _ = services.indexing.index, services.chat.default.retriever, services.chat.default.answerer


def _warn_of_sites(services: Services) -> None:
    """Log a warning if visitors of a site would get no answer."""
    with suppress(AuskunftError):  # if the page store is away, every check says so
        check = site_check(services)
        if not check.ok:
            log.warning("sites_without_answers", detail=check.detail)


def _warm_up(services: Services) -> None:
    """Search once, so that the first question need not wait for models, examples, or an index that is not
    in memory yet."""
    with suppress(AuskunftError):
        if services.preset.question.read_blocks:
            services.indexing.block_comparison.reader.load()
        sources = select_sources(services.store, None)
        retriever = services.chat.default.retriever
        retriever.retrieve("A search to warm up", sources=sources, limit=1)
        services.warm_up()
        retriever.wish("A search to warm up", None, sources, is_follow_up=False)


def listen(settings: Settings) -> socket.socket:
    """Bind the settings' host and port. Raises ``InputError`` if that fails."""
    host, port = settings.host, settings.port
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        remedy = "choose another host or port (AUSKUNFT_HOST, AUSKUNFT_PORT)"
        raise InputError(f"cannot listen on {host} port {port}: {reason}; {remedy}") from error


def _handed_over(settings: Settings) -> int:
    """Return a file descriptor from which the program that replaces this process reads the settings."""
    read_end, write_end = os.pipe()
    os.set_inheritable(read_end, True)
    with os.fdopen(write_end, "w") as pipe:
        json.dump(settings.model_dump(), pipe, default=_plain)
    return read_end


def _plain(value: object) -> Any:
    """Convert types that JSON lacks, so that ``Settings`` parses the same value."""
    match value:
        case SecretStr():
            return value.get_secret_value()
        case Path():
            return str(value)
    raise TypeError(f"a setting of type {type(value).__name__} cannot be handed over")


if __name__ == "__main__":
    main()
