"""What editors do, as Django, django CMS and djangocms-versioning report it. Each costs a few statements.

Without djangocms-versioning every save is public; with it drafts are not, and publishing is reported. That a
page came, went or has another address, and with it those below, is noticed when it is sent.
"""

from typing import Any

from auskunft_django import queue
from auskunft_django.changes import reported
from cms import operations
from cms.models import CMSPlugin, Page, PageContent, PagePermission
from cms.signals import post_obj_operation, post_placeholder_operation
from django.apps import apps
from django.conf import settings
from django.contrib.sites.models import Site
from django.db.models.signals import post_delete, post_save


def connect() -> None:
    """Listen."""
    post_save.connect(content_saved, sender=PageContent)
    post_delete.connect(content_deleted, sender=PageContent)
    post_save.connect(page_saved, sender=Page)
    post_delete.connect(page_deleted, sender=Page)
    post_obj_operation.connect(page_operated)
    for signal in (post_save, post_delete):
        signal.connect(restricted, sender=PagePermission)
    post_save.connect(renamed, sender=Site)
    if apps.is_installed("djangocms_versioning") and getattr(settings, "VERSIONING_CMS_MODELS_ENABLED", True):
        from djangocms_versioning.signals import post_version_operation  # noqa: PLC0415 - where it is there

        post_version_operation.connect(version_operated, sender=PageContent)
    else:  # with it, plugins change in drafts alone
        post_save.connect(saved)
        post_placeholder_operation.connect(placeholder_operated)


@reported
def content_saved(*, instance: PageContent, **_given: Any) -> bool:
    """A page was saved in a language; drafts are nobody's business."""
    return PageContent.objects.filter(pk=instance.pk).exists() and queue.mark(str(instance.page_id))


@reported
def content_deleted(*, instance: PageContent, **_given: Any) -> bool:
    """A language of a page is gone."""
    return queue.mark(str(instance.page_id), known_only=True)


@reported
def version_operated(*, obj: Any, operation: str, **_given: Any) -> bool:
    """A language of a page was published, or taken offline."""
    from djangocms_versioning import constants  # noqa: PLC0415 - where it is there

    public = (constants.OPERATION_PUBLISH, constants.OPERATION_UNPUBLISH)
    return operation in public and queue.mark(str(obj.content.page_id))


@reported
def page_saved(*, instance: Page, created: bool = False, **_given: Any) -> bool:
    """The settings of all languages changed, such as whether a visitor has to log in."""
    return not created and _mark(instance.pk)


@reported
def page_deleted(*, instance: Page, **_given: Any) -> bool:
    """A page is gone. Those below are reported one by one."""
    return queue.mark(str(instance.pk), known_only=True)


@reported
def page_operated(*, operation: str, obj: Any = None, **_given: Any) -> bool:
    """A page was moved, which no model reports."""
    return operation == operations.MOVE_PAGE and _mark(obj.pk, subtree=True)


def saved(*, instance: Any, **given: Any) -> None:
    """A plugin was saved, by an editor or a script."""
    if isinstance(instance, CMSPlugin):
        plugin_saved(instance=instance, **given)


@reported
def plugin_saved(*, instance: CMSPlugin, **_given: Any) -> bool:
    """The text of a page changed."""
    return _mark_placeholder(instance.placeholder_id)


@reported
def placeholder_operated(**given: Any) -> bool:
    """An editor moved, pasted, cut or deleted plugins."""
    changed = (given.get(name) for name in ("placeholder", "source_placeholder", "target_placeholder"))
    marked = [_mark_placeholder(placeholder.pk) for placeholder in changed if placeholder]
    return any(marked)


@reported
def restricted(*, instance: PagePermission, **_given: Any) -> bool:
    """Who may see a page changed, and perhaps all pages below."""
    return instance.page_id is not None and _mark(instance.page_id, subtree=True)


@reported
def renamed(*, created: bool = False, **_given: Any) -> bool:
    """A site has another domain, and with it all pages."""
    if not created:
        queue.mark_all()
    return not created


def _mark_placeholder(placeholder: int | None) -> bool:
    """Mark the page that a placeholder is of, if that is published."""
    if placeholder is None:  # would be all pages without placeholders
        return False
    pages = PageContent.objects.filter(placeholders=placeholder).values_list("page_id", flat=True)
    marked = [queue.mark(str(page)) for page in pages]
    return any(marked)


def _mark(page: int, *, subtree: bool = False) -> bool:
    """Mark a page; a draft only if Auskunft knows an older version."""
    public = subtree or PageContent.objects.filter(page=page).exists()
    return queue.mark(str(page), subtree=subtree, known_only=not public)
