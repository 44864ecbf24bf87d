"""The page on which a visitor hands a question over to a person. It works without scripts.

The ids of conversation and answer are only in forms, never in a URL. Opening the page stores nothing; exactly
what it shows is sent.
"""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, Final

from apiflask import APIBlueprint
from flask import request
from werkzeug.wrappers import Response

from app.api import limits
from app.api.state import current_services
from app.chat.stored import StoredAnswer
from app.errors import AuskunftError, FloodError, NotFoundError
from app.features.handover.conversation import exchanges, finished, unhelpful
from app.features.handover.documents import ExchangeDocument, HandoverDocument
from app.features.handover.form import (
    CONTACT_CHARACTERS,
    MESSAGE_CHARACTERS,
    NAME_CHARACTERS,
    TypedForm,
    form_problems,
    read_form,
)
from app.features.handover.queue import Handover
from app.features.handover.recipient import delete_at, delete_on, handover_of, recipient
from app.features.handover.services import HandoverServices
from app.pages.database import utc_now
from app.settings.handover import HandoverSettings
from app.settings.sites import SiteSettings
from app.web.rendering import error_message, render_page
from app.web.site_choice import offered_sites, requested_site
from app.web.texts import TEXTS, request_language

TEMPLATE: Final = "handover.html"
LIMITS: Final = {"contact": CONTACT_CHARACTERS, "name": NAME_CHARACTERS, "message": MESSAGE_CHARACTERS}

Show = Callable[[SiteSettings, HandoverSettings], Response]

blueprint = APIBlueprint(
    "handover", __name__, url_prefix="/handover", enable_openapi=False, template_folder="templates"
)


@blueprint.get("")
def page() -> Response:
    """Show the form without a conversation; without a site, the sites to choose from."""
    return offered_sites() or _on_site(_show)


@blueprint.post("")
def receive() -> Response:
    """Show the form with the conversation, or the result once it was filled in."""
    return _on_site(_send) if "send" in request.form else _on_site(_show, opens=True)


def _on_site(show: Show, *, opens: bool = False) -> Response:
    """Call ``show`` with the requested site, if it has messages sent and accepts requests from this
    origin."""
    try:
        site = requested_site(opens=opens)
        handover = handover_of(site)
        if handover is None:
            raise NotFoundError("this site hands nothing over")
    except NotFoundError as error:
        language = request_language()
        return render_page(TEMPLATE, language, error, site=None, error=TEXTS[language]["handover_none"])
    return show(site, handover)


def _show(site: SiteSettings, handover: HandoverSettings) -> Response:
    form = read_form(request.form)
    try:
        limits.count_request(site)
        stored, is_gone = _conversation(site, form)
    except AuskunftError as error:
        return _render(site, handover, form, failure=error)
    return _render(site, handover, form, said=exchanges(stored, form.answer), is_gone=is_gone)


def _send(site: SiteSettings, handover: HandoverSettings) -> Response:
    form, queue = read_form(request.form), current_services().feature(HandoverServices).queue
    try:
        if known := queue.sent_by(site.key, form.identity):
            limits.count_request(site)
            return _render_sent(site, handover, known)
        stored, is_gone = _conversation(site, form)
        said = exchanges(stored, form.answer)
        problems = form_problems(form, has_conversation=bool(said))
        limits.count_request(site, "" if problems or is_gone else "message")
        if problems or is_gone:
            return _render(site, handover, form, said=said, is_gone=is_gone, problems=problems)
        sent = _store(site, handover, form, said)
        if answer := unhelpful(stored, form.answer):
            current_services().chat.conversations.hand_over(answer)
        return _render_sent(site, handover, sent)
    except AuskunftError as error:
        return _render(site, handover, form, failure=error)


def _store(
    site: SiteSettings, handover: HandoverSettings, form: TypedForm, said: list[ExchangeDocument]
) -> Handover:
    language, now = request_language(), utc_now()
    ends = delete_at(handover, now)

    def content(number: str) -> str:
        document = HandoverDocument(
            number=number,
            site=site.key,
            language=language,
            made_at=now,
            delete_on=delete_on(site, ends),
            contact=form.contact,
            name=form.name,
            message=form.message,
            conversation=said,
        )
        return document.model_dump_json()

    return current_services().feature(HandoverServices).queue.add(site.key, form.identity, ends, content)


def _conversation(site: SiteSettings, form: TypedForm) -> tuple[list[StoredAnswer], bool]:
    """The part of the conversation that the page showed, and True if it no longer exists."""
    if not form.conversation:
        return [], False
    try:
        stored = current_services().chat.conversations.answers(site.key, form.conversation)
    except NotFoundError:
        return [], True
    return finished(stored)[: form.shown], False


def _render(
    site: SiteSettings,
    handover: HandoverSettings,
    form: TypedForm,
    *,
    said: list[ExchangeDocument] | None = None,
    is_gone: bool = False,
    problems: Mapping[str, str] | None = None,
    failure: AuskunftError | None = None,
) -> Response:
    """The page. ``said``: ``None`` if the conversation could not be read, so that its ids are kept for
    another attempt."""
    language = request_language()
    day = delete_on(site, delete_at(handover, utc_now()))
    shown = form.shown if said is None else len(said)
    values: dict[str, Any] = {
        "form": form,
        "has_conversation": bool(form.conversation if said is None else said),
        "said": said or [],
        "shown": shown,
        "is_gone": is_gone,
        "problems": problems or {},
        "error": _error_text(failure, language) if failure else "",
        "limits": LIMITS,
    }
    response = _render_page(site, handover, day, failure, **values)
    if problems or (is_gone and "send" in request.form):
        response.status_code = 422
    return response


def _render_sent(site: SiteSettings, handover: HandoverSettings, sent: Handover) -> Response:
    return _render_page(site, handover, delete_on(site, sent.delete_at), number=sent.number)


def _render_page(
    site: SiteSettings,
    handover: HandoverSettings,
    day: date,
    failure: AuskunftError | None = None,
    **content: Any,
) -> Response:
    language = request_language()
    return render_page(
        TEMPLATE, language, failure, site=site, recipient=recipient(site, handover), day=day, **content
    )


def _error_text(error: AuskunftError, language: str) -> str:
    return (
        TEXTS[language]["handover_often"] if isinstance(error, FloodError) else error_message(error, language)
    )
