"""Keeps one page that breaks its parser from stopping the other pages of its source."""

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
    """Turn unexpected errors into a ``PageError``, so that only that ``page`` fails: sources are plugins, and
    pages are written by others. Expected errors and ``MemoryError`` pass through."""
    try:
        yield
    except (AuskunftError, MemoryError):
        raise
    except Exception as error:  # whatever it is, the other pages are not affected
        log.warning("page_broke", page=page, exc_info=True)
        raise PageError(
            "invalid", f"reading it failed unexpectedly ({described(error)}): please report this"
        ) from error


def fatal_error() -> PageError:
    """Return the error of a page that is not tried again."""
    return PageError("poison", "reading this page crashed the worker twice")


def with_remedy(error: FetchError | PageError, source: str) -> str:
    """Return the message of an error that keeps all pages of the ``source`` from coming, with its remedy."""
    if error.reason != "poison":
        return str(error)
    return f"{error}: read it again with `auskunft sources reset-revisions {source}`"


def described(error: BaseException) -> str:
    """Describe an unexpected error in one short line; the traceback belongs in the log."""
    line = " ".join(visible(str(error)).split())
    return shortened(f"{type(error).__name__}: {line}" if line else type(error).__name__, MAX_CHARACTERS)
