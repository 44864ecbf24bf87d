"""Guards a source's other pages from one that trips up whatever reads it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import structlog

from ingest.errors import AuskunftError, FetchError, PageError
from ingest.text import shortened, visible

MAX_CHARACTERS: Final = 200

log = structlog.get_logger(__name__)


@contextmanager
def guarded(page: str) -> Iterator[None]:
    """Raise ``PageError`` for what nobody expected, so that it costs that ``page`` alone: sources are
    plugins, and pages are written by others. Expected errors, and that no memory is left, pass."""
    try:
        yield
    except (AuskunftError, MemoryError):
        raise
    except Exception as error:  # whatever it is, the other pages can be read
        log.warning("page_broke", page=page, exc_info=True)
        raise PageError("invalid", f"reading it broke ({described(error)}): please report this") from error


def fatal() -> PageError:
    """Return why a page is not read again."""
    return PageError("poison", "reading this page ended the worker twice")


def with_remedy(error: FetchError | PageError, source: str) -> str:
    """Return the message of an error without which nothing of the ``source`` comes."""
    if error.reason != "poison":
        return str(error)
    return f"{error}: have it read again by `auskunft sources reset-revisions {source}`"


def described(error: BaseException) -> str:
    """Return what broke in one short line; its traceback is for the log."""
    line = " ".join(visible(str(error)).split())
    return shortened(f"{type(error).__name__}: {line}" if line else type(error).__name__, MAX_CHARACTERS)
