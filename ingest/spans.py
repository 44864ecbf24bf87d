"""Spans of work for whoever traces this process, in OpenTelemetry's terms.

No spans are made unless a tracer is set. Attributes name only our own things: never what visitors write, nor
who they are.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Final, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

Attributes = Mapping[str, str | int]


class Tracer(Protocol):
    """Records spans. A span's parent is the span that is open where it begins. Thread-safe; raises no errors
    of its own."""

    def span(self, name: str, attributes: Attributes) -> AbstractContextManager[object]:
        """Return a context manager: a span of the work that this thread does within the block."""

    def spanned(
        self, name: str, items: Generator[T, None, None], attributes: Attributes
    ) -> Generator[T, None, None]:
        """Return the items, with a span from now until they end or are closed, whichever threads produce
        them. Work done by the consumer between two items is not a child of it."""

    def carried(self, function: Callable[P, T]) -> Callable[P, T]:
        """Return the function for use in another thread, its spans children of the one that is open here."""


_NOTHING: Final = nullcontext()
_tracer: Tracer | None = None


def trace_by(tracer: Tracer | None) -> None:
    """Set the tracer of this process; None ends tracing."""
    global _tracer  # noqa: PLW0603 - as of a process: a span may begin in any of its parts
    _tracer = tracer


def span(name: str, **attributes: str | int) -> AbstractContextManager[object]:
    """See :meth:`Tracer.span`."""
    return _NOTHING if _tracer is None else _tracer.span(name, attributes)


def spanned(name: str, items: Generator[T, None, None], **attributes: str | int) -> Generator[T, None, None]:
    """See :meth:`Tracer.spanned`."""
    return items if _tracer is None else _tracer.spanned(name, items, attributes)


def carried(function: Callable[P, T]) -> Callable[P, T]:
    """See :meth:`Tracer.carried`."""
    return function if _tracer is None else _tracer.carried(function)
