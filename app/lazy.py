"""Properties that are built on first use."""

from functools import cached_property
from typing import Any, Self, TypeVar, overload

T = TypeVar("T")


class lazy(cached_property[T]):  # noqa: N801 - reads like the decorator it refines
    """A property that is built on first use, and only once even if several threads need it. Its object must
    have a reentrant ``lock``."""

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Self | T:
        with instance.lock:
            value: Self | T = super().__get__(instance, owner)
            return value
