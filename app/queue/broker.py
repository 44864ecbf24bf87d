"""The Redis broker: its eviction policy, and the heartbeats of workers and schedulers stored there."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from app.errors import BrokerUnavailableError, SettingsError

if TYPE_CHECKING:
    from redis import Redis

ANSWER_SECONDS: Final = 1.0
PRESENCE_SECONDS: Final = 15
"""Time for which a worker counts as alive after its last heartbeat; it sends one every 2 seconds."""

_WORKER: Final = "auskunft:worker:"
_SCHEDULER: Final = "auskunft:beat:"
_SWEPT: Final = "auskunft:swept"


class Broker:
    """The Redis server at ``url``. Every method raises ``BrokerUnavailableError``."""

    def __init__(self, url: str) -> None:
        self._url = url

    @property
    def address(self) -> str:
        """The broker's URL without user and password."""
        return address(self._url)

    def eviction_policy(self) -> str:
        """Return the policy for a full memory; only ``noeviction`` keeps every message."""
        with self._connection_errors():
            return str(self._redis.info("memory")["maxmemory_policy"])

    def note_worker(self, name: str) -> None:
        """Store the heartbeat of the worker ``name``."""
        with self._connection_errors():
            self._redis.set(f"{_WORKER}{name}", "", ex=PRESENCE_SECONDS)

    def note_scheduler(self, name: str, seconds: float) -> None:
        """Store the heartbeat of the scheduler ``name``, which expires after ``seconds``."""
        with self._connection_errors():
            self._redis.set(f"{_SCHEDULER}{name}", "", px=max(1, int(1000 * seconds)))

    def note_sweep(self, seconds: float) -> None:
        """Store that a sweep ran; this expires after ``seconds``."""
        with self._connection_errors():
            self._redis.set(_SWEPT, "", px=max(1, int(1000 * seconds)))

    def workers(self) -> list[str]:
        """Return the names of the workers that are alive, sorted."""
        return self._alive(_WORKER)

    def schedulers(self) -> list[str]:
        """Return the names of the schedulers that are alive, sorted; one is enough."""
        return self._alive(_SCHEDULER)

    def is_swept(self) -> bool:
        """Return True if a sweep ran lately."""
        with self._connection_errors():
            return bool(self._redis.exists(_SWEPT))

    def close(self) -> None:
        """Close the connections."""
        if "_redis" in self.__dict__:
            self._redis.close()

    def _alive(self, kind: str) -> list[str]:
        with self._connection_errors():
            keys = self._redis.scan_iter(match=f"{kind}*")
            return sorted(key.decode().removeprefix(kind) for key in keys)

    @cached_property
    def _redis(self) -> "Redis":
        from redis import Redis  # noqa: PLC0415 - only installations with a broker need it

        try:
            return Redis.from_url(
                self._url, socket_connect_timeout=ANSWER_SECONDS, socket_timeout=ANSWER_SECONDS
            )
        except (TypeError, ValueError):
            raise SettingsError(
                "broker_url: its options after the ? cannot be used: correct or remove them"
            ) from None

    @contextmanager
    def _connection_errors(self) -> Iterator[None]:
        from redis.exceptions import RedisError  # noqa: PLC0415

        try:
            yield
        except RedisError as error:
            raise BrokerUnavailableError(
                "the broker at {address} does not answer ({reason}): start Redis or set AUSKUNFT_BROKER_URL",
                address=self.address,
                reason=str(error),
            ) from error


def address(url: str) -> str:
    """Return ``url`` without user and password."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=host, query="").geturl()
