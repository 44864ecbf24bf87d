"""The metrics for Prometheus.

Pages, vectors, pulls, workers and questions are counted for the whole installation, in the page store and the
broker, so every web server exposes the same values. Messages and refusals are counted in this process, since
it started.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import chain
from pkgutil import resolve_name
from typing import Final

import prometheus_client
from prometheus_client import CollectorRegistry, disable_created_metrics, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import Engine

from app.errors import AuskunftError, BrokerUnavailableError, DataFolderError, PageStoreUnavailableError
from app.feature import CounterFamily
from app.monitoring.check import FAULTS
from app.pages import counters
from app.pages.backlog import KINDS, age, read_backlog
from app.pages.counters import Counters, Key
from app.pages.database import utc_now
from app.pages.store import PageStore
from app.queue.broker import Broker
from app.services import Services

ANSWERS: Final = (202, 400, 401, 403, 404, 409, 413, 415, 422, 429, 503)
"""Statuses exposed from the start, so that the first message with one shows as an increase."""

_COUNTERS: Final = (
    CounterFamily(
        counters.ACCEPTED,
        "auskunft_pages_accepted",
        "Versions of pages taken in, deleted ones too",
        ("source",),
    ),
    CounterFamily(
        counters.INDEXED, "auskunft_pages_indexed", "Versions of pages brought to the index", ("source",)
    ),
    CounterFamily(
        counters.FAILED, "auskunft_pages_failed", "Versions of pages that failed", ("source", "reason")
    ),
    CounterFamily(
        counters.CHUNKS,
        "auskunft_windows",
        "Windows of text whose vector was cached or embedded",
        ("vector",),
    ),
    CounterFamily(
        counters.EMBEDDING_SECONDS, "auskunft_embedding_seconds", "Time spent embedding windows", ()
    ),
    CounterFamily(
        counters.OUTCOMES,
        "auskunft_questions",
        "Questions by the outcome of their answers",
        ("site", "outcome"),
    ),
    CounterFamily(
        counters.WITHOUT_MODEL,
        "auskunft_answers_without_model",
        "Answers that a model should have written, by the reason why it did not",
        ("reason",),
    ),
    CounterFamily(counters.PULLS, "auskunft_pulls", "Pulls that ended", ("source", "outcome")),
)


class Metrics:
    """The metrics of one process and of the installation of ``services``."""

    def __init__(self, services: Services) -> None:
        self._registry = CollectorRegistry()
        for collect in (_of_page_store, _of_workers, _of_features):
            self._registry.register(_Collector(partial(collect, services)))
        disable_created_metrics()  # type: ignore[no-untyped-call]  # dates, one beside each counter
        self._deliveries = prometheus_client.Counter(
            "auskunft_deliveries",
            "Messages of content management systems, by the status they were answered with",
            ["status"],
            registry=self._registry,
        )
        for status in ANSWERS:
            self._deliveries.labels(status)
        self._refusals = prometheus_client.Counter(
            "auskunft_refusals",
            "Requests that were refused because there were too many, by what was asked for",
            ["what"],
            registry=self._registry,
        )
        self._refusals.labels("chat")

    def count_delivery(self, status: int) -> None:
        """Count an answered message."""
        self._deliveries.labels(status).inc()

    def count_refusal(self, what: str) -> None:
        """Count a request that was refused because of a limit."""
        self._refusals.labels(what).inc()

    def text(self) -> bytes:
        """Return all metrics in Prometheus's text format. Those of unavailable parts are left out, with
        ``up`` 0."""
        return generate_latest(self._registry)


class _Collector(Collector):
    """A collector that calls a function."""

    def __init__(self, collect: Callable[[], Iterator[Metric]]) -> None:
        self._collect = collect

    def collect(self) -> Iterator[Metric]:
        return self._collect()


def _of_page_store(services: Services) -> Iterator[Metric]:
    try:
        store, engine = services.store, services.engine
        found = [*_pages(store), *_backlog(engine), *_counters(Counters(engine).read(), services)]
    except (PageStoreUnavailableError, DataFolderError):
        found = []
    yield _gauge("auskunft_page_store_up", "Whether the page store answers", bool(found))
    yield from found


def _of_features(services: Services) -> Iterator[Metric]:
    for name in chain.from_iterable(feature.collectors for feature in services.features):
        # auskunft_page_store_up reports an unavailable page store; a broken feature has no metrics.
        with suppress(AuskunftError, *FAULTS):
            yield from resolve_name(name)(services)


def _of_workers(services: Services) -> Iterator[Metric]:
    if services.settings.broker_url:
        yield from _celery_workers(services.broker)
        return
    try:
        yield _workers(services.background.worker.state() != "nowhere")
    except DataFolderError:  # auskunft_page_store_up reports it
        yield _workers(0)


def _celery_workers(broker: Broker) -> Iterator[Metric]:
    try:
        found = [
            _workers(len(broker.workers())),
            _gauge("auskunft_schedule_kept", "Whether forgotten pages are looked for", broker.is_swept()),
        ]
    except BrokerUnavailableError:
        found = []
    yield _gauge("auskunft_broker_up", "Whether the broker answers", bool(found))
    yield from found


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(name, meaning, value=float(value))


def _workers(number: int) -> Metric:
    return _gauge("auskunft_workers", "Who indexes what comes in: workers, or the thread of a server", number)


def _pages(store: PageStore) -> Iterator[Metric]:
    family = GaugeMetricFamily("auskunft_pages", "Pages by what became of them", labels=["state"])
    for state, pages in sorted(store.counts().items()):
        family.add_metric([state], pages)
    yield family


def _backlog(engine: Engine) -> Iterator[Metric]:
    now = utc_now()
    backlog = read_backlog(engine, now)
    pages = GaugeMetricFamily(
        "auskunft_backlog_pages", "Pages to be fetched or indexed", labels=["priority", "state"]
    )
    counts: Counter[tuple[str, str]] = Counter()
    for entry in backlog:
        counts[entry.kind, entry.state] += entry.pages
    for labels, count in counts.items():
        pages.add_metric(labels, count)
    yield pages
    ages = GaugeMetricFamily(
        "auskunft_backlog_age_seconds", "How long the oldest of these pages waits", labels=["priority"]
    )
    for kind in KINDS:
        ages.add_metric([kind], age(backlog, now, kind).total_seconds())
    yield ages


def _counters(amounts: Mapping[Key, float], services: Services) -> Iterator[Metric]:
    added = chain.from_iterable(feature.counters for feature in services.features)
    for name, metric, meaning, labels in (*_COUNTERS, *added):
        family = CounterMetricFamily(metric, meaning, labels=labels)
        for (_, *values), amount in _named(amounts, name):
            family.add_metric(values[: len(labels)], amount)
        yield family
    yield _histogram(
        amounts,
        (counters.SEARCHABLE, counters.SEARCHABLE_SECONDS),
        HistogramMetricFamily(
            "auskunft_searchable_seconds", "From accepting a page to finding it", labels=["priority"]
        ),
    )
    yield _histogram(
        amounts,
        (counters.FIRST_TEXT, counters.FIRST_TEXT_SECONDS),
        HistogramMetricFamily(
            "auskunft_first_text_seconds", "From a question to the first text of its answer", labels=["by"]
        ),
    )


def _named(amounts: Mapping[Key, float], name: str) -> Iterable[tuple[Key, float]]:
    return ((key, amount) for key, amount in amounts.items() if key[0] == name)


def _histogram(amounts: Mapping[Key, float], names: tuple[str, str], family: HistogramMetricFamily) -> Metric:
    """Fill the family. ``names``: those of the counts by bucket and of the sums of seconds."""
    name, sums = names
    counts: dict[str, dict[float, float]] = defaultdict(dict)
    for (_, kind, bound), pages in _named(amounts, name):
        counts[kind][float(bound)] = pages
    for kind, of_kind in sorted(counts.items()):
        total = 0.0
        buckets = []
        for upper in counters.BUCKETS:
            total += of_kind.get(upper, 0)
            buckets.append(("+Inf" if math.isinf(upper) else str(float(upper)), total))
        family.add_metric([kind], buckets, amounts[sums, kind, ""])
    return family
