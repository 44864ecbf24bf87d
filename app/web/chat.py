"""The chat as a page that works without scripts: each form returns the whole conversation.

The conversation's id is sent in forms only, never in a URL. Filters in the URL apply to every question. The
page is streamed while an answer is written. With scripts, the widget replaces the empty page.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, Final

from apiflask import APIBlueprint
from flask import request
from markupsafe import Markup
from werkzeug.wrappers import Response

from app.api import limits
from app.api.pings import with_pings
from app.api.state import current_services
from app.api.visitors import given_filters, requested_filters
from app.chat.documents import stored_document
from app.chat.feedback import COMMENT_CHARACTERS, Rating
from app.chat.redaction import redacted
from app.chat.service import VisitorQuestion
from app.chat.sites import choose_index, select_sources
from app.errors import AuskunftError, NotFoundError, QuestionError
from app.presets import ListedSources
from app.search.retrieval import TimeFilter
from app.services.chat import ChatServices
from app.settings.sites import SiteSettings
from app.web.answers import StreamedTurn, Turn, anchor_of, make_turn
from app.web.rendering import error_message, feature_start_page, render_page
from app.web.site_choice import offered_sites, requested_site
from app.web.texts import TEXTS, request_language
from ingest.text import visible

TEMPLATE: Final = "chat.html"
PING: Final = " "
"""A ping between blocks, where white space is invisible."""

_RATINGS: Final[Mapping[str, Rating]] = {"up": "up", "down": "down"}
_UNFINISHED: Final = frozenset({"running", "interrupted", "failed"})
_SHOWN: Final = 40
"""The most characters of an invalid day that an error repeats."""

_ID: Final = re.compile(r"[\w-]{1,64}", re.ASCII)

blueprint = APIBlueprint("chat_page", __name__, url_prefix="/chat", enable_openapi=False)


@blueprint.get("")
def page() -> Response:
    """The empty page, or a choice of sites if the address names none."""
    return offered_sites() or _on_site(_show_empty)


@blueprint.post("")
def ask() -> Response:
    """The conversation with the answer to ``q``."""
    return _on_site(_ask)


@blueprint.post("/feedback")
def rate() -> Response:
    """The conversation, after one of its answers was rated."""
    return _on_site(_rate)


@blueprint.post("/delete")
def delete() -> Response:
    """The empty page, after the conversation was deleted."""
    return _on_site(_delete)


def _on_site(show: Callable[[SiteSettings], Response]) -> Response:
    """Call ``show`` with the requested site, if the request comes from an allowed origin."""
    try:
        site = requested_site()
    except NotFoundError as error:
        return render_page(TEMPLATE, request_language(), error, site=None, error=_error_text(error))
    return show(site)


def _show_empty(site: SiteSettings) -> Response:
    """The empty page, with the widget if the site allows our own origin."""
    host, sites = request.host, _chat().sites
    ours = [f"{scheme}://{host}" for scheme in ("https", "http")]
    return render_chat(site, fresh=any(sites.allows_origin(site, origin, host) for origin in ours))


def _ask(site: SiteSettings) -> Response:
    question, conversation = request.form.get("q", ""), _form_id("conversation")
    turns: list[Turn] = []
    try:
        limits.count_request(site, "chat")
        turns = _turns(site, conversation)
        if _is_resent(question, turns):
            return render_chat(site, turns=turns, conversation=conversation)
        variant = choose_index(site, _form_index(site))
        sources = select_sources(current_services().store, None, within=variant.sources)
        visitor_question = VisitorQuestion(
            question=question,
            conversation=conversation,
            sources=sources,
            time=TimeFilter(at=_form_day()),
            filters=requested_filters(),
        )
        exchange = _chat().service.begin(variant, visitor_question)
    except AuskunftError as error:
        kept = None if isinstance(error, NotFoundError) else conversation
        text = _error_text(error, question)
        return render_chat(site, error, turns=turns, conversation=kept, question=question, error=text)
    streamed = StreamedTurn(exchange, len(turns) + 1, request_language(), _listed(variant))
    conversation = exchange.pending.conversation
    blocks = with_pings(streamed.blocks(), exchange.cancel, PING)
    response = render_chat(
        site,
        turns=turns,
        streamed=streamed,
        blocks=map(Markup, blocks),
        conversation=conversation,
        is_streamed=True,
    )
    response.call_on_close(blocks.close)
    response.call_on_close(exchange.close)
    return response


def _is_resent(question: str, turns: Sequence[Turn]) -> bool:
    """Return True if this form was sent before, for example by a reload: its field ``answers`` is the number
    of turns when it was rendered."""
    known = request.form.get("answers", len(turns), type=int)
    since = [turn for turn in turns[known:] if turn.status not in _UNFINISHED]
    stored = redacted(visible(question).strip())
    return any(turn.question == stored for turn in since)


def _rate(site: SiteSettings) -> Response:
    conversation, rated = _form_id("conversation"), _form_id("answer")
    rating = _RATINGS.get(request.form.get("rating", ""))
    comment = request.form.get("comment", "")
    turns: list[Turn] = []
    try:
        limits.count_request(site, "feedback")
        turns = _turns(site, conversation)
        if rating is None or len(comment) > COMMENT_CHARACTERS:
            raise QuestionError("the rating is unknown or the comment is too long")
        _chat().feedback.give(site.key, rated or "", rating, comment)
    except AuskunftError as error:
        kept = None if isinstance(error, NotFoundError) else conversation
        text = TEXTS[request_language()]["error_action"]
        return render_chat(site, error, turns=turns, conversation=kept, error=text)
    return render_chat(
        site, turns=turns, conversation=conversation, rated=rated, rating=rating, commented=comment
    )


def _delete(site: SiteSettings) -> Response:
    texts = TEXTS[request_language()]
    try:
        limits.count_request(site)
        _chat().conversations.delete(site.key, _form_id("conversation") or "")
    except NotFoundError:
        pass  # gone already, as requested
    except AuskunftError as error:
        return render_chat(site, error, conversation=_form_id("conversation"), error=texts["error_action"])
    return render_chat(site, done=texts["deleted"])


def _turns(site: SiteSettings, conversation: str | None) -> list[Turn]:
    """The conversation's turns so far. Raises ``NotFoundError`` and ``PageStoreUnavailableError``."""
    if conversation is None:
        return []
    language, listed = request_language(), _listed(site)
    kept = _chat().conversations.answers(site.key, conversation)
    return [
        make_turn(stored_document(answer, anchor_of(number)), number, language, listed)
        for number, answer in enumerate(kept, start=1)
    ]


