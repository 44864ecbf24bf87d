"""A real site of django CMS on loopback."""

from pathlib import Path
from typing import Final

from tests.cms.django_site import DjangoSite

_NAMES: Final = """
import random
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.sites.models import Site
from django.db import transaction
from cms import api
from cms.models import *
drafts = "djangocms_versioning" in settings.INSTALLED_APPS
editor = get_user_model().objects.get(username="editor")

def content(page, language="de"):
    return PageContent.admin_manager.filter(page_id=page, language=language).order_by("-pk").first()

def fill(found, text):
    placeholder = found.placeholders.get_or_create(slot="content")[0]
    api.add_plugin(placeholder, "TextPlugin", found.language, body=text)
    if drafts:
        found.versions.get().publish(editor)

def make(word, parent=None, language="de", text=None, **more):
    parent = Page.objects.get(pk=parent) if parent else None
    more = {"slug": word, "parent": parent, "created_by": editor, **more}
    page = api.create_page(more.pop("title", f"Seite {word}"), "town/page.html", language, **more)
    fill(content(page.pk, language), text or f"<p>Kennwort {word}</p>")
    return page.pk

def translate(page, word, language):
    more = {"slug": word, "created_by": editor}
    found = api.create_page_content(language, f"Seite {word}", Page.objects.get(pk=page), **more)
    fill(found, f"<p>Kennwort {word}</p>")

def draft(page, language="de", **fields):
    new = content(page, language).versions.get().copy(editor).content
    PageContent.admin_manager.filter(pk=new.pk).update(**fields)
    return content(page, language)
"""


class DjangoCms(DjangoSite):
    """The demo site of django CMS; ``drafts``: with djangocms-versioning."""

    def __init__(self, folder: Path, port: int, auskunft: str, secret: str, *, drafts: bool) -> None:
        more = {"TOWN_DRAFTS": str(int(drafts))}
        super().__init__("djangocms", folder, port, auskunft, secret, **more)

    def prepare(self) -> None:
        """Give the site its address, and the shell what editors do often."""
        self.shell(_NAMES)
        self.shell(f"Site.objects.filter(pk=1).update(domain='127.0.0.1:{self.port}')")

    def page(self, word: str, parent: int | None = None, more: str = "") -> int:
        """Publish a page that has a word, by script; its id."""
        number: int = self.shell(f"result = make({word!r}, {parent!r}, {more})")
        return number


class PlainDjango(DjangoSite):
    """The demo site without a CMS."""

    def __init__(self, folder: Path, port: int, auskunft: str, secret: str) -> None:
        super().__init__("django", folder, port, auskunft, secret)

    def prepare(self) -> None:
        """Name what the shell uses."""
        self.shell("from town.models import Event")
