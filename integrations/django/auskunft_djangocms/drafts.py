"""*Check my draft*: a page's text as it is now, published or not."""

from typing import Any

from auskunft_django import config, drafts
from auskunft_django.website import two_letters
from cms.models import PageContent
from cms.plugin_rendering import ContentRenderer
from cms.utils.page_permissions import user_can_change_page
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template import RequestContext
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import override
from sekizai.context_processors import sekizai

from auskunft_djangocms.pages import id_of


def may_ask(user: Any, content: PageContent) -> bool:
    """Tell whether somebody may change the page, and its template is one that is sent."""
    found = config.load()
    excluded = [template.lower() for template in found.exclude] if found else []
    return content.get_template().lower() not in excluded and user_can_change_page(user, content.page)


def view(request: HttpRequest, content: int) -> HttpResponse:
    """Show what a page would answer, and contradict; with ``?question=``, what it says to that."""
    found = get_object_or_404(PageContent.admin_manager.select_related("page"), pk=content)
    if not may_ask(request.user, found):
        raise PermissionDenied
    shown = drafts.report(
        request.GET.get("question", ""),
        page=id_of(found.page, found.language),
        language=two_letters(found.language),
        title=found.page_title or found.title,
        html=_html(request, found),
    )
    frame = {**admin.site.each_context(request), "is_popup": True, "title": _("Check my draft")}
    return TemplateResponse(request, "admin/auskunft_django/draft.html", {**frame, **shown})


def _html(request: HttpRequest, content: PageContent) -> str:
    """Return what is in the page's placeholders."""
    renderer, code = ContentRenderer(request), content.language
    context = RequestContext(request, sekizai(request))
    with override(code):
        return "".join(
            renderer.render_placeholder(placeholder, context, code)
            for placeholder in content.placeholders.all()
        )
