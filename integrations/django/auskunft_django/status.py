"""What waits, what failed, a test, and *send all*: for a page of the website's administration."""

from collections.abc import Callable
from typing import Any, Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Max
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseRedirect
from django.utils.translation import gettext as _

from auskunft_django import addresses, client, config, queue, sender
from auskunft_django.models import Entry
from auskunft_django.website import website

_LISTED: Final = 50


def permission(action: str) -> str:
    """Return the name of the permission to ``view`` the status, or to ``change`` it by its buttons."""
    return f"{website().label}.{action}_entry"


def context(request: HttpRequest) -> dict[str, Any]:
    """Return what is shown; the buttons are for those who may change entries."""
    waiting = queue.waiting()
    entries = list(waiting.order_by("-refused", "waiting_since")[:_LISTED])
    away = waiting.filter(refused=False).exclude(problem="").order_by("-attempts").first()
    return {
        "misconfigured": _misconfigured(),
        "published": queue.entries().filter(published=True).count(),
        "waiting": waiting.filter(refused=False).count(),
        "refused": waiting.filter(refused=True).count(),
        "last_success": queue.entries().aggregate(last=Max("sent_at"))["last"],
        "error": away.problem if away else "",
        "rows": _rows(entries),
        "may_send": request.user.has_perm(permission("change")),
    }


def post(request: HttpRequest) -> HttpResponse:
    """Do what a button says. Raises ``PermissionDenied``."""
    action = _ACTIONS.get(request.POST.get("action", ""))
    if action is None:
        return HttpResponseBadRequest()
    if not request.user.has_perm(permission("change")):
        raise PermissionDenied
    action(request)
    return HttpResponseRedirect(request.path)


def _rows(entries: list[Entry]) -> list[tuple[Entry, str, str]]:
    """Return each entry with title and address of editing."""
    titles = website().pages.titles([entry.page for entry in entries if not addresses.is_address(entry.page)])
    return [(entry, *titles.get(entry.page, (entry.page, ""))) for entry in entries]


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
