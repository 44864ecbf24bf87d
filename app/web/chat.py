"""The chat as a page of its own, whole without scripts: each form brings back the conversation so far.

The conversation's id travels in the forms alone, never in an address. While an answer is written, the page
grows with it. Where scripts run, the widget takes the place of a page that nothing was asked on yet.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from apiflask import APIBlueprint
from flask import request
from markupsafe import Markup
from werkzeug.wrappers import Response

from app.api import limits
from app.api.pings import with_pings
from app.api.state import current_services
from app.chat.documents import stored_document
from app.chat.feedback import COMMENT_CHARACTERS, Rating
from app.chat.redaction import redacted
from app.chat.service import VisitorQuestion
from app.chat.sites import DEFAULT_KEY, chosen_sources
from app.errors import AuskunftError, NotFoundError, QuestionError
from app.services.chat import ChatServices
from app.settings.sites import SiteSettings
from app.web.answers import Turn, WrittenTurn, anchor_of, turn
from app.web.rendering import message, rendered
from app.web.texts import TEXTS, asked_language
from ingest.text import visible

TEMPLATE: Final = "chat.html"
PING: Final = Markup(" ")
"""Sent between blocks, where white space shows nothing."""

_RATINGS: Final[Mapping[str, Rating]] = {"up": "up", "down": "down"}
_UNFINISHED: Final = frozenset({"running", "interrupted", "failed"})
_ID: Final = re.compile(r"[\w-]{1,64}", re.ASCII)

blueprint = APIBlueprint("chat_page", __name__, url_prefix="/chat", enable_openapi=False)


@blueprint.get("")
def page() -> Response:
    """The page, with nothing asked."""
    return _on_site(_fresh)


@blueprint.post("")
def ask() -> Response:
    """The conversation with the answer to ``q``."""
    return _on_site(_ask)


@blueprint.post("/feedback")
def rate() -> Response:
    """The conversation, with what was said of one of its answers kept."""
    return _on_site(_rate)


@blueprint.post("/delete")
def delete() -> Response:
    """The page, with the conversation forgotten."""
    return _on_site(_delete)


def _on_site(show: Callable[[SiteSettings], Response]) -> Response:
    """What is shown of the site that the request names, if it may be asked from where the form stands."""
    try:
        site = _asked_site()
    except NotFoundError as error:
        return rendered(TEMPLATE, asked_language(), error, site=None, error=_sentence(error))
    return show(site)


def _asked_site() -> SiteSettings:
    """Raises ``NotFoundError``. Of a page without a referrer browsers hide the origin (Fetch standard,
    "append a request Origin header"), and tell instead whether it was ours."""
    origin = request.headers.get("Origin")
    is_ours = request.headers.get("Sec-Fetch-Site") == "same-origin"
    is_ours |= origin in (f"http://{request.host}", f"https://{request.host}")
    key = request.args.get("site", DEFAULT_KEY)
    return _visits().sites.find(key, None if is_ours else origin)


def _fresh(site: SiteSettings) -> Response:
    """With the widget, where it may ask: our own address is known by ``public_url``."""
    ours = [f"{scheme}://{request.host}" for scheme in ("https", "http")]
    return _shown(site, fresh=any(_visits().sites.allows_origin(site, origin) for origin in ours))


def _ask(site: SiteSettings) -> Response:
    question, conversation = request.form.get("q", ""), _given("conversation")
    turns: list[Turn] = []
    try:
        limits.check(site, "chat")
        turns = _said(site, conversation)
        if _is_answered(question, turns):
            return _shown(site, turns=turns, conversation=conversation)
        sources = chosen_sources(current_services().store, None, within=site.sources)
        asked = VisitorQuestion(question=question, conversation=conversation, sources=sources)
        exchange = _visits().service.begin(site, asked)
    except AuskunftError as error:
        kept = None if isinstance(error, NotFoundError) else conversation
        said = _sentence(error, question)
        return _shown(site, error, turns=turns, conversation=kept, question=question, error=said)
    written = WrittenTurn(exchange, len(turns) + 1, asked_language())
    conversation = exchange.pending.conversation
    blocks = with_pings(written.blocks(), exchange.cancel, PING)
    response = _shown(
        site, turns=turns, written=written, blocks=blocks, conversation=conversation, is_growing=True
    )
    response.call_on_close(blocks.close)
    response.call_on_close(exchange.close)
    return response


def _is_answered(question: str, turns: Sequence[Turn]) -> bool:
    """Whether this very form was sent before, as by a reload: it knows how many answers stood above it."""
    known = request.form.get("answers", len(turns), type=int)
    since = [turn for turn in turns[known:] if turn.status not in _UNFINISHED]
    return any(turn.question == _as_kept(question) for turn in since)


def _as_kept(question: str) -> str:
    return redacted(visible(question).strip())


def _rate(site: SiteSettings) -> Response:
    conversation, rated = _given("conversation"), _given("answer")
    rating = _RATINGS.get(request.form.get("rating", ""))
    comment = request.form.get("comment", "")
    turns: list[Turn] = []
    try:
        limits.check(site, "feedback")
        turns = _said(site, conversation)
        if rating is None or len(comment) > COMMENT_CHARACTERS:
            raise QuestionError("unknown rating, or comment too long")
        _visits().feedback.give(site.key, rated or "", rating, comment)
    except AuskunftError as error:
        kept = None if isinstance(error, NotFoundError) else conversation
        text = TEXTS[asked_language()]["error_action"]
        return _shown(site, error, turns=turns, conversation=kept, error=text)
    return _shown(site, turns=turns, conversation=conversation, rated=rated, rating=rating, commented=comment)


def _delete(site: SiteSettings) -> Response:
    texts = TEXTS[asked_language()]
    try:
        limits.check(site)
        _visits().conversations.delete(site.key, _given("conversation") or "")
    except NotFoundError:
        pass  # it is gone, as was asked for
    except AuskunftError as error:
        return _shown(site, error, conversation=_given("conversation"), error=texts["error_action"])
    return _shown(site, done=texts["deleted"])


def _said(site: SiteSettings, conversation: str | None) -> list[Turn]:
    """The conversation's turns so far. Raises ``NotFoundError`` and ``PageStoreUnavailableError``."""
    if conversation is None:
        return []
    language = asked_language()
    kept = _visits().conversations.answers(site.key, conversation)
    return [
        turn(stored_document(answer, anchor_of(number)), number, language)
        for number, answer in enumerate(kept, start=1)
    ]


def _given(name: str) -> str | None:
    """The id in the form's field. What cannot be one stands for one that nobody knows."""
    text = request.form.get(name, "")
    return (text if _ID.fullmatch(text) else "-") if text else None


def _sentence(error: AuskunftError, question: str | None = None) -> str:
    """What is told of an error, in the words of someone who asks."""
    texts = TEXTS[asked_language()]
    if isinstance(error, QuestionError) and question is not None and not question.strip():
        return texts["page_empty"]
    if isinstance(error, NotFoundError) and question is not None:
        return texts["page_forgotten"]
    return message(error, asked_language())


def _shown(site: SiteSettings, failure: AuskunftError | None = None, **content: Any) -> Response:
    has_model = _visits().model is not None
    return rendered(TEMPLATE, asked_language(), failure, site=site, has_model=has_model, **content)


def _visits() -> ChatServices:
    return current_services().chat
