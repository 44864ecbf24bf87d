"""What editors do, as Django and Wagtail report it. Each costs one or two statements.

A saved draft is written with ``update_fields``, and changes nothing that visitors see.
"""

from typing import Any

from auskunft_django import queue
from auskunft_django.changes import reported
from django.db.models.signals import post_delete, post_save
from wagtail.models import Locale, Page, PageViewRestriction, Site
from wagtail.signals import page_published, page_slug_changed, page_unpublished, post_page_move


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


@reported
def changed(*, instance: Page, **_given: Any) -> bool:
    """A page was published or taken offline."""
    return queue.mark(str(instance.pk))


@reported
def moved(*, instance: Page, **_given: Any) -> bool:
    """A page has another address, and with it all pages below."""
    return queue.mark(str(instance.pk), subtree=True)


def saved(*, instance: Any, update_fields: Any = None, **given: Any) -> None:
    """A page was written as a whole, by an editor or a script."""
    if isinstance(instance, Page) and update_fields is None:
        written(instance=instance, **given)


@reported
def written(*, instance: Page, **_given: Any) -> bool:
    """A live page changed, or one that Auskunft may know."""
    return queue.mark(str(instance.pk), known_only=not instance.live)


@reported
def deleted(*, instance: Page, **_given: Any) -> bool:
    """A page is gone. The pages below are reported one by one."""
    return queue.mark(str(instance.pk), known_only=True)


@reported
def restricted(*, instance: PageViewRestriction, **_given: Any) -> bool:
    """A page became private or public, and with it all pages below."""
    return queue.mark(str(instance.page_id), subtree=True)


@reported
def renamed(*, instance: Site | Locale, created: bool = False, **_given: Any) -> bool:
    """A site or language changed, and with it the addresses or languages of its pages."""
    if created and not isinstance(instance, Site):
        return False
    queue.mark_all()
    return True
