"""The faults that strike an installation at random. Each is over when its method returns."""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random
from typing import Final

from app.errors import ConflictError
from app.monitoring.readiness import checks
from tests.fakes.embeddings_server import FakeEmbeddings
from tests.fakes.faults_plugin import CRASH
from tests.faults.disks import fill
from tests.faults.freezing import freeze
from tests.faults.installation import Installation
from tests.faults.worker_group import wait_until
from tests.services.elasticsearch import Elasticsearch
from tests.services.ports import free_port
from tests.services.postgresql import Postgresql
from tests.services.redis import RedisServer

WORKERS: Final = 2
AWAY_SECONDS: Final = (0.5, 5.0)
FROZEN_SECONDS: Final = (3.0, 20.0)
"""Also longer than the visibility timeout."""

FAULTY: Final = {"deadly": "poison", "hang": "timeout", "memory": "too_large"}


class Embeddings:
    """A server of embeddings that can be away."""

    def __init__(self) -> None:
        self._port = free_port()
        self._running = ExitStack()
        self.start()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._port}/v1"

    def start(self) -> None:
        """Answer."""
        self._running.enter_context(FakeEmbeddings(self._port))

    def stop(self) -> None:
        """Be away."""
        self._running.close()

    close = stop


class Strikes:
    """Strikes what is given, as ``random`` says. ``struck`` counts; ``failed``: pages that must fail, and
    why."""

    def __init__(
        self,
        installation: Installation,
        random: Random,
        *,
        redis: RedisServer,
        embeddings: Embeddings,
        postgresql: Postgresql | None,
        elasticsearch: Elasticsearch | None,
        disk: Path | None,
    ) -> None:
        self.struck: Counter[str] = Counter()
        self.failed: dict[str, str] = {}
        self._deck: list[str] = []
        self._installation = installation
        self._random = random
        self._redis = redis
        self._embeddings = embeddings
        self._server = installation.serve()
        self._beat = installation.start("beat")
        self._workers = [installation.start_worker() for _ in range(WORKERS)]
        self._faults: dict[str, Callable[[], None]] = {
            "pool process killed": self._kill_pool_process,
            "worker killed": self._kill_worker,
            "worker asked to end": self._end_worker,
            "worker frozen": self._freeze_worker,
            "worker dead between pop and note": self._crash_worker,
            "server killed": self._kill_server,
            "beat killed": self._kill_beat,
            "Redis restarted": self._restart_redis,
            "Redis emptied": self._flush_redis,
            "Redis stopped and continued": self._pause_redis,
            "Redis may evict": self._let_redis_evict,
            "embedder away": self._stop_embedder,
            "deadly page": lambda: self._send_faulty("deadly"),
            "page whose parser hangs": lambda: self._send_faulty("hang"),
            "page that takes all memory": lambda: self._send_faulty("memory"),
            "rebuild begun": self._rebuild,
        }
        if postgresql is not None:
            self._faults["PostgreSQL restarted"] = postgresql.restart
            self._faults["PostgreSQL killed"] = lambda: self._kill_server_of_data(postgresql)
        if elasticsearch is not None:
            self._faults["Elasticsearch killed"] = lambda: self._kill_server_of_data(elasticsearch)
        if disk is not None:
            self._faults["disk full"] = lambda: self._fill(disk)

    def strike(self, until: float) -> None:
        """One fault after the other until then (``time.monotonic``), each kind as often as the others."""
        while time.monotonic() < until:
            self._pause(AWAY_SECONDS)
            self._deck = self._deck or self._random.sample(sorted(self._faults), len(self._faults))
            name = self._deck.pop()
            self._faults[name]()
            self.struck[name] += 1

    def _pause(self, seconds: tuple[float, float]) -> None:
        time.sleep(self._random.uniform(*seconds))

    def _kill_pool_process(self) -> None:
        worker = self._random.choice(self._workers)
        if children := worker.children():
            with suppress(ProcessLookupError):
                os.kill(self._random.choice(children), signal.SIGKILL)

    def _kill_worker(self) -> None:
        position = self._random.randrange(WORKERS)
        self._workers[position].kill()
        self._pause(AWAY_SECONDS)
        self._workers[position] = self._installation.start_worker()

    def _end_worker(self) -> None:
        position = self._random.randrange(WORKERS)
        self._workers[position].terminate()
        self._workers[position] = self._installation.start_worker()

    def _freeze_worker(self) -> None:
        worker = self._random.choice(self._workers)
        freeze(self._installation, worker)
        self._pause(FROZEN_SECONDS)
        worker.signal(signal.SIGCONT)

    def _crash_worker(self) -> None:
        crashing = self._installation.start_worker(patch=CRASH)
        wait_until(lambda: not crashing.runs())
        crashing.kill()

    def _kill_server(self) -> None:
        self._server.kill()
        self._pause(AWAY_SECONDS)
        self._server = self._installation.serve()

    def _kill_beat(self) -> None:
        self._beat.kill()
        self._pause(AWAY_SECONDS)
        self._beat = self._installation.start("beat")

    def _restart_redis(self) -> None:
        self._redis.kill()
        self._pause(AWAY_SECONDS)
        self._redis.start()

    def _flush_redis(self) -> None:
        with self._redis.client() as client:
            client.flushall()

    def _pause_redis(self) -> None:
        self._redis.pause()
        self._pause(AWAY_SECONDS)
        self._redis.go_on()

    def _let_redis_evict(self) -> None:
        with self._redis.client() as client:
            client.config_set("maxmemory-policy", "allkeys-lru")
            [broker] = [part for part in checks(self._installation.services) if part.name == "broker"]
            client.config_set("maxmemory-policy", "noeviction")
        assert not broker.ok

    def _stop_embedder(self) -> None:
        self._embeddings.stop()
        self._pause(AWAY_SECONDS)
        self._embeddings.start()

    def _send_faulty(self, fault: str) -> None:
        [page] = self._installation.new_pages(1, fault)
        self.failed[page] = FAULTY[fault]

    def _rebuild(self) -> None:
        with suppress(ConflictError):  # there is one under way
            self._installation.services.indexing.rebuild_queue.request()

    def _kill_server_of_data(self, server: Postgresql | Elasticsearch) -> None:
        server.kill()
        self._pause(AWAY_SECONDS)
        server.start()

    def _fill(self, disk: Path) -> None:
        ballast = fill(disk)
        self._pause(AWAY_SECONDS)
        ballast.unlink()
