"""kombu's Redis transport, with one fault fixed."""

from typing import Any, Final

from kombu.transport import TRANSPORT_ALIASES, redis

_SCHEMES: Final = ("redis", "rediss")


class Channel(redis.Channel):
    """Raises a connection error if its connection is closed.

    kombu raises an ``AttributeError``, which ends a Celery worker whose Redis goes away while it has
    messages.
    """

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        if self.connection is None or self.connection.client is None:
            raise ConnectionError("the connection to the broker is closed")
        parameters: dict[str, Any] = super()._connparams(asynchronous)  # type: ignore[no-untyped-call]
        return parameters


class Transport(redis.Transport):
    """The transport for redis:// and rediss://."""

    Channel = Channel


def use_own_transport() -> None:
    """Register our transport with kombu. Celery's setting for it would lose TLS."""
    TRANSPORT_ALIASES.update(dict.fromkeys(_SCHEMES, f"{__name__}:{Transport.__name__}"))
