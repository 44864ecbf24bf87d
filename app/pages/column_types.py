"""Column types that SQLite and PostgreSQL share."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import DateTime, LargeBinary, String, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import GenericFunction
from sqlalchemy.types import TypeDecorator, TypeEngine

UNREADABLE: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""Replaces a damaged time: long past, so that a lease counts as run out and a wait as ended."""


def to_utc(moment: datetime) -> datetime:
    """Convert to UTC; clamp times that leave the calendar's range (year 1 in Vienna) to its end."""
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return (datetime.min if moment.year == 1 else datetime.max).replace(tzinfo=UTC)


def check_storable(text: str) -> str:
    """Return ``text``. Raises ``ValueError`` for characters that databases cannot store: NUL, lone
    surrogates."""
    if "\0" in text:
        raise ValueError("must not contain NUL")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("must not contain lone surrogates") from error
    return text


def storable(text: str) -> str:
    """Replace characters that databases cannot store (NUL, lone surrogates) by U+FFFD."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class UtcDateTime(TypeDecorator[datetime]):
    """Aware datetimes in UTC. SQLite stores no time zone, so there they are naive."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Use a time zone if the database has one."""
        return dialect.type_descriptor(DateTime(timezone=dialect.name != "sqlite"))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert to UTC; for SQLite drop the time zone."""
        if value is None:
            return None
        moment = to_utc(value)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], datetime | None] | None:
        """Load damaged times as ``UNREADABLE``, so that one damaged row does not keep others from loading."""
        read = super().result_processor(dialect, coltype)
        if read is None:
            return None

        def tolerant(value: Any) -> datetime | None:
            try:
                return read(value)
            except (ValueError, TypeError, AttributeError):
                return UNREADABLE

        return tolerant

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return an aware datetime in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class StorableText(TypeDecorator[str]):
    """Text from outside, made storable when it is written. It sorts by code point everywhere, as in Python,
    because the database's own collation may change with its operating system."""

    impl = Text
    cache_ok = True

    def __init__(self, length: int | None = None) -> None:
        super().__init__(length)
        self.length = length

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Use a limited length if one was given."""
        collation = "C" if dialect.name == "postgresql" else None
        kind = Text if self.length is None else String
        return dialect.type_descriptor(kind(self.length, collation))

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Make the text :func:`storable`."""
        return None if value is None else storable(value)


class AsBytes(GenericFunction[bytes]):
    """A text as UTF-8 bytes, because one text of invalid UTF-8 would fail a whole query in SQLite."""

    type = LargeBinary()
    name = "as_bytes"
    inherit_cache = True


@compiles(AsBytes, "sqlite")
def _cast(element: AsBytes, compiler: SQLCompiler, **options: Any) -> str:
    return f"CAST({compiler.process(element.clauses, **options)} AS BLOB)"


@compiles(AsBytes, "postgresql")
def _convert(element: AsBytes, compiler: SQLCompiler, **options: Any) -> str:
    return f"convert_to({compiler.process(element.clauses, **options)}, 'UTF8')"
