"""*Check my draft* in the toolbar."""

from typing import Any

from auskunft_django import drafts
from cms.models import PageContent
from cms.toolbar_base import CMSToolbar
from cms.toolbar_pool import toolbar_pool
from django.urls import reverse
from django.utils.translation import gettext as _

from auskunft_djangocms.drafts import may_ask


@toolbar_pool.register
class DraftToolbar(CMSToolbar):
    """The button beside *Publish*: the text is in the database with every edit, so that is what is asked."""

    def post_template_populate(self) -> None:
        """Show it to those who may change the page."""
        content: Any = self.toolbar.get_object()
        if isinstance(content, PageContent) and drafts.is_possible() and may_ask(self.request.user, content):
            url = reverse("admin:auskunft_djangocms_entry_draft", args=[content.pk])
            self.toolbar.add_modal_button(_("Check my draft"), url, side=self.toolbar.RIGHT, on_close=None)
