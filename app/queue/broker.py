"""What can be asked of the broker, and what workers leave there: signs of life."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from app.errors import BrokerUnavailableError

if TYPE_CHECKING:
    from redis import Redis

ANSWER_SECONDS: Final = 1.0
PRESENCE_SECONDS: Final = 15
"""How long a worker counts as living after its last sign; it gives one every 2 seconds."""

_WORKER: Final = "auskunft:worker:"
_SCHEDULER: Final = "auskunft:beat:"
_SWEPT: Final = "auskunft:swept"


class Broker:
    """The Redis server at ``url``. Every method raises ``BrokerUnavailableError``."""

    def __init__(self, url: str) -> None:
        self._url = url

    @property
    def address(self) -> str:
        """Where it is, without secrets."""
        return address(self._url)

    def eviction_policy(self) -> str:
        """What it does when its memory is full; only ``noeviction`` keeps every message."""
        with self._answering():
            return str(self._redis.info("memory")["maxmemory_policy"])

    def note_worker(self, name: str) -> None:
        """The worker ``name`` lives."""
        with self._answering():
            self._redis.set(f"{_WORKER}{name}", "", ex=PRESENCE_SECONDS)

    def note_scheduler(self, name: str, seconds: float) -> None:
        """The schedule's process ``name`` lives; that holds for so long."""
        with self._answering():
            self._redis.set(f"{_SCHEDULER}{name}", "", px=max(1, int(1000 * seconds)))

    def note_sweep(self, seconds: float) -> None:
        """The schedule is kept; that holds for so long."""
        with self._answering():
            self._redis.set(_SWEPT, "", px=max(1, int(1000 * seconds)))

    def workers(self) -> list[str]:
        """The workers that live, sorted."""
        return self._living(_WORKER)

    def schedulers(self) -> list[str]:
        """The processes that keep the schedule, sorted; one is enough."""
        return self._living(_SCHEDULER)

    def is_swept(self) -> bool:
        """Whether the schedule has been kept of late."""
        with self._answering():
            return bool(self._redis.exists(_SWEPT))

    def close(self) -> None:
        """Close the connections."""
        if "_redis" in self.__dict__:
            self._redis.close()

    def _living(self, kind: str) -> list[str]:
        with self._answering():
            keys = self._redis.scan_iter(match=f"{kind}*")
            return sorted(key.decode().removeprefix(kind) for key in keys)

    @cached_property
    def _redis(self) -> "Redis":
        from redis import Redis  # noqa: PLC0415 - only installations with a broker need it

        return Redis.from_url(self._url, socket_connect_timeout=ANSWER_SECONDS, socket_timeout=ANSWER_SECONDS)

    @contextmanager
    def _answering(self) -> Iterator[None]:
        from redis.exceptions import RedisError  # noqa: PLC0415

        try:
            yield
        except RedisError as error:
            remedy = "start Redis or set AUSKUNFT_BROKER_URL"
            raise BrokerUnavailableError(
                f"the broker at {self.address} does not answer ({error}): {remedy}"
            ) from error


def address(url: str) -> str:
    """``url`` without user and password."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=host, query="").geturl()
