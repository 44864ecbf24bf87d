"""The status page under *Reports*."""

from typing import Any, ClassVar

from auskunft_django import status
from django.contrib.auth.mixins import PermissionRequiredMixin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy
from django.views.generic import TemplateView
from wagtail.admin.views.generic.base import WagtailAdminTemplateMixin


class StatusView(PermissionRequiredMixin, WagtailAdminTemplateMixin, TemplateView):
    """Shows the queue."""

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
        return super().get_context_data(**status.context(self.request), **given)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Do what a button says."""
        try:
            return status.post(request)
        except PermissionDenied:
            return self.handle_no_permission()
