"""The log of ``serve``, ``worker`` and ``beat``: JSON lines on standard error, text on a terminal.

Our loggers and those of libraries (waitress, Celery, kombu) share one handler. ``page``, ``job``, ``source``
and ``delivery`` are bound as context variables where they are processed. Secrets of the settings are masked
in every line, whichever logger wrote it; questions are never logged.
"""

import json
import logging
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import structlog
from pydantic import SecretStr
from structlog.stdlib import ProcessorFormatter
from structlog.typing import Processor

from app.settings.addresses import secrets_in
from app.settings.settings import Settings

OUR_PACKAGES: Final = ("app", "ingest", "workers")
MIN_SECRET_CHARACTERS: Final = 6
"""Shorter secrets are not masked, because that would mask ordinary words."""

_MASK: Final = "***"
_SHARED: Final[tuple[Processor, ...]] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


def configure_logging(settings: Settings) -> None:
    """Configure a long-running process: our loggers from the settings' level up, those of libraries from
    warning up."""
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    structlog.configure(
        processors=[*_SHARED, ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter(secrets_of(settings), as_text=sys.stderr.isatty()))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    for name in OUR_PACKAGES:
        logging.getLogger(name).setLevel(level)
    logging.captureWarnings(True)
    threading.excepthook = _log_death


def configure_quiet_logging() -> None:
    """Configure a command, which reports errors itself: only lines from error up, as text."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def secrets_of(settings: Settings) -> list[str]:
    """Return the strings that must not be logged: the settings' secrets and those in their addresses."""
    found = {form for secret in _secrets(settings.model_dump()) for form in _forms(secret)}
    return sorted((form for form in found if len(form) >= MIN_SECRET_CHARACTERS), key=len, reverse=True)


class _Formatter(ProcessorFormatter):
    """Renders a line and masks secrets in it, tracebacks included."""

    def __init__(self, secrets: Iterable[str], *, as_text: bool) -> None:
        self._secrets = tuple(secrets)
        super().__init__(
            foreign_pre_chain=_SHARED,
            processors=[ProcessorFormatter.remove_processors_meta, *(_TEXT if as_text else _JSON)],
        )

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        for secret in self._secrets:
            line = line.replace(secret, _MASK)
        return line


# Tracebacks without the values of variables, because a question may be among them.
_TEXT: Final[tuple[Processor, ...]] = (
    structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback),
)
_JSON: Final[tuple[Processor, ...]] = (
    structlog.processors.format_exc_info,
    structlog.processors.JSONRenderer(),
)


def _secrets(value: Any) -> Iterator[str]:
    if isinstance(value, SecretStr):
        yield value.get_secret_value()
    elif isinstance(value, str):
        yield from secrets_in(value)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _secrets(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _secrets(item)


def _forms(secret: str) -> Iterator[str]:
    """Yield the forms in which a secret may appear in a line."""
    for form in (secret, *secrets_in(secret)):
        yield from (form, json.dumps(form)[1:-1])


def _log_death(args: threading.ExceptHookArgs) -> None:
    name = args.thread.name if args.thread else ""
    info = (args.exc_type, args.exc_value, args.exc_traceback)
    structlog.get_logger(__name__).error("thread_died", thread=name, exc_info=info)
