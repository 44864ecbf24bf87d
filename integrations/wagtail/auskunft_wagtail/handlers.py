"""What editors do, as Django and Wagtail report it. Each costs one or two statements.

A saved draft is written with ``update_fields``, and changes nothing that visitors see.
"""

from functools import wraps
from typing import Any, Protocol

from django.core.signals import request_started
from django.db import transaction
from django.db.models.signals import post_delete, post_save
from wagtail.models import Locale, Page, PageViewRestriction, Site
from wagtail.signals import page_published, page_slug_changed, page_unpublished, post_page_move

from auskunft_wagtail import config, queue, sender


class Handler(Protocol):
    """What signals call."""

    def __call__(self, *, instance: Any, **given: Any) -> None:
        """Take a signal."""


def connect() -> None:
    """Listen."""
    for signal, handler in (
        (page_published, changed),
        (page_unpublished, changed),
        (page_slug_changed, moved),
        (post_page_move, moved),
    ):
        signal.connect(handler)
    post_save.connect(saved)
    post_delete.connect(deleted, sender=Page)
    for signal in (post_save, post_delete):
        signal.connect(restricted, sender=PageViewRestriction)
        signal.connect(renamed, sender=Site)
        signal.connect(renamed, sender=Locale)
    request_started.connect(started)


def _if_configured(handler: Handler) -> Handler:
    """Do nothing where Auskunft is not configured, or wrongly, which ``manage.py check`` says."""

    @wraps(handler)
    def checked(*, instance: Any, **given: Any) -> None:
        try:
            if config.load() is None:
                return
        except config.ConfigError:
            return
        handler(instance=instance, **given)
        transaction.on_commit(sender.wake, robust=True)

    return checked


@_if_configured
def changed(*, instance: Page, **_given: Any) -> None:
    """A page was published or taken offline."""
    queue.mark(instance.pk)


@_if_configured
def moved(*, instance: Page, **_given: Any) -> None:
    """A page has another address, and with it all pages below."""
    queue.mark(instance.pk, subtree=True)


def saved(*, instance: Any, update_fields: Any = None, **given: Any) -> None:
    """A page was written as a whole, by an editor or a script."""
    if isinstance(instance, Page) and update_fields is None:
        written(instance=instance, **given)


@_if_configured
def written(*, instance: Page, **_given: Any) -> None:
    """A live page changed, or one that Auskunft may know."""
    queue.mark(instance.pk, known_only=not instance.live)


@_if_configured
def deleted(*, instance: Page, **_given: Any) -> None:
    """A page is gone. The pages below are reported one by one."""
    queue.mark(instance.pk, known_only=True)


@_if_configured
def restricted(*, instance: PageViewRestriction, **_given: Any) -> None:
    """A page became private or public, and with it all pages below."""
    queue.mark(instance.page_id, subtree=True)


@_if_configured
def renamed(*, instance: Site | Locale, created: bool = False, **_given: Any) -> None:
    """A site or language changed, and with it the addresses or languages of its pages."""
    if not created or isinstance(instance, Site):
        queue.mark_all()


def started(**_given: Any) -> None:
    """Go on, in a new process of the server, with what waits since the one before."""
    request_started.disconnect(started)
    sender.wake()
