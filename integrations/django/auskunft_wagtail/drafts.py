"""*Check my draft*, beside *Publish*: the page as it stands in the editor."""

from typing import Any

from auskunft_django import config, drafts
from auskunft_django.website import two_letters
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from wagtail.admin.action_menu import ActionMenuItem
from wagtail.admin.views.pages.preview import PreviewOnCreateView, PreviewOnEditView
from wagtail.models import Page


class DraftMenuItem(ActionMenuItem):
    """The button, which opens a box beside the text."""

    label = gettext_lazy("Check my draft")
    icon_name = "help"
    template_name = "auskunft_wagtail/draft_button.html"

    class Media:
        """What the button does."""

        js = ("auskunft_wagtail/draft.js",)

    def is_shown(self, context: dict[str, Any]) -> bool:
        """Show it for what may be sent to Auskunft."""
        page = context.get("page")
        kind = page.specific_class._meta.label_lower if page else ".".join(_new(context)[:2])
        return drafts.is_possible() and kind not in _excluded()

    def get_url(self, context: dict[str, Any]) -> str:
        """Return where the text is sent."""
        if page := context.get("page"):
            return reverse("auskunft_draft", args=[page.pk])
        return reverse("auskunft_new_draft", args=_new(context))


class _Asking:
    """Answers with HTML. The page is rendered as for a preview, to a visitor who is not logged in; it is
    neither saved nor kept for the preview."""

    http_method_names = ("post",)
    request: HttpRequest
    object: Page

    def post(self, request: HttpRequest, *_args: Any, **_given: Any) -> HttpResponse:
        """Ask what was typed."""
        form: ModelForm = self.get_form(request.POST)  # type: ignore[attr-defined]
        if not self.validate_form(form):  # type: ignore[attr-defined]
            return self._refusal(_("a field is not filled in correctly"))
        form.save(commit=False)
        page = self.object
        shown = page.make_preview_request(preview_mode=page.default_preview_mode)
        if shown.status_code != 200:
            return self._refusal(_("the site cannot show the page"))
        locale = page.locale if page.pk else form.parent_page.locale
        found = drafts.report(
            request.POST.get("auskunft_question", ""),
            page=str(page.pk or ""),
            language=two_letters(locale.language_code),
            title=page.title,
            html=shown.content.decode(),
        )
        return render(request, "auskunft_django/draft.html", found)

    def _refusal(self, problem: str) -> HttpResponse:
        return render(self.request, "auskunft_django/draft.html", {"problem": problem})


class DraftView(_Asking, PreviewOnEditView):
    """Asks what is typed of a page."""


class NewDraftView(_Asking, PreviewOnCreateView):
    """Asks what is typed of a new page."""


def _new(context: dict[str, Any]) -> list[str]:
    """Return app and model of a new page, and its parent's id, as its editor's address has them."""
    return list(context["request"].resolver_match.kwargs.values())


def _excluded() -> list[str]:
    found = config.load()
    return [label.lower() for label in found.exclude] if found else []
