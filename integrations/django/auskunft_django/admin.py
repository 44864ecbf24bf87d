"""The status page in Django's administration."""

from contextlib import suppress
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _

from auskunft_django import queue, status
from auskunft_django.website import website


class StatusAdmin(admin.ModelAdmin):
    """Shows the queue; entries are neither made, changed nor deleted by hand."""

    def get_urls(self) -> list[URLPattern]:
        """Return the address of the status, and what the app adds."""
        name = f"{website().label}_entry_changelist"
        status_url = path("", self.admin_site.admin_view(self.changelist_view), name=name)
        return [status_url, *website().admin_urls()]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse."""
        return False

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Show what waits, or do what a button says."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        if request.method == "POST":
            return status.post(request)
        shown = self.admin_site.each_context(request) | status.context(request)
        return TemplateResponse(
            request,
            "admin/auskunft_django/status.html",
            {**shown, "title": _("Auskunft"), "opts": self.opts, **(extra_context or {})},
        )


with suppress(LookupError):  # of which the checks tell
    admin.site.register(queue.entries().model, StatusAdmin)
