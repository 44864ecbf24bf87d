"""``auskunft reindex --queue`` and ``--cancel``: rebuilds that workers do."""

import time
from typing import Final

import click

from app.chat.sites import select_sources
from app.cli.common import console
from app.cli.progress import long_work
from app.errors import BrokerUnavailableError, InputError
from app.indexing.progress import Progress
from app.pages.rebuilds import Rebuild
from app.services import Services

POLL_SECONDS: Final = 0.2


def request_rebuild(services: Services, source: str | None, *, take_over: bool, wait: bool) -> None:
    """Request a rebuild; with ``wait``, wait for it and print its result. Raises ``ConflictError`` and
    ``InputError``."""
    if source is not None:
        select_sources(services.store, source)
    rebuild = services.indexing.rebuild_queue.request(source, take_over=take_over)
    if problem := _missing_worker(services):
        console(stderr=True).print(f"note: {problem}")
    if wait:
        _report(_wait_for(services, rebuild))
        return
    console().print(
        f"rebuild {rebuild.id} is queued: `auskunft status` shows its progress, "
        "`auskunft reindex --cancel` ends it"
    )


def cancel_rebuild(services: Services) -> None:
    """Cancel the rebuild under way. Raises ``InputError`` if there is none."""
    active = services.indexing.rebuild_queue.active()
    if active is None:
        raise InputError("no rebuild is under way in the queue")
    services.indexing.rebuild_queue.cancel(active.id)
    services.indexing.rebuild_queue.advance()  # at once, even if no worker runs
    if services.indexing.rebuild_queue.get(active.id).is_active:
        console().print(f"rebuild {active.id} ends after the current step")
    else:
        console().print(f"rebuild {active.id} has ended; the index is unchanged")


def _missing_worker(services: Services) -> str:
    """Say what must be started before the rebuild can begin; empty if nothing."""
    if not services.settings.broker_url:
        is_served = services.background.worker.state() != "nowhere"
        return "" if is_served else "nobody works in the background: start `auskunft serve`"
    try:
        return "" if services.broker.workers() else "no worker is running: start `auskunft worker`"
    except BrokerUnavailableError as error:
        return str(error)


def _wait_for(services: Services, rebuild: Rebuild) -> Rebuild:
    with long_work("building") as show:
        while rebuild.is_active:
            done = rebuild.written + rebuild.failed
            show("building", Progress(done=done, total=rebuild.pages or None))
            time.sleep(POLL_SECONDS)
            rebuild = services.indexing.rebuild_queue.get(rebuild.id)
    return rebuild


def _report(rebuild: Rebuild) -> None:
    out = console()
    if rebuild.state != "done":
        out.print(f"rebuild {rebuild.id}: {rebuild.state.replace('_', ' ')}: {rebuild.reason}".rstrip(": "))
        raise click.exceptions.Exit(1)
    seconds = (rebuild.finished_at - rebuild.requested_at).total_seconds() if rebuild.finished_at else 0.0
    where = f"generation {rebuild.generation} is live" if rebuild.generation else "written again in place"
    out.print(f"{rebuild.written} pages, {rebuild.failed} failed in {seconds:.1f} s: {where}")
    if rebuild.reason:
        out.print(rebuild.reason)
    if rebuild.failed:
        out.print("`auskunft pages --failed` lists the reasons")
        raise click.exceptions.Exit(1)