def _listed(site: SiteSettings) -> ListedSources:
    """The kind of sources that the site lists below an answer."""
    return _chat().pipelines.preset_of(site).question.listed_sources


def _form_id(name: str) -> str | None:
    """The id in the form's field; ``-``, which no conversation has, if it is invalid."""
    text = request.form.get(name, "")
    return (text if _ID.fullmatch(text) else "-") if text else None


def _form_index(site: SiteSettings) -> str | None:
    """The index that was chosen in the form, or None if the site does not have it."""
    name = request.form.get("index", "")
    return name if name in site.indexes else None


def _form_day() -> date | None:
    """The day whose law is asked for. Raises ``QuestionError`` if it is not a date."""
    text = request.form.get("at", "").strip()
    if not _is_day(text):
        raise QuestionError(f"{text[:_SHOWN]!r} is not a day: write it like 2024-08-01")
    return date.fromisoformat(text) if text else None


def _is_day(text: str) -> bool:
    """Return True for a date, and for an empty text."""
    try:
        return not text or bool(date.fromisoformat(text))
    except ValueError:
        return False


def _error_text(error: AuskunftError, question: str | None = None) -> str:
    """The message that visitors see for an error."""
    texts = TEXTS[request_language()]
    if isinstance(error, QuestionError) and question is not None and not question.strip():
        return texts["page_empty"]
    if isinstance(error, QuestionError) and not _is_day(request.form.get("at", "").strip()):
        return texts["page_no_day"]
    if isinstance(error, NotFoundError) and question is not None:
        return texts["page_forgotten"]
    return error_message(error, request_language())


def render_chat(site: SiteSettings, failure: AuskunftError | None = None, **content: Any) -> Response:
    """Render the page of a site's chat. ``failure``: sets the status; ``content`` shows it and the turns."""
    language = request_language()
    return render_page(
        TEMPLATE,
        language,
        failure,
        site=site,
        examples=current_services().chat.examples(site, language),
        chosen=_form_index(site),
        has_law=_has_law(site),
        day=request.form.get("at", ""),
        has_model=_chat().model is not None,
        start_page=feature_start_page(),
        filters=given_filters(),
        offers=current_services().offers(site),
        **content,
    )


def _has_law(site: SiteSettings) -> bool:
    """Return True if visitors may choose the date of the law; False if that cannot be found out now."""
    try:
        return _chat().pipelines.has_law(site, current_services().store.sources())
    except AuskunftError:
        return False


def _chat() -> ChatServices:
    return current_services().chat
