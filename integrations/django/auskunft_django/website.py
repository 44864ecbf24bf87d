"""Where pages come from: one app of those installed knows them, and has the queue's table."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol, cast

from django.apps import AppConfig, apps
from django.urls import URLPattern
from django.utils.translation import gettext_lazy as _

from auskunft_django.config import Config


@dataclass(frozen=True, kw_only=True)
class Version:
    """A page in one language, at an address of its own."""

    id: str
    language: str
    """ISO 639-1, or ``und``."""

    url: str
    code: str
    """The language as Django calls it."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    """What is known of the page besides its HTML, by the names of an event's fields."""

    site: Any = None
    """For middleware that tells several sites of a CMS apart, which may not know the address's host."""


class Pages(Protocol):
    """The module ``pages`` of such an app. Pages are named by their ids, as text."""

    def kinds(self) -> Collection[str]:
        """Return what ``AUSKUNFT["exclude"]`` may name: page types or templates."""

    def roots(self) -> Iterable[str]:
        """Return pages, below which are all others."""

    def below(self, page: str) -> Iterable[str]:
        """Return the public pages below one, however deep."""

    def versions(self, page: str, config: Config) -> list[Version] | None:
        """Return what may be public of a page, one for each language; ``None`` if there is no such page."""

    def titles(self, pages: Iterable[str]) -> dict[str, tuple[str, str]]:
        """Return title and address of editing by page, of those that are there."""


class Website(AppConfig):
    """The app that has the table: ``Entry`` of its models is an ``auskunft_django.models.Entry``."""

    default = False
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = _("Auskunft")

    def admin_urls(self) -> list[URLPattern]:
        """Return what stands beside the status in Django's administration."""
        return []

    @property
    def pages(self) -> Pages:
        """Return what knows the pages."""
        return cast(Pages, import_module(f"{self.name}.pages"))


def website() -> Website:
    """Return the one that is installed. Raises ``LookupError`` for none or several."""
    found = [config for config in apps.get_app_configs() if isinstance(config, Website)]
    if len(found) != 1:
        names = "auskunft_djangocms, auskunft_wagtail or auskunft_pages"
        raise LookupError(f"INSTALLED_APPS: give one of {names} besides auskunft_django")
    return found[0]


def two_letters(code: str) -> str:
    """Return the ISO 639-1 code of a language of Django's; ``und`` for those that have none."""
    language = code.split("-", maxsplit=1)[0].lower()
    return language if len(language) == 2 else "und"
