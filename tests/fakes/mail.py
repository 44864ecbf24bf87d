"""A mail server that keeps what it accepts."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiosmtpd.controller import Controller


@dataclass
class Inbox:
    """The messages that a mail server accepted. ``refuses``: the reply to each instead, if it has one."""

    messages: list[Any] = field(default_factory=list)
    refuses: str = ""

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        """Called by aiosmtpd."""
        if self.refuses:
            return self.refuses
        self.messages.append(envelope)
        return "250 OK"


@contextmanager
def mail_server(inbox: Inbox, port: int, **options: Any) -> Iterator[None]:
    """A mail server. ``options``: of :class:`aiosmtpd.controller.Controller`."""
    controller = Controller(inbox, hostname="127.0.0.1", port=port, **options)
    controller.start()
    try:
        yield
    finally:
        controller.stop()
