"""The demo page: one box to ask or search. It works as a plain form; a script streams the answer.

The question stands in the address, so that an answer can be linked to; nothing is stored.
"""

from collections.abc import Iterable
from datetime import date
from textwrap import shorten
from typing import Any, Final, get_args
from urllib.parse import urlsplit

import structlog
from apiflask import APIBlueprint
from flask import Response, make_response, render_template, request
from markupsafe import Markup

from app.api.state import current_services
from app.chat.events import Done, Status
from app.chat.reading import read
from app.chat.render import renderer_of
from app.chat.types import SourceItem
from app.documents import source_document
from app.errors import AuskunftError
from app.labels import describe, describe_time, ended_sentence, time_sentences
from app.scope import chosen_sources
from app.search.types import Degradation, Hit, TimeFilter
from app.services import Services
from app.web.texts import LANGUAGES, TEXTS

EXCERPT_CHARACTERS: Final = 300
EXCERPT_FIELDS: Final = frozenset({"description", "content"})
SCRIPT_TEXTS: Final = (
    "title",
    "similarity",
    "searching",
    "answering",
    "done",
    "failed",
    *(f"origin_{status}" for status in get_args(Status)),
)
WEB_SCHEMES: Final = frozenset({"http", "https"})

log = structlog.get_logger(__name__)
blueprint = APIBlueprint("web", __name__, enable_openapi=False)


@blueprint.get("/")
def page() -> Response:
    """The page, with the answer to ``q`` or (``mode=search``) the pages found for it."""
    language = _language()
    question = request.args.get("q", "")
    content: dict[str, Any] = {}
    status = 200
    if question.strip():
        find = _search if request.args.get("mode") == "search" else _ask
        try:
            content = find(current_services(), question, language)
        except AuskunftError as error:
            status = error.status
            content = {"error": _message(error, language)}
    html = render_template(
        "page.html",
        texts=TEXTS[language],
        language=language,
        languages=LANGUAGES,
        script_texts=_script_texts(language),
        question=question,
        question_characters=current_services().settings.question_characters,
        mode=request.args.get("mode", "ask"),
        **content,
    )
    response = make_response(html, status)
    response.headers["Cache-Control"] = "no-store"
    response.headers["Vary"] = "Accept-Language"
    return response


def _ask(services: Services, question: str, language: str) -> dict[str, Any]:
    sources = chosen_sources(services.store, None)
    events = services.answerer.stream(question, sources=sources)
    done = next(event for event in events if isinstance(event, Done))
    return {
        "answer": Markup(renderer_of(done.sources).render(done.answer)),
        "origin": TEXTS[language][f"origin_{done.status}"],
        "notes": _notes(done.time, done.degraded, language),
        "sources": [_source(item, language) for item in done.sources if item.number is not None],
        "others": [_source(item, language) for item in done.sources if item.number is None],
    }


def _search(services: Services, question: str, language: str) -> dict[str, Any]:
    retrieval = services.retriever.retrieve(
        services.answerer.check(question), sources=chosen_sources(services.store, None)
    )
    return {
        "hits": [_hit(hit, language) for hit in retrieval.hits or retrieval.keyword_hits],
        "notes": _notes(retrieval.time, retrieval.degraded, language),
    }


def _notes(time: TimeFilter, degraded: Iterable[Degradation], language: str) -> list[str]:
    said = [describe_time(time, language), *(describe(label, language) for label in degraded)]
    return [note for note in said if note]


def _ended(day: date | None, language: str) -> str:
    return ended_sentence(language).format(day=day) if day else ""


def _source(item: SourceItem, language: str) -> dict[str, Any]:
    return {
        **source_document(item),
        "href": _href(item.page.url),
        "ended": _ended(item.ended, language),
    }


def _hit(hit: Hit, language: str) -> dict[str, Any]:
    return {
        "ended": _ended(hit.ended, language),
        "title": hit.page.title,
        "href": _href(hit.page.url),
        "similarity": hit.similarity.get("content"),
        "excerpt": _excerpt(hit),
    }


def _excerpt(hit: Hit) -> str:
    """The beginning of the best passage, without markup."""
    passage = next((passage.text for passage in hit.passages if passage.field in EXCERPT_FIELDS), "")
    text = " ".join(unit.text for unit in read(passage))
    return shorten(text, EXCERPT_CHARACTERS, placeholder=" …")


def _href(url: str) -> str:
    """The address if a browser should follow it, else nothing."""
    return url if urlsplit(url).scheme in WEB_SCHEMES else ""


def _message(error: AuskunftError, language: str) -> str:
    """What the caller did wrong in full; of our own failures only that there was one."""
    if error.status < 500:
        return str(error)
    log.error("request_failed", code=error.code, message=str(error))
    return TEXTS[language]["failed"]


def _script_texts(language: str) -> dict[str, Any]:
    labels = {label: describe(label, language) for label in get_args(Degradation)}
    return {
        "labels": labels,
        "times": dict(time_sentences(language)),
        "ended": ended_sentence(language),
        **{name: TEXTS[language][name] for name in SCRIPT_TEXTS},
    }


def _language() -> str:
    chosen = request.args.get("lang")
    if chosen in LANGUAGES:
        return chosen
    return request.accept_languages.best_match(LANGUAGES) or LANGUAGES[0]
