"""Spans: what is worked on, and how long, told to whoever traces this process (OpenTelemetry's words).

Nothing is made while nobody does. Attributes name our own things alone: never what a visitor wrote, nor who
they are.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Final, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

Attributes = Mapping[str, str | int]


class Tracer(Protocol):
    """Keeps spans. A span is part of the one that is open where it begins. Thread-safe; raises nothing of its
    own."""

    def span(self, name: str, attributes: Attributes) -> AbstractContextManager[object]:
        """A span of what this thread does meanwhile."""
        ...

    def spanned(
        self, name: str, items: Generator[T, None, None], attributes: Attributes
    ) -> Generator[T, None, None]:
        """The items, and a span from now until they end or are closed, in whichever threads they are made;
        what is done between two of them is no part of it."""
        ...

    def carried(self, function: Callable[P, T]) -> Callable[P, T]:
        """The function for another thread; its spans are part of the one that is open here."""
        ...


_NOTHING: Final = nullcontext()
_tracer: Tracer | None = None


def trace_by(tracer: Tracer | None) -> None:
    """Have this process traced, or no more."""
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
