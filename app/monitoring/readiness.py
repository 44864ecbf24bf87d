"""The checks of ``/readyz`` and ``auskunft status``; a failed one says which command helps."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pkgutil import resolve_name
from shutil import disk_usage
from typing import Final

from app.errors import (
    AuskunftError,
    BrokerUnavailableError,
    EmbedderUnavailableError,
    PluginError,
    UnknownPluginError,
)
from app.indexing.generations import check_location
from app.monitoring import site_check
from app.monitoring.backlog_line import backlog_line
from app.monitoring.broken_work import broken_pulls, broken_steps, halted_pulls
from app.monitoring.check import FAULTS, Check, run, run_optional, verified
from app.presets import Preset
from app.queue.broker import Broker
from app.search.index import find_current, live_generation
from app.search.query import knows_meaning
from app.services import Services
from app.settings.addresses import shown
from app.settings.settings import DEFAULT_RERANKER
from ingest.availability import Availability
from ingest.said import Said, joined

OTHER_SETTINGS: Final = Said(
    "built with other settings, which still apply: to use the current ones, run `auskunft reindex`"
)

HALTED_PULLS: Final = "halted pulls"
NAMING: Final = frozenset({site_check.NAME, "sources", HALTED_PULLS, "background"})
"""Checks that name sites and sources, or quote faults: only for people who may see all sources."""

_STATES: Final = {
    "queued": "queued",
    "running": "running",
    "needs_attention": "needs attention",
    "failed": "failed",
}
"""Descriptions of the states of rebuilds that are reported."""

PROMPT_TOKENS: Final = 1_000
"""Tokens of a prompt in addition to the pages: rules, question and delimiters."""


def checks(services: Services) -> list[Check]:
    """Run every check; one that raises is not ok, with the error as its detail. Requests to other servers
    start first, so that they answer during the other checks."""
    for server in (_used_model, _used_embedder, _used_reranker):
        with suppress(AuskunftError, *FAULTS):  # its own check reports it
            if availability := server(services):
                availability.refresh()
    of_features = [*_of_features(services)]  # before the others, because these may wait for servers, too
    return [
        run("page store", True, lambda: _page_store(services)),
        run("disk", False, lambda: _disk(services)),
        *run_optional(site_check.NAME, lambda: [site_check.site_check(services)]),
        *run_optional("damaged pages", lambda: _damaged_pages(services)),
        *_workers_and_backlog(services),
        run("index", True, lambda: _index(services)),
        *run_optional("vectors", lambda: _damaged_vectors(services)),
        run("embedder", False, lambda: _embedder(services)),
        *run_optional("reranker", lambda: _reranker(services)),
        *run_optional("reader", lambda: _reader(services)),
        run("language model", False, lambda: _language_model(services)),
        *run_optional("model context", lambda: _model_context(services)),
        *of_features,
        *run_optional("rebuild", lambda: _rebuild(services)),
        *run_optional("sources", lambda: _reported("sources", broken_pulls(services))),
        *run_optional(HALTED_PULLS, lambda: _reported(HALTED_PULLS, halted_pulls(services))),
        *run_optional("background", lambda: _reported("background", broken_steps(services))),
        *run_optional("reconciliation", lambda: _reconciliation(services)),
    ]


def _of_features(services: Services) -> Iterator[Check]:
    for feature in services.features:
        for name, target in feature.checks.items():
            yield from run_optional(name, partial(_of_feature, target, services))


def _of_feature(target: str, services: Services) -> list[Check]:
    lines: list[Check] = resolve_name(target)(services)
    return lines


def _reported(name: str, detail: str) -> list[Check]:
    """Return a failed check with this detail, or none if the detail is empty."""
    return [Check(name=name, ok=False, detail=detail, required=False)] if detail else []


def _page_store(services: Services) -> str:
    waiting = services.store.pending()
    return Said("{count:,} pages to be indexed", count=waiting) if waiting else Said("all pages settled")


def _disk(services: Services) -> str:
    """Check that the disk is writable; if not, questions are answered, but nothing is accepted or stored."""
    services.disk.check()
    free = disk_usage(services.data).free / 1_000_000_000
    return Said("{free:,.1f} GB free in {folder}", free=free, folder=services.data)


def _damaged_pages(services: Services) -> list[Check]:
    """Report pages whose stored body is damaged."""
    damaged = services.page_list.damaged()
    detail = Said(
        "the stored content of {count:,} pages can no longer be read: save, import or pull them again "
        "(`auskunft pages --failed` lists them)",
        count=damaged,
    )
    return _reported("damaged pages", detail if damaged else "")


def _workers_and_backlog(services: Services) -> Iterator[Check]:
    """Check the workers that index pages, the services that they need, and the backlog."""
    if services.settings.broker_url:
        yield from _broker_and_workers(services.broker)
    else:
        yield run("workers", False, lambda: _embedded_worker(services))
    yield run("backlog", False, lambda: backlog_line(services))


def _broker_and_workers(broker: Broker) -> Iterator[Check]:
    """Check the broker, and the workers and the schedule by its data. If it does not answer, ask it only once
    for all checks."""
    try:
        policy = broker.eviction_policy()
    except AuskunftError as error:
        for name in ("broker", "workers", "schedule"):
            yield Check(name=name, ok=False, detail=Said.of(error), required=False)
        return
    yield run("broker", False, lambda: _broker(broker, policy))
    yield run("workers", False, lambda: _celery_workers(broker))
    yield run("schedule", False, lambda: _schedule(broker))


def _used_model(services: Services) -> Availability | None:
    if not services.settings.chat.model:  # checked first, because the chat takes a while to import
        return None
    model = services.chat.model
    return None if model is None else model.availability


def _used_embedder(services: Services) -> Availability | None:
    """Return the availability of the server that embeds questions; ``None`` for a local embedder, which this
    call loads."""
    live = services.indexing.index.live()
    embedders = services.indexing.embedders
    used = embedders.current if live is None else embedders.of(live)
    return getattr(used, "availability", None)


def _used_reranker(services: Services) -> Availability | None:
    """Return the availability of the server that reranks; ``None`` if no preset reranks, and for a local
    reranker, which this call loads."""
    return services.reranker.availability if _reranks(services) else None


def _reranks(services: Services) -> bool:
    return any(preset.question.rerank for preset in _used_presets(services))


def _used_presets(services: Services) -> list[Preset]:
    """Return the presets of the sites and the installation, by name."""
    variants = [variant for site in services.chat.sites.all() for variant in site.variants()]
    names = {services.settings.preset, *(variant.preset for variant in variants if variant.preset)}
    return [services.presets.load(name) for name in sorted(names)]


def _broker(broker: Broker, policy: str) -> str:
    if policy != "noeviction":
        raise BrokerUnavailableError(
            "the broker at {address} discards messages when its memory is full ({policy}): "
            "set `maxmemory-policy noeviction` in redis.conf",
            address=broker.address,
            policy=policy,
        )
    return broker.address


def _celery_workers(broker: Broker) -> str:
    workers = broker.workers()
    if not workers:
        raise BrokerUnavailableError("no worker is running, so nothing is indexed: start `auskunft worker`")
    return Said("{count:,} running", count=len(workers))


def _schedule(broker: Broker) -> str:
    if not broker.is_swept():
        raise BrokerUnavailableError("nothing looks for forgotten pages: start `auskunft beat`")
    return Said("kept")


def _embedded_worker(services: Services) -> str:
    match services.background.worker.state():
        case "here":
            return Said("embedded: indexes what comes in")
        case "elsewhere":
            return Said("embedded: another process indexes what comes in")
    return Said("embedded: none is running; `auskunft serve` and `auskunft index` index what has come in")


def _index(services: Services) -> str:
    index = services.indexing.index
    check_location(services.store, services.indexing.generations.location)
    live = live_generation(index, services.store.id)
    notes = [index.advice(), _build(services)]
    with suppress(PluginError, UnknownPluginError, EmbedderUnavailableError):  # reported by its own check
        if live.recipe.build != services.indexing.build_recipe:
            notes.insert(0, OTHER_SETTINGS)
    return joined([Said("generation {number}", number=live.number), *filter(None, notes)])


def _build(services: Services) -> str | None:
    running = services.builds.current()
    if running is None or running.generation is None:
        return None
    return Said(
        "generation {number} being built since {since:%Y-%m-%d %H:%M} UTC",
        number=running.generation,
        since=running.since,
    )


def _rebuild(services: Services) -> list[Check]:
    """Report the last rebuild, unless it is done or was cancelled."""
    last = next(iter(services.indexing.rebuild_queue.all()), None)
    if last is None or last.state in ("done", "cancelled"):
        return []
    detail = Said("{name} is {state}", name=last.id, state=Said(_STATES[last.state]))
    if last.reason:
        detail = Said("{what}: {problem}", what=detail, problem=last.reason)
    if last.is_active:
        done = last.written + last.failed
        detail = Said("{done:,} of {count:,} pages, {what}", done=done, count=last.pages, what=detail)
    return [Check(name="rebuild", ok=last.is_active and not last.reason, detail=detail, required=False)]


def _damaged_vectors(services: Services) -> list[Check]:
    """Report pages that vector search does not find, because the index is damaged."""
    damaged = services.indexing.opened_index.damaged()
    detail = Said(
        "{count:,} pages have damaged vectors and are found only by their words: run `auskunft reconcile`, "
        "which also runs every night",
        count=damaged,
    )
    return _reported("vectors", detail if damaged else "")


def _reconciliation(services: Services) -> list[Check]:
    """Report a problem of the last reconciliation that a person must look at."""
    last, live = services.background.reconciliation_log.last(), find_current(services.indexing.opened_index)
    if last is None or not last.problem or live is None or last.generation != live.number:
        return []
    detail = Said("{at:%Y-%m-%d %H:%M} UTC: {problem}", at=last.started_at, problem=last.problem)
    return _reported("reconciliation", detail)


def _embedder(services: Services) -> str:
    """Check the settings' embedder, and the live generation's, which may still be another one. This loads
    local embedders."""
    is_semantic = knows_meaning(str(services.indexing.embedder.recipe["name"]))
    name = services.settings.embedder
    label = name if is_semantic else Said("{name} (not semantic)", name=name)
    live = services.indexing.index.live()
    if live is not None:
        services.preset.thresholds(live.recipe.embedder)
    return _with_state(label, _used_embedder(services))


def _reranker(services: Services) -> list[Check]:
    """Check the reranker, if a preset in use reranks, or the settings name another than the default."""
    name = services.settings.reranker
    if _reranks(services):
        return [run("reranker", False, lambda: _with_state(name, _used_reranker(services)))]
    if name == DEFAULT_RERANKER:
        return []
    detail = Said("{name}: not used by any preset in use", name=name)
    return [Check(name="reranker", ok=True, detail=detail, required=False)]


def _reader(services: Services) -> list[Check]:
    """Report the reader (a cross-encoder) if it was used and failed."""
    problem = services.indexing.block_comparison.reader.problem
    return [Check(name="reader", ok=False, detail=problem, required=False)] if problem else []


def _with_state(name: str, availability: Availability | None) -> str:
    """Return the name of a model with the state of its server, if it has one. Raises ``AuskunftError`` if the
    server cannot be used."""
    return Said("{name}: {state}", name=name, state=verified(availability)) if availability else name


def _language_model(services: Services) -> str:
    chat = services.settings.chat
    if chat.prompts:
        _ = services.chat.prompts  # loads them, and raises if they are invalid
    availability = _used_model(services)
    if availability is None:
        return Said("none: answers are verbatim passages")
    address = shown(chat.base_url)
    return _with_state(Said("{model} at {address}", model=chat.model, address=address), availability)


def _model_context(services: Services) -> list[Check]:
    """Report presets that give the model more text than fits into its context."""
    chat = services.settings.chat
    if not chat.model:
        return []
    others = chat.answer_tokens + PROMPT_TOKENS
    budgets = {preset.name: preset.question.budget_tokens for preset in _used_presets(services)}
    return [
        Check(
            name="model context",
            ok=False,
            detail=Said(
                "preset {name!r} reads {budget:,} tokens of pages, but AUSKUNFT_CHAT__CONTEXT_TOKENS "
                "leaves {left:,}: answers come from fewer pages; raise it to {needed:,}, or choose another "
                "preset",
                name=name,
                budget=budget,
                left=max(chat.context_tokens - others, 0),
                needed=budget + others,
            ),
            required=False,
        )
        for name, budget in budgets.items()
        if budget + others > chat.context_tokens
    ]
