"""Bulk requests, with a result for each update, and with retries while the server is overloaded.

All writes have external versions (``external_gte``), so a bulk may be sent again whatever became of it.
"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import orjson
from elasticsearch import ApiError, Elasticsearch
from elasticsearch.helpers import streaming_bulk

from app.errors import IndexUnavailableError
from app.search.elastic.client import BLOCKED, failure, reason_of
from app.search.elastic.documents import document, document_id
from app.search.fields import FieldTypes
from app.search.index import ref_and_sequence
from app.search.types import Update, WriteResult
from ingest.types import EmbeddedPage, PageRef

PAUSES: Final = (0.2, 0.5, 1.0, 2.0, 4.0)
"""Seconds to wait before each retry of the updates that the server was too busy for."""

_PAGE_FAULTS: Final = frozenset(
    {"document_parsing_exception", "mapper_parsing_exception", "strict_dynamic_mapping_exception"}
)
"""Errors of the page itself. Any other error would affect every page, and must be fixed on the server."""

_PRESSURE: Final = re.compile(r"coordinating_operation_bytes=(\d+), max_coordinating\w*_bytes=(\d+)")
_CONFLICT: Final = 409
_TOO_LARGE: Final = 413
_BUSY: Final = 429


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One update in a bulk request: its action, and the document as JSON unless it is a removal."""

    ref: PageRef
    sequence: int
    action: Mapping[str, Mapping[str, Any]]
    body: bytes | None = None

    @property
    def size(self) -> int:
        """Bytes in the request."""
        lines = [orjson.dumps(self.action), *([self.body] if self.body else [])]
        return sum(len(line) + 1 for line in lines)

    def result(self, status: Literal["written", "superseded", "failed"], reason: str = "") -> WriteResult:
        """Return the result for its update."""
        return WriteResult(ref=self.ref, sequence=self.sequence, status=status, reason=reason)


def operation(update: Update, fields: FieldTypes) -> Operation:
    """Return the operation that writes a page's whole document, or removes it. ``fields``: the declared
    fields that the index was built with."""
    ref, sequence = ref_and_sequence(update)
    header = {"_id": document_id(ref), "version": sequence, "version_type": "external_gte"}
    if isinstance(update, EmbeddedPage):
        body = orjson.dumps(document(update, fields), option=orjson.OPT_SERIALIZE_NUMPY)
        return Operation(ref=ref, sequence=sequence, action={"index": header}, body=body)
    return Operation(ref=ref, sequence=sequence, action={"delete": header})


class BulkWriter:
    """Sends bulks of at most ``max_bytes``. A larger page is sent alone in its request."""

    def __init__(self, client: Elasticsearch, max_bytes: int, pauses: Sequence[float] = PAUSES) -> None:
        self._client = client
        self._max_bytes = max_bytes
        self._pauses = pauses

    def write(self, alias: str, operations: Sequence[Operation]) -> list[WriteResult]:
        """Return one result each, in order. ``alias`` must exist: no write creates an index.

        Raises ``IndexUnavailableError`` if the server cannot accept them now; some may have been written.
        """
        results: dict[int, WriteResult] = {}
        waiting = list(range(len(operations)))
        for pause in (0.0, *self._pauses):
            time.sleep(pause)
            answers = self._send(alias, [operations[number] for number in waiting])
            for number, answer in zip(waiting, answers, strict=True):
                if result := self._result(operations[number], answer):
                    results[number] = result
            waiting = [number for number in waiting if number not in results]
            if not waiting:
                return [results[number] for number in range(len(operations))]
        raise IndexUnavailableError("Elasticsearch is overloaded and accepts no writes now: try again later")

    def _send(self, alias: str, operations: Sequence[Operation]) -> Iterator[Mapping[str, Any]]:
        """Return the response to each operation, in order, with ``exception`` if its whole request was
        refused."""
        items = streaming_bulk(
            self._client,
            operations,  # type: ignore[arg-type] # the callback reads them
            max_chunk_bytes=self._max_bytes,
            raise_on_error=False,
            raise_on_exception=False,
            expand_action_callback=_expanded,
            index=alias,
            require_alias=True,
        )
        return (next(iter(item.values())) for _, item in items)

    def _result(self, item: Operation, answer: Mapping[str, Any]) -> WriteResult | None:
        """Return the result of an operation; ``None`` if the server was too busy for it."""
        status, error = answer["status"], answer.get("error")
        if "exception" in answer:
            return self._refused(item, answer["exception"])
        if status == _CONFLICT:
            return item.result("superseded")
        if error is None:  # also a page to remove that was not there (404)
            return item.result("written")
        if status == _BUSY and error["type"] != BLOCKED:
            return None
        if unavailable := failure(status, error):
            raise unavailable
        if error["type"] in _PAGE_FAULTS:
            return item.result("failed", f"Elasticsearch refuses the page: {_cause(error)}")
        raise IndexUnavailableError(f"Elasticsearch refuses to write: {_cause(error)}")

    def _refused(self, item: Operation, error: ApiError) -> WriteResult | None:
        """Do as :meth:`_result`, for an operation of a request that was refused as a whole."""
        if error.status_code not in (_BUSY, _TOO_LARGE) or error.message == BLOCKED:
            raise error
        is_alone = item.size > self._max_bytes
        if is_alone and (error.status_code == _TOO_LARGE or _never_fits(reason_of(error))):
            return _too_large(item)
        if error.status_code == _BUSY:
            return None
        raise IndexUnavailableError(
            f"Elasticsearch, or a proxy in front of it, does not accept requests of {self._max_bytes:,} "
            "bytes: lower AUSKUNFT_ELASTICSEARCH_BULK_BYTES"
        ) from error


def _expanded(item: Any) -> tuple[dict[str, Any], bytes | None]:
    """Return the two lines of an operation."""
    return dict(item.action), item.body


def _never_fits(reason: str) -> bool:
    """Return True if a request is refused for its own size, not for that of all requests in flight."""
    sizes = _PRESSURE.search(reason)
    return sizes is not None and int(sizes[1]) > int(sizes[2])


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
