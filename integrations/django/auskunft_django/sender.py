"""Sends what is due: by the command ``auskunft_send``, and by a thread that an editor's action wakes."""

import json
import logging
import threading
from contextlib import suppress
from datetime import timedelta
from typing import Final

from django.db import DatabaseError, close_old_connections, connections
from django.utils.translation import gettext as _

from auskunft_django import client, config, queue, visitors
from auskunft_django.losses import LossGuard
from auskunft_django.models import Entry
from auskunft_django.visitors import Event

BATCH: Final = 10
"""Pages that are read and sent at once; what an editor does meanwhile comes next."""

MAX_BYTES: Final = 4_000_000
_POLL_SECONDS: Final = 0.5
_PAUSE_SECONDS: Final = 5.0

_log = logging.getLogger("auskunft")
_lock = threading.Lock()
_wake = threading.Event()
_thread: threading.Thread | None = None


class NotConfiguredError(Exception):
    """There is nobody to send to."""


def send_due() -> int:
    """Send what is due, until nothing is or Auskunft is away; return how many pages were sent.

    Raises ``client.AwayError``, ``config.ConfigError`` and ``NotConfiguredError``.
    """
    connection = config.load()
    if connection is None:
        raise NotConfiguredError(_("AUSKUNFT is not set in the settings"))
    guard, sent = LossGuard(connection), 0
    while claimed := queue.claim(BATCH):
        try:
            sent += _send_batch(connection, guard, claimed)
        except client.AwayError as error:
            queue.postpone(claimed, str(error), timedelta(seconds=error.pause))
            raise
    return sent


def wake() -> None:
    """Have a thread of this process send what is due. Never fails, never waits."""
    global _thread  # noqa: PLW0603 - one for each process
    with _lock:
        _wake.set()
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_run, name="auskunft")
            with suppress(RuntimeError):  # the process is ending: another one sends
                _thread.start()


def _send_batch(connection: config.Config, guard: LossGuard, claimed: list[Entry]) -> int:
    """Send the pages of ``claimed``, in messages of at most ``MAX_BYTES``, where one alone is not larger."""
    parts: list[list[tuple[Entry, list[Event]]]] = [[]]
    size = 0
    for entry, events in guard.without_lost(_read(connection, claimed)):
        length = len(json.dumps(events))
        if parts[-1] and size + length > MAX_BYTES:
            parts.append([])
            size = 0
        parts[-1].append((entry, events))
        size += length
    return sum(_send_part(connection, part) for part in parts if part)


def _read(connection: config.Config, claimed: list[Entry]) -> list[tuple[Entry, list[Event]]]:
    """Return each entry with its events; whatever is wrong with one of them stops no others."""
    found = []
    for entry in claimed:
        try:
            found.append((entry, _events(connection, entry)))
        except visitors.PageError as error:
            queue.refuse(entry, str(error))
        except Exception as error:  # noqa: BLE001 - logged; code of the website is run
            _log.exception("page %s cannot be read", entry.page)
            queue.refuse(entry, f"the page cannot be read: {type(error).__name__}: {error}")
    return found


def _events(connection: config.Config, entry: Entry) -> list[Event]:
    """Return what is to be said of a page, and mark those below where that changes them."""
    if entry.subtree:
        queue.expand(entry)
    events = visitors.events_of(entry, connection)
    if not (entry.bulk or entry.subtree) and _has_moved(entry, events):
        queue.expand(entry)
    return events


def _send_part(connection: config.Config, part: list[tuple[Entry, list[Event]]]) -> int:
    """Send one message; if it is refused, each page alone, so that a wrong one stops no others."""
    try:
        jobs = client.send(connection, [event for _entry, events in part for event in events])
    except client.RefusedError as error:
        if len(part) == 1:
            queue.refuse(part[0][0], str(error))
            return 0
        return sum(_send_part(connection, [one]) for one in part)
    outrun = {job["page"] for job in jobs if job.get("status") == "superseded"}
    late = [
        entry
        for entry, events in part
        if outrun.intersection(event["id"] for event in events) and _is_newest(entry)
    ]
    for entry in late:
        queue.refuse(entry, _("Auskunft has a newer version: is the clock of this machine right?"))
    settled = [(entry, visitors.known(events)) for entry, events in part if entry not in late]
    queue.settle(settled)
    return len(settled)


def _has_moved(entry: Entry, events: list[Event]) -> bool:
    """Tell whether the page came, went or moved, so that those below have other addresses, too."""
    before = sorted((one["language"], one["url"]) for one in entry.known)
    return before != sorted((one["language"], one["url"]) for one in visitors.known(events))


def _is_newest(entry: Entry) -> bool:
    """Tell whether nobody has sent the page after ``entry`` was claimed."""
    return queue.entries().filter(pk=entry.pk, revision=entry.revision).exists()


def _run() -> None:
    """Send until nothing waits, or the process ends; then what is due once more."""
    global _thread  # noqa: PLW0603
    while True:
        _wake.clear()
        pause = _attempt()
        with _lock:
            if not _wake.is_set() and (pause is None or not threading.main_thread().is_alive()):
                _thread = None
                return
        waited = 0.0
        while waited < (pause or 0) and threading.main_thread().is_alive() and not _wake.wait(_POLL_SECONDS):
            waited += _POLL_SECONDS


def _attempt() -> float | None:
    """Send what is due; return the seconds until more is, ``None`` if nothing waits."""
    close_old_connections()
    try:
        with suppress(client.AwayError):
            send_due()
        due = queue.next_due()
        return None if due is None else max(0.0, (due - queue.now()).total_seconds())
    except (NotConfiguredError, config.ConfigError):
        return None
    except DatabaseError:
        _log.warning("the queue cannot be read now", exc_info=True)
        return _PAUSE_SECONDS
    except Exception:  # noqa: BLE001 - logged; else pages would wait until the process ends
        _log.exception("sending to Auskunft failed")
        return _PAUSE_SECONDS * 12
    finally:
        connections.close_all()
