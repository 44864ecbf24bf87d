"""The pages of Wagtail's tree."""

from collections.abc import Iterable
from datetime import UTC, datetime

from auskunft_django.config import Config
from auskunft_django.website import Version, two_letters
from django.urls import reverse
from wagtail.models import Page, get_page_models


def kinds() -> list[str]:
    """Return the page types."""
    return [model._meta.label for model in get_page_models()]


def roots() -> list[str]:
    """Return the roots of the tree."""
    return _ids(Page.get_root_nodes())


def below(page: str) -> list[str]:
    """Return the live pages below one."""
    found = Page.objects.filter(pk=page).first()
    return _ids(found.get_descendants().live()) if found else []


def titles(pages: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return title and address of editing by page."""
    return {
        str(page.pk): (page.title, reverse("wagtailadmin_pages:edit", args=[page.pk]))
        for page in Page.objects.filter(pk__in=list(pages))
    }


def versions(number: str, config: Config) -> list[Version] | None:
    """Return the page in its locale, if everybody may see it; ``None`` if there is no such page."""
    page = Page.objects.filter(pk=number).select_related("locale").first()
    if page is None:
        return None
    return [_version(page.specific)] if is_public(page, config.exclude) else []


def is_public(page: Page, exclude: tuple[str, ...]) -> bool:
    """Tell whether everybody may see the page, at an address of its own.

    Aliases show the text of another page, which is sent for itself.
    """
    return bool(
        page.live
        and page.alias_of_id is None
        and page.full_url
        and not (page.expire_at and page.expire_at <= datetime.now(UTC))
        and page.specific_class
        and page.specific_class._meta.label_lower not in map(str.lower, exclude)
        and not page.get_view_restrictions().exists()
    )


def _version(page: Page) -> Version:
    code = page.locale.language_code
    keywords = getattr(page, "keywords", None) or getattr(page, "search_keywords", None)
    fields = {
        "title": page.seo_title or page.title,
        "name": page.title,
        "description": page.search_description,
        "keywords": keywords if isinstance(keywords, str) else None,
        "updated": page.last_published_at and page.last_published_at.isoformat(),
        "publish_until": page.expire_at and page.expire_at.isoformat(),
    }
    return Version(id=str(page.pk), language=two_letters(code), url=page.full_url, code=code, fields=fields)


def _ids(pages: Iterable[Page]) -> list[str]:
    return [str(number) for number in pages.values_list("pk", flat=True)]
