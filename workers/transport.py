"""kombu's way to Redis, with one fault mended."""

from typing import Any, Final

from kombu.transport import TRANSPORT_ALIASES, redis

_SCHEMES: Final = ("redis", "rediss")


class Channel(redis.Channel):
    """Tells that its connection is closed by an error of connections.

    kombu's is an ``AttributeError``, of which Celery lets a worker die whose Redis goes away while it has
    messages in hand.
    """

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        if self.connection is None or self.connection.client is None:
            raise ConnectionError("the connection to the broker is closed")
        parameters: dict[str, Any] = super()._connparams(asynchronous)  # type: ignore[no-untyped-call]
        return parameters


class Transport(redis.Transport):
    """For redis:// and rediss://."""

    Channel = Channel


def use_own_transport() -> None:
    """Let kombu take this one. Celery's setting for it would forget TLS."""
    TRANSPORT_ALIASES.update(dict.fromkeys(_SCHEMES, f"{__name__}:{Transport.__name__}"))
