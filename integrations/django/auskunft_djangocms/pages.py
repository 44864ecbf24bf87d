"""The pages of django CMS's tree, each in its languages."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from auskunft_django.config import Config
from auskunft_django.website import Version, two_letters
from cms.models import CMSPlugin, Page, PageContent
from cms.utils.conf import get_cms_setting
from cms.utils.i18n import get_language_list, get_public_languages
from django.apps import apps
from django.db.models import Max
from django.urls import NoReverseMatch, reverse


def kinds() -> list[str]:
    """Return the templates."""
    return [str(template) for template, _name in get_cms_setting("TEMPLATES") or ()]


def roots() -> list[str]:
    """Return the roots of the trees of all sites."""
    return _ids(Page.objects.filter(parent=None).values_list("pk", flat=True))


def below(page: str) -> list[str]:
    """Return the pages below one that are published in some language."""
    found = Page.objects.filter(pk=page).first()
    if found is None:
        return []
    contents = PageContent.objects.filter(page__in=found.get_descendants())
    return _ids(contents.order_by().values_list("page_id", flat=True).distinct())


def titles(pages: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return title and address of settings by page."""
    contents = PageContent.admin_manager.filter(page__in=list(pages)).order_by("pk")
    return {str(content.page_id): (content.title, _settings_of(content)) for content in contents}


def versions(number: str, config: Config) -> list[Version] | None:
    """Return what is published of a page, one for each language; ``None`` if there is no such page.

    Whether everybody may see it says the site: it is asked as a visitor.
    """
    page = Page.objects.filter(pk=number, is_page_type=False).select_related("site").first()
    if page is None:
        return None
    excluded = {template.lower() for template in config.exclude}
    public = get_public_languages(site_id=page.site_id)
    # With djangocms-versioning these are the published ones.
    contents = [one for one in PageContent.objects.filter(page=page) if one.language in public]
    return [
        _version(page, content, f"{config.scheme}://{page.site.domain}{path}")
        for content in contents
        if (path := page.get_absolute_url(content.language, fallback=False))
        and content.get_template().lower() not in excluded
    ]


def _version(page: Page, content: PageContent, url: str) -> Version:
    # Where each process has a cache of its own, this one's may be older than what another one's editor saved.
    for placeholder in content.placeholders.all():
        placeholder.clear_cache(content.language, site_id=page.site_id)
    fields = {
        "title": content.page_title or content.title,
        "name": content.menu_title or content.title,
        "description": content.meta_description,
        "updated": _updated(content).isoformat(),
        "publish_until": _end(content),
    }
    return Version(
        id=id_of(page, content.language),
        language=two_letters(content.language),
        url=url,
        code=content.language,
        fields=fields,
        site=page.site,
    )


def id_of(page: Page, code: str) -> str:
    """Return the page's id; another one for a second language of the same name (``de-ls`` beside ``de``)."""
    languages = get_language_list(site_id=page.site_id)
    first = next(other for other in languages if two_letters(other) == two_letters(code))
    return str(page.pk) if code == first else f"{page.pk}-{code}"


def _updated(content: PageContent) -> datetime:
    """Return when an editor changed the content or one of its plugins."""
    plugins = CMSPlugin.objects.filter(placeholder__in=content.placeholders.all(), language=content.language)
    last: datetime | None = plugins.aggregate(last=Max("changed_date"))["last"]
    return max(content.changed_date, last or content.changed_date)


def _end(content: PageContent) -> str | None:
    """Return when a published version vanishes by itself, as ``djangocms_timed_publishing`` has it."""
    if not apps.is_installed("djangocms_timed_publishing"):
        return None
    visible: datetime | None = content.versions.aggregate(end=Max("visibility__end"))["end"]
    return visible and visible.isoformat()


def _settings_of(content: PageContent) -> str:
    try:
        return reverse("admin:cms_pagecontent_change", args=[content.pk])
    except NoReverseMatch:
        return ""


def _ids(numbers: Iterable[Any]) -> list[str]:
    return [str(number) for number in numbers]
