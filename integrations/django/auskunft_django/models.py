"""The queue, in the website's own database; its table is that of the app that knows the pages."""

from typing import Final

from django.db import models
from django.utils.translation import gettext_lazy as _

MAX_PAGE: Final = 500


class Entry(models.Model):
    """A page that Auskunft knows, or is to hear of.

    It says *that* a page changed, never what it became: that is read when it is sent. So a page that changes
    ten times while Auskunft is away is sent once, as it then is. It stays when the page is deleted.
    """

    page = models.CharField(_("page"), max_length=MAX_PAGE, primary_key=True)
    """The page's id, or an address (``/events/12/``); no foreign key, as deleted pages are to be reported."""

    changes = models.PositiveIntegerField(default=0)
    """Rises with every change, so that a change while the page is being sent is not taken for sent."""

    revision = models.BigIntegerField(default=0)
    """Of the last event: its milliseconds since 1970, and always more than before."""

    due = models.DateTimeField(_("next try"), null=True, db_index=True)
    """When it is to be sent; ``None``: nothing to send."""

    waiting_since = models.DateTimeField(_("waiting since"), null=True)
    subtree = models.BooleanField(default=False)
    """Everything below changed, too; those pages get entries when this is sent, not while an editor waits."""

    deleted = models.BooleanField(default=False)
    """It is gone, whatever the site answers at its address."""

    bulk = models.BooleanField(default=False)
    """Sent after what editors do one by one."""

    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    problem = models.TextField(_("problem"), blank=True)
    refused = models.BooleanField(default=False)
    """It failed for itself, not because Auskunft was away."""

    published = models.BooleanField(_("published"), default=False)
    """Auskunft has the page."""

    known = models.JSONField(default=list)
    """Id, language and address of each version that Auskunft has."""

    sent_at = models.DateTimeField(_("sent"), null=True)

    class Meta:
        """Names, and who may see the status and send."""

        abstract = True
        verbose_name = _("page in Auskunft")
        verbose_name_plural = _("pages in Auskunft")
        default_permissions = ("view", "change")

    def __str__(self) -> str:
        """Name the page."""
        return self.page
