"""Bulk requests: cut by size, every item's result looked at, and repeated while the server is overloaded.

All writes are of external versions (``external_gte``): a bulk may be sent again whatever became of it.
"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import orjson
from elasticsearch import ApiError, Elasticsearch

from app.errors import IndexUnavailableError
from app.search.elastic.client import BLOCKED, failure, reason_of
from app.search.elastic.documents import document, document_id
from app.search.types import Update, WriteResult
from app.search.validation import ref_and_sequence
from ingest.types import EmbeddedPage, PageRef

PAUSES: Final = (0.2, 0.5, 1.0, 2.0, 4.0)
"""Seconds to wait before a bulk that the server was too busy for is sent again."""

_PAGE_FAULTS: Final = frozenset(
    {"document_parsing_exception", "mapper_parsing_exception", "strict_dynamic_mapping_exception"}
)
"""What is wrong with the page itself. Anything else would fail every page, and is mended on the server."""

_PRESSURE: Final = re.compile(r"coordinating_operation_bytes=(\d+), max_coordinating\w*_bytes=(\d+)")
_BUSY: Final = 429
_TOO_LARGE: Final = 413
_CONFLICT: Final = 409


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One update as lines of a bulk request."""

    ref: PageRef
    sequence: int
    lines: tuple[bytes, ...]

    @property
    def size(self) -> int:
        """Bytes in the request."""
        return sum(len(line) + 1 for line in self.lines)

    def result(self, status: Literal["written", "superseded", "failed"], reason: str = "") -> WriteResult:
        """What became of it."""
        return WriteResult(ref=self.ref, sequence=self.sequence, status=status, reason=reason)


def operation(update: Update) -> Operation:
    """A page's whole document, or its removal."""
    ref, sequence = ref_and_sequence(update)
    action = {"_id": document_id(ref), "version": sequence, "version_type": "external_gte"}
    if isinstance(update, EmbeddedPage):
        body = orjson.dumps(document(update), option=orjson.OPT_SERIALIZE_NUMPY)
        return Operation(ref=ref, sequence=sequence, lines=(orjson.dumps({"index": action}), body))
    return Operation(ref=ref, sequence=sequence, lines=(orjson.dumps({"delete": action}),))


def batches(operations: Sequence[Operation], max_bytes: int) -> Iterator[list[Operation]]:
    """In order, each of at most ``max_bytes`` or of one operation."""
    batch: list[Operation] = []
    size = 0
    for item in operations:
        if batch and size + item.size > max_bytes:
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += item.size
    if batch:
        yield batch


class BulkWriter:
    """Sends bulks of at most ``max_bytes`` (a single larger page excepted)."""

    def __init__(self, client: Elasticsearch, max_bytes: int, pauses: Sequence[float] = PAUSES) -> None:
        self._client = client
        self._max_bytes = max_bytes
        self._pauses = pauses

    def write(self, alias: str, operations: Sequence[Operation]) -> list[WriteResult]:
        """One result each, in order. ``alias`` must exist: no index is made by writing.

        Raises ``IndexUnavailableError`` where the server cannot take them now; some may have been written.
        """
        return [
            result for batch in batches(operations, self._max_bytes) for result in self._send(alias, batch)
        ]

    def _send(self, alias: str, batch: Sequence[Operation]) -> list[WriteResult]:
        results: dict[int, WriteResult] = {}
        left = list(enumerate(batch))
        for pause in (0.0, *self._pauses):
            time.sleep(pause)
            answers = self._attempt(alias, [item for _, item in left])
            done = {
                number: _result(item, answer)
                for (number, item), answer in zip(left, answers, strict=True)
                if not _is_busy(answer)
            }
            results |= done
            left = [(number, item) for number, item in left if number not in done]
            if not left:
                return [results[number] for number in range(len(batch))]
        raise IndexUnavailableError("Elasticsearch is overloaded and takes no writes now: try again later")

    def _attempt(self, alias: str, batch: Sequence[Operation]) -> list[Mapping[str, Any]]:
        """The answer to each operation; the server may also refuse the request as a whole."""
        try:
            lines: list[Any] = [line for item in batch for line in item.lines]
            answer = self._client.bulk(operations=lines, index=alias, require_alias=True)
        except ApiError as error:
            if error.status_code == _BUSY and error.message != BLOCKED:
                hopeless = len(batch) == 1 and _never_fits(reason_of(error))
                return [{"status": _TOO_LARGE if hopeless else _BUSY}] * len(batch)
            if error.status_code != _TOO_LARGE:
                raise
            if len(batch) == 1:
                return [{"status": _TOO_LARGE}]
            size = sum(item.size for item in batch)
            raise IndexUnavailableError(
                f"Elasticsearch, or a proxy before it, takes no request of {size:,} bytes: "
                "lower AUSKUNFT_ELASTICSEARCH_BULK_BYTES"
            ) from error
        answers: list[Mapping[str, Any]] = [next(iter(item.values())) for item in answer["items"]]
        return answers


def _never_fits(reason: str) -> bool:
    """Whether a request is refused for its own size and not for that of all requests in flight."""
    sizes = _PRESSURE.search(reason)
    return sizes is not None and int(sizes[1]) > int(sizes[2])


def _is_busy(answer: Mapping[str, Any]) -> bool:
    """Too much at once, and not a disk that is full."""
    return bool(answer["status"] == _BUSY) and answer.get("error", {}).get("type") != BLOCKED


def _result(item: Operation, answer: Mapping[str, Any]) -> WriteResult:
    status, error = answer["status"], answer.get("error")
    if status == _CONFLICT:
        return item.result("superseded")
    if status == _TOO_LARGE:
        return _too_large(item)
    if error is None:  # a page to remove that was not there (404) is gone too
        return item.result("written")
    if unavailable := failure(status, error):
        raise unavailable
    if error["type"] in _PAGE_FAULTS:
        return item.result("failed", f"Elasticsearch refuses the page: {_cause(error)}")
    raise IndexUnavailableError(f"Elasticsearch refuses to write: {_cause(error)}")


def _cause(error: Mapping[str, Any]) -> str:
    innermost = error
    while "caused_by" in innermost:
        innermost = innermost["caused_by"]
    return str(innermost["reason"])


def _too_large(item: Operation) -> WriteResult:
    megabytes = item.size / 1_000_000
    return item.result(
        "failed",
        f"with its vectors the page takes {megabytes:.0f} MB, more than Elasticsearch takes at once: "
        "split the page, or give the server more heap",
    )
