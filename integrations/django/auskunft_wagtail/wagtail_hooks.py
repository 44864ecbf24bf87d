"""The status page in Wagtail's admin, and *Check my draft*."""

from django.contrib.auth.models import Permission
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy as _
from wagtail import hooks
from wagtail.admin.menu import MenuItem

from auskunft_wagtail.drafts import DraftMenuItem, DraftView, NewDraftView
from auskunft_wagtail.status import StatusView


class StatusMenuItem(MenuItem):
    """Shown to those who may see the status."""

    def is_shown(self, request: HttpRequest) -> bool:
        """Ask for the permission."""
        return bool(request.user.has_perm(StatusView.permission_required))


@hooks.register("register_permissions")
def permissions() -> QuerySet[Permission]:
    """Return those that are given to groups in the settings."""
    names = ["view_entry", "change_entry"]
    return Permission.objects.filter(content_type__app_label="auskunft_wagtail", codename__in=names)


@hooks.register("register_admin_urls")
def urls() -> list[URLPattern]:
    """Return the addresses of the status and of drafts."""
    new = "auskunft/draft/<slug:content_type_app_name>/<slug:content_type_model_name>/<int:parent_page_id>/"
    return [
        path("auskunft/", StatusView.as_view(), name="auskunft_status"),
        path("auskunft/draft/<int:page_id>/", DraftView.as_view(), name="auskunft_draft"),
        path(new, NewDraftView.as_view(), name="auskunft_new_draft"),
    ]


@hooks.register("register_page_action_menu_item")
def draft_button() -> DraftMenuItem:
    """Return the button beside *Publish*."""
    return DraftMenuItem(order=35)


@hooks.register("register_reports_menu_item")
def menu_item() -> StatusMenuItem:
    """Return its line under *Reports*."""
    return StatusMenuItem(
        _("Auskunft"), reverse("auskunft_status"), name="auskunft", icon_name="site", order=1300
    )
