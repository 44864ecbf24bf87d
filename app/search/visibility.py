"""The last word about every page: whether it may be shown."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Protocol

from ingest.types import PageRef


class Visibility(Protocol):
    """What retrieval needs of the page store."""

    def hidden(self, refs: Sequence[PageRef], now: datetime) -> set[PageRef]:
        """Those that must not be shown at ``now``."""
        ...

    def with_ids(self, sources: Collection[str], ids: Collection[str]) -> list[PageRef]:
        """The pages of these sources that have one of these ids, in any language."""
        ...


class OneReading:
    """What may be shown during one question: each page is asked for once."""

    def __init__(self, visibility: Visibility) -> None:
        self._visibility = visibility
        self._at = datetime.now(UTC)
        self._is_hidden: dict[PageRef, bool] = {}
        self.with_ids = visibility.with_ids

    def hidden(self, refs: Sequence[PageRef], _now: datetime) -> set[PageRef]:
        """Those that must not be shown when the question came, or, of pages that were not asked for before,
        that are deleted by now."""
        new = [ref for ref in dict.fromkeys(refs) if ref not in self._is_hidden]
        if new:
            hidden = self._visibility.hidden(new, self._at)
            self._is_hidden |= {ref: ref in hidden for ref in new}
        return {ref for ref in refs if self._is_hidden[ref]}
