"""Keeps a run over all pages from removing nearly all, as while the site is closed for maintenance."""

from typing import Final

from django.utils.translation import gettext as _

from auskunft_django import queue, visitors
from auskunft_django.config import Config
from auskunft_django.models import Entry
from auskunft_django.visitors import Event

_SAMPLE: Final = 20
_LEAST: Final = 5
"""Of fewer pages any may go."""

_NEARLY_ALL: Final = 0.9


class LossGuard:
    """Watches over one run.

    That visitors get nearly no page is remembered, as each sample costs as much as two batches. That they get
    them is not: the site may be closed while the run goes on.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._is_closed = False

    def without_lost(self, read: list[tuple[Entry, list[Event]]]) -> list[tuple[Entry, list[Event]]]:
        """Return what may be sent; refuse pages that a run over all would remove with nearly all others."""
        lost = {entry.page for entry, events in read if _is_lost(entry, events)}
        if not lost:
            return read
        self._is_closed = self._is_closed or _are_nearly_all_lost(self._config)
        if not self._is_closed:
            return read
        problem = _(
            "Visitors get nearly no page, so none is removed. If meant: manage.py auskunft_send_all --remove"
        )
        for entry, _events in read:
            if entry.page in lost:
                queue.refuse(entry, problem)
        return [(entry, events) for entry, events in read if entry.page not in lost]


def _is_lost(entry: Entry, events: list[Event]) -> bool:
    """Tell whether a run over all pages would remove one; what editors do one by one is meant."""
    return entry.bulk and entry.published and not entry.deleted and not visitors.known(events)


def _are_nearly_all_lost(config: Config) -> bool:
    """Tell by a sample whether visitors get nearly none of the pages that Auskunft has."""
    published = queue.entries().filter(published=True, deleted=False)
    if published.count() < _LEAST:
        return False
    sample = [_is_gone(entry, config) for entry in published.order_by("?")[:_SAMPLE]]
    return sum(sample) >= _NEARLY_ALL * len(sample)


def _is_gone(entry: Entry, config: Config) -> bool:
    """Tell whether visitors do not get a page, be it for an error."""
    entry.revision = int(queue.now().timestamp() * 1_000)  # caches keep answers to older ones
    try:
        return not visitors.known(visitors.events_of(entry, config))
    except Exception:  # noqa: BLE001 - said when the page's own turn comes
        return True
