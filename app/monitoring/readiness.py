"""Is every part working, and which command helps where one is not."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from shutil import disk_usage
from typing import Any, Final

from sqlalchemy.exc import SQLAlchemyError

from app.errors import AuskunftError, BacklogError, BrokerUnavailableError
from app.indexing.generations import check_location
from app.pages.backlog import KINDS, Backlog, Kind, age, is_late, read_backlog
from app.pages.store import utc_now
from app.queue.broker import Broker
from app.search.live import find_current, live_generation
from app.services import Services

OTHER_SETTINGS: Final = (
    "made with other settings, which go on holding: to use the present ones, run `auskunft reindex`"
)

FAULTS: Final = (AttributeError, LookupError, OSError, SQLAlchemyError, TypeError, ValueError)
"""What a damaged file may lead to, beside ``AuskunftError``: one line says so, the others stay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line of ``/readyz`` and ``auskunft status``. ``required``: without it nothing is answered."""

    name: str
    ok: bool
    detail: str
    required: bool = True

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def checks(services: Services) -> list[Check]:
    """Look at every part; a part that raises is not ok, with its message."""
    return [
        _check("page store", True, lambda: _store(services)),
        _check("disk", False, lambda: _disk(services)),
        *_damaged(services),
        *_indexing(services),
        _check("index", True, lambda: _index(services)),
        *_extra("vectors", lambda: _vectors(services)),
        _check("embedder", False, lambda: _embedder(services)),
        _check("language model", False, lambda: _model(services)),
        *_extra("rebuild", lambda: _rebuild(services)),
        *_extra("reconciliation", lambda: _reconciliation(services)),
    ]


def _check(name: str, required: bool, look: Callable[[], str]) -> Check:
    try:
        return Check(name=name, ok=True, detail=look(), required=required)
    except AuskunftError as error:
        return Check(name=name, ok=False, detail=str(error), required=required)
    except FAULTS as error:
        return _broken(name, error, required=required)


def _extra(name: str, look: Callable[[], list[Check]]) -> list[Check]:
    """Lines that are only there where there is something to tell."""
    try:
        return look()
    except AuskunftError:
        return []  # other lines say so
    except FAULTS as error:
        return [_broken(name, error, required=False)]


def _broken(name: str, error: Exception, *, required: bool) -> Check:
    detail = f"cannot be looked at ({type(error).__name__}: {error})"
    return Check(name=name, ok=False, detail=detail, required=required)


def _store(services: Services) -> str:
    waiting = services.store.pending()
    return f"{waiting} pages to be indexed" if waiting else "all pages settled"


def _disk(services: Services) -> str:
    """Questions are answered without it, but nothing is taken in and nothing kept."""
    services.disk.check()
    free = disk_usage(services.data).free / 1_000_000_000
    return f"{free:,.1f} GB free in {services.data}"


def _damaged(services: Services) -> list[Check]:
    """A line where the page store lost what it kept of some pages."""
    try:
        damaged = services.store.damaged()
    except AuskunftError:
        return []  # other lines say so
    if not damaged:
        return []
    detail = (
        f"what was kept of {damaged:,} pages cannot be read any more: save, import or pull them again "
        "(`auskunft pages --failed` lists them)"
    )
    return [Check(name="damaged pages", ok=False, detail=detail, required=False)]


def _indexing(services: Services) -> Iterator[Check]:
    """Who indexes what comes in, what stands in the way, and how far behind they are."""
    if services.settings.broker_url:
        yield _check("broker", False, lambda: _broker(services.broker))
        yield _check("workers", False, lambda: _workers(services.broker))
        yield _check("schedule", False, lambda: _schedule(services.broker))
    else:
        yield _check("workers", False, lambda: _drain(services))
    yield _check("backlog", False, lambda: _backlog(services))


def _broker(broker: Broker) -> str:
    policy = broker.eviction_policy()
    if policy != "noeviction":
        raise BrokerUnavailableError(
            f"the broker at {broker.address} throws messages away when its memory is full ({policy}): "
            "set `maxmemory-policy noeviction` in redis.conf"
        )
    return broker.address


def _workers(broker: Broker) -> str:
    workers = broker.workers()
    if not workers:
        raise BrokerUnavailableError("no worker is running, so nothing is indexed: start `auskunft worker`")
    return f"{len(workers)} running"


def _schedule(broker: Broker) -> str:
    if not broker.is_swept():
        raise BrokerUnavailableError("nothing looks for forgotten pages: start `auskunft beat`")
    return "kept"


def _backlog(services: Services) -> str:
    now = utc_now()
    backlog = read_backlog(services.store.engine, now)
    told = "; ".join(filter(None, (_waiting(backlog, now, kind) for kind in KINDS))) or "none"
    if is_late(backlog, now, timedelta(minutes=services.settings.backlog_minutes)):
        raise BacklogError(f"{told}: {_remedy(services, backlog)}")
    return told


def _waiting(backlog: Sequence[Backlog], now: datetime, kind: Kind) -> str:
    pages = sum(each.pages for each in backlog if each.kind == kind)
    if not pages:
        return ""
    what = "saved pages" if kind == "interactive" else "imported pages"
    minutes = int(age(backlog, now, kind).total_seconds() / 60)
    return f"{pages:,} {what}, the oldest for {minutes:,} min"


def _remedy(services: Services, backlog: Sequence[Backlog]) -> str:
    if any(each.state == "waiting" for each in backlog):
        return "`auskunft pages` says what each waits for"
    if services.settings.broker_url:
        return "start another `auskunft worker`"
    if services.background.worker.state() == "nowhere":
        return "start `auskunft serve`, or run `auskunft index`"
    return "one thread is too slow for them, `auskunft worker` takes several"


def _drain(services: Services) -> str:
    match services.background.worker.state():
        case "here":
            return "embedded: indexes what comes in"
        case "elsewhere":
            return "embedded: another process indexes what comes in"
    return "embedded: not running, `auskunft serve` and `auskunft index` index what has come in"


def _index(services: Services) -> str:
    index = services.indexing.index
    check_location(services.store, services.indexing.generations.location)
    live = live_generation(index, services.store.id)
    notes = [index.advice(), _build(services)]
    if live.recipe.build != services.indexing.build_recipe:
        notes.insert(0, OTHER_SETTINGS)
    return "; ".join([f"generation {live.number}", *filter(None, notes)])


def _build(services: Services) -> str | None:
    running = services.store.current_build()
    if running is None or running.generation is None:
        return None
    return f"generation {running.generation} in the making since {running.since:%Y-%m-%d %H:%M} UTC"


def _rebuild(services: Services) -> list[Check]:
    """A line where a rebuild is under way, or the last one did not end well."""
    last = next(iter(services.indexing.rebuild_queue.all()), None)
    if last is None or last.state in ("done", "cancelled"):
        return []
    detail = f"{last.id} is {last.state.replace('_', ' ')}" + (f": {last.reason}" if last.reason else "")
    if last.is_active:
        detail = f"{last.written + last.failed} of {last.pages} pages, {detail}"
    return [Check(name="rebuild", ok=last.is_active and not last.reason, detail=detail, required=False)]


def _vectors(services: Services) -> list[Check]:
    """A line where questions do not find pages by their meaning, because the index is damaged."""
    damaged = services.indexing.opened_index.damaged()
    if not damaged:
        return []
    detail = (
        f"{damaged} pages have damaged vectors and are found by their words alone: run `auskunft reconcile`, "
        "as happens every night"
    )
    return [Check(name="vectors", ok=False, detail=detail, required=False)]


def _reconciliation(services: Services) -> list[Check]:
    """A line where the last comparison of page store and index found what a person must look at."""
    last, live = services.background.reconciliation_log.last(), find_current(services.indexing.opened_index)
    if last is None or not last.problem or live is None or last.generation != live.number:
        return []
    detail = f"{last.started_at:%Y-%m-%d %H:%M} UTC: {last.problem}"
    return [Check(name="reconciliation", ok=False, detail=detail, required=False)]


def _embedder(services: Services) -> str:
    live = services.indexing.index.live()
    if live is not None:
        services.preset.thresholds(live.recipe.embedder)
        services.indexing.embedders.of(live)
    name = services.settings.embedder
    return f"{name} (not semantic)" if name == "hashing" else name


def _model(services: Services) -> str:
    chat = services.settings.chat
    return f"{chat.model} at {chat.base_url}" if chat.model else "none: answers are passages, verbatim"
