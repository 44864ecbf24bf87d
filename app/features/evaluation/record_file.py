"""Growing files of records: JSON Lines, one record a line, written by one run at a time.

A run that is killed leaves at most a partial last line, which readers skip and the next run removes.
"""

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Final, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from app.errors import ConflictError, InputError, UnwritableError
from app.features.evaluation.validation import first_error

Record = TypeVar("Record", bound=BaseModel)

_LINE_END: Final = b"\n"


class RecordWriter(Generic[Record]):
    """Appends records to an open file."""

    def __init__(self, file: FileIO, path: Path) -> None:
        self._file = file
        self._path = path

    def append(self, record: Record) -> None:
        """Write a record. Raises ``UnwritableError``."""
        try:
            self._file.write(record.model_dump_json().encode() + _LINE_END)
        except OSError as error:
            raise UnwritableError(f"{self._path} cannot be written: {error.strerror}") from error


class RecordFile(Generic[Record]):
    """The file at ``path``, whose lines have the form of ``model``."""

    def __init__(self, path: Path, model: type[Record]) -> None:
        self.path = path
        self._model = model

    def read(self) -> list[Record]:
        """Load all records. Raises ``InputError``, which names the file and the line."""
        try:
            content = self.path.read_bytes()
        except OSError as error:
            raise InputError(f"{self.path} cannot be read: {error.strerror}") from error
        whole, _, rest = content.rpartition(_LINE_END)
        lines = [*whole.split(_LINE_END), *([rest] if self._is_whole(rest) else [])]
        numbered = enumerate(lines, start=1)
        return [self._parsed(number, line) for number, line in numbered if line.strip()]

    def read_if_there(self) -> list[Record]:
        """Load all records; empty if there is no file."""
        return self.read() if self.path.exists() else []

    @contextmanager
    def appending(self) -> Iterator[RecordWriter[Record]]:
        """Open the file for this run alone. Raises ``InputError`` if it cannot be opened, and
        ``ConflictError`` while another run has it."""
        try:
            file = self.path.open("ab", buffering=0)
        except OSError as error:
            raise InputError(
                f"{self.path} cannot be written: {error.strerror}: choose another --out"
            ) from error
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ConflictError(
                    f"another run is writing {self.path}: wait for it, or choose another --out"
                ) from None
            self._mend(file)
            yield RecordWriter(file, self.path)

    def _mend(self, file: FileIO) -> None:
        """Terminate the last line, or remove it if only a part of it was written."""
        content = self.path.read_bytes()
        rest = content.rpartition(_LINE_END)[2]
        if self._is_whole(rest):
            file.write(_LINE_END)
        elif rest:
            file.truncate(len(content) - len(rest))

    def _is_whole(self, line: bytes) -> bool:
        try:
            return bool(line.strip()) and self._model.model_validate_json(line) is not None
        except ValidationError:
            return False

    def _parsed(self, number: int, line: bytes) -> Record:
        try:
            return self._model.model_validate(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self.path} line {number}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    """Return what is wrong with a line, without its text."""
    if isinstance(error, ValidationError):
        return first_error(error) if error.errors()[0]["loc"] else "no JSON object"
    return "no UTF-8" if isinstance(error, UnicodeDecodeError) else "no JSON"
