"""The queue, in the CMS's own database."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Entry(models.Model):
    """A page that Auskunft knows, or is to hear of.

    It says *that* a page changed, never what it became: that is read when it is sent. So a page that changes
    ten times while Auskunft is away is sent once, as it then is. It stays when the page is deleted.
    """

    page = models.PositiveBigIntegerField(_("page"), primary_key=True)
    """The page's id; no foreign key, as a deleted page is still to be reported."""

    changes = models.PositiveIntegerField(default=0)
    """Rises with every change, so that a change while the page is being sent is not taken for sent."""

    revision = models.BigIntegerField(default=0)
    """Of the last event: its milliseconds since 1970, and always more than before."""

    due = models.DateTimeField(_("next try"), null=True, db_index=True)
    """When it is to be sent; ``None``: nothing to send."""

    waiting_since = models.DateTimeField(_("waiting since"), null=True)
    subtree = models.BooleanField(default=False)
    """Everything below changed, too; those pages get entries when this is sent, not while an editor waits."""

    bulk = models.BooleanField(default=False)
    """Sent after what editors do one by one."""

    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    problem = models.TextField(_("problem"), blank=True)
    refused = models.BooleanField(default=False)
    """It failed for itself, not because Auskunft was away."""

    published = models.BooleanField(_("published"), default=False)
    """Auskunft has the page."""

    language = models.CharField(_("language"), max_length=3, blank=True)
    """The one that Auskunft has it in."""

    sent_at = models.DateTimeField(_("sent"), null=True)

    class Meta:
        """Names, and who may see the status and send."""

        verbose_name = _("page in Auskunft")
        verbose_name_plural = _("pages in Auskunft")
        default_permissions = ("view", "change")

    def __str__(self) -> str:
        """The page's id."""
        return str(self.page)
