"""Serves the application with waitress: one process of 64 threads, which fits the embedded index.

One loop reads and sends (:mod:`app.connections`); threads see whole requests, and never wait for clients.
"""

import logging
import signal
import socket
from contextlib import suppress
from functools import partial
from threading import Thread
from types import FrameType
from typing import Final

from waitress.adjustments import Adjustments

from app import create_app
from app.api.application import BODY_BYTES
from app.connections import Server
from app.errors import EmbedderUnavailableError, IndexUnavailableError, InputError, PluginError
from app.logging import configure_logging
from app.services import Services
from app.settings import Settings

THREADS: Final = 64
BACKLOG: Final = 512
CONNECTIONS: Final = 2_048
STOP_SECONDS: Final = 5.0
HEAD_BYTES: Final = 32_768
SPOOLED_BYTES: Final = 65_536
"""Longer bodies and responses wait in files."""

RESPONSE_BYTES: Final = 64_000_000
"""A thread waits for a client only with more unread."""

READ_BYTES: Final = 16_384
"""In each turn of the loop, from each client."""

LARGE_BODIES: Final = "/api/sources/"
"""Where bodies may be as long as the settings say."""


def run_server(services: Services, listener: socket.socket | None = None, *, demo: bool = False) -> None:
    """Serve at the settings' host and port until SIGTERM or Ctrl-C, then close ``services``.

    ``listener``: of :func:`listen`, where the address was needed before. ``demo``: serve the sample site too.
    Prints the address once connections are taken. Raises ``InputError`` for an address that cannot be bound,
    and what building the services raises.
    """
    settings = services.settings
    with services, listener or listen(settings) as listening:
        _build(services)
        configure_logging(settings)
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # that requests wait is no news
        Thread(target=_warm_up, args=(services,), name="warm-up", daemon=True).start()
        if not settings.broker_url:
            services.drain.start()
        server = _server(services, listening, demo=demo)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, partial(_stop, server))
        print(f"Auskunft serves at {address_of(listening)} (stop with Ctrl-C)", flush=True)  # noqa: T201
        server.serve()
        services.visits.leave()
        server.finish(STOP_SECONDS)


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
        clear_untrusted_proxy_headers=False,  # the application knows whom to trust
        ident=None,
    )
    app = create_app(services=services, demo=demo)
    return Server(
        app,
        adj=adjustments,
        _sock=listener,
        sockinfo=(listener.family, listener.type, None, listener.getsockname()),
        bind_socket=False,
        body_limit=partial(_body_limit, services.settings),
    )


def _body_limit(settings: Settings, path: str) -> int:
    return settings.max_event_bytes if path.startswith(LARGE_BODIES) else BODY_BYTES


def _stop(server: Server, _number: int, _frame: FrameType | None) -> None:
    server.stop()


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
