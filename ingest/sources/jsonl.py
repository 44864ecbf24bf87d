"""Pages in a JSON Lines file, one per line: read one at a time, never loaded as a whole."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from ingest.errors import PageError
from ingest.sources.distinct_keys import DuplicateKeyError, distinct_keys
from ingest.sources.records import Record, record_id
from ingest.sources.utf8 import decoded

_SKIP_BYTES: Final = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The position of a page: line ``number`` (from 1) of ``path``, at byte ``offset``."""

    path: Path
    number: int
    offset: int


def lines(path: Path, max_bytes: int) -> Iterator[tuple[Line, str | PageError]]:
    """Yield every line that is not blank, with its page's id or its error. Raises ``OSError``."""
    with path.open("rb") as handle:
        number = offset = 0
        while raw := handle.readline(max_bytes + 1):
            number += 1
            line = Line(path=path, number=number, offset=offset)
            if raw.strip():
                yield line, _id(line, raw, max_bytes)
            if not raw.endswith(b"\n"):
                _skip_line(handle)
            offset = handle.tell()


def read(line: Line, max_bytes: int) -> tuple[Record, str]:
    """Read the record on the line, and a warning if it is damaged. Raises ``PageError`` and ``OSError``."""
    with line.path.open("rb") as handle:
        handle.seek(line.offset)
        return _record(line, handle.readline(max_bytes + 1), max_bytes)


def _id(line: Line, raw: bytes, max_bytes: int) -> str | PageError:
    try:
        record, warning = _record(line, raw, max_bytes)
        page_id = record_id(record)
        if warning and "\ufffd" in page_id:
            raise PageError("invalid", "the id is not UTF-8: save the file as UTF-8")
        return page_id
    except PageError as error:
        return at(line, error)


def at(line: Line, error: PageError) -> PageError:
    """Return the error with the line's number before its message, unless it is there already."""
    where = f"line {line.number}"
    return error if str(error).startswith(where) else PageError(error.reason, f"{where}: {error}")


def _record(line: Line, raw: bytes, max_bytes: int) -> tuple[Record, str]:
    if len(raw) > max_bytes:
        raise at(line, PageError("too_large", f"longer than {max_bytes:,} bytes: split the page"))
    text, warning = decoded(raw)
    try:
        record = json.loads(text, object_pairs_hook=distinct_keys)
    except DuplicateKeyError as error:
        raise at(line, PageError("invalid", str(error))) from error
    except (ValueError, RecursionError) as error:
        raise at(line, PageError("invalid", f"not JSON: {error}")) from error
    if not isinstance(record, dict):
        raise at(line, PageError("invalid", "not a JSON object: write one page in {...} per line"))
    return record, warning and f"line {line.number}: {warning}"


def _skip_line(handle: BinaryIO) -> None:
    while rest := handle.readline(_SKIP_BYTES):
        if rest.endswith(b"\n"):
            return
