"""Reports that pages changed: called by views and models of your own, and by the handlers of a CMS's signals.

Each costs one to three statements, in the caller's transaction; sending comes after its commit.
"""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import transaction

from auskunft_django import config, queue, sender
from auskunft_django.addresses import is_address
from auskunft_django.models import MAX_PAGE

_log = logging.getLogger("auskunft")


def send_page(path: str) -> None:
    """Send the page at a path such as ``/events/12/``, as visitors see it then, or report that it is gone."""
    _report(path, deleted=False)


def delete_page(path: str) -> None:
    """Report that the page at a path is gone, whatever its view still answers."""
    _report(path, deleted=True)


def reported(handler: Callable[..., bool]) -> Callable[..., None]:
    """Wake the sender if a handler of a signal marked something; do nothing where Auskunft is not configured.

    What is configured wrongly says ``manage.py check``.
    """

    @wraps(handler)
    def checked(**given: Any) -> None:
        if is_configured() and handler(**given):
            transaction.on_commit(sender.wake, robust=True)

    return checked


def is_configured() -> bool:
    """Tell whether there is somebody to send to."""
    try:
        return config.load() is not None
    except config.ConfigError:
        return False


def _report(path: str, *, deleted: bool) -> None:
    if not is_address(path):
        raise ValueError(f"{path!r}: give a path, such as /events/12/")
    if len(path) > MAX_PAGE:  # comes of what editors write, who are to save all the same
        _log.error("%.100s… is not sent: a path of more than %s characters", path, MAX_PAGE)
        return
    if is_configured() and queue.mark(path, deleted=deleted):
        transaction.on_commit(sender.wake, robust=True)
