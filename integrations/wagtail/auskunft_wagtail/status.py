"""The status page under *Reports*: what waits, what failed, a test, and *send all*."""

from collections.abc import Callable
from typing import Any, ClassVar, Final

from django.contrib import messages
from django.contrib.auth.mixins import PermissionRequiredMixin
from django.db import transaction
from django.db.models import Max
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.generic import TemplateView
from wagtail.admin.views.generic.base import WagtailAdminTemplateMixin
from wagtail.models import Page

from auskunft_wagtail import client, config, queue, sender
from auskunft_wagtail.models import Entry

PERMISSION: Final = "auskunft_wagtail.change_entry"
_LISTED: Final = 50


class StatusView(PermissionRequiredMixin, WagtailAdminTemplateMixin, TemplateView):
    """Shows the queue; its buttons are for those who may change entries."""

    permission_required = "auskunft_wagtail.view_entry"
    raise_exception = True
    template_name = "auskunft_wagtail/status.html"
    page_title = gettext_lazy("Auskunft")
    header_icon = "site"
    breadcrumbs_items: ClassVar[list[dict[str, Any]]] = [
        *WagtailAdminTemplateMixin.breadcrumbs_items,
        {"url": "", "label": gettext_lazy("Auskunft")},
    ]

    def get_context_data(self, **given: Any) -> dict[str, Any]:
        """Add what is shown."""
        waiting = queue.waiting()
        entries = list(waiting.order_by("-refused", "waiting_since")[:_LISTED])
        pages = Page.objects.in_bulk([entry.pk for entry in entries])
        away = waiting.filter(refused=False).exclude(problem="").order_by("-attempts").first()
        return super().get_context_data(
            misconfigured=_misconfigured(),
            published=Entry.objects.filter(published=True).count(),
            waiting=waiting.filter(refused=False).count(),
            refused=waiting.filter(refused=True).count(),
            last_success=Entry.objects.aggregate(last=Max("sent_at"))["last"],
            error=away.problem if away else "",
            rows=[(entry, pages.get(entry.pk)) for entry in entries],
            may_send=self.request.user.has_perm(PERMISSION),
            **given,
        )

    def post(self, request: HttpRequest) -> HttpResponse:
        """Do what a button says."""
        action = _ACTIONS.get(request.POST.get("action", ""))
        if action is None:
            return HttpResponseBadRequest()
        if not request.user.has_perm(PERMISSION):
            return self.handle_no_permission()
        action(request)
        return redirect(reverse("auskunft_status"))


def _test(request: HttpRequest) -> None:
    """Send a signed message that stores nothing."""
    try:
        found = config.load()
        if found is None:
            raise sender.NotConfiguredError(_("AUSKUNFT is not set in the settings"))
        client.test(found)
    except (client.AwayError, config.ConfigError, sender.NotConfiguredError) as error:
        messages.error(request, _("Auskunft did not take the message: %(why)s") % {"why": error})
        return
    messages.success(request, _("Auskunft answered: address, source and secret are right."))


def _send_all(request: HttpRequest) -> None:
    queue.mark_all()
    transaction.on_commit(sender.wake, robust=True)
    messages.success(request, _("All pages are being sent."))


def _send_now(request: HttpRequest) -> None:
    queue.hurry()
    transaction.on_commit(sender.wake, robust=True)
    messages.success(request, _("What waits is being sent."))


_ACTIONS: Final[dict[str, Callable[[HttpRequest], None]]] = {
    "test": _test,
    "all": _send_all,
    "now": _send_now,
}


def _misconfigured() -> str:
    """Return what is wrong in the settings; an empty text if nothing is."""
    try:
        return "" if config.load() else _("AUSKUNFT is not set in the settings")
    except config.ConfigError as error:
        return str(error)
