"""The start page: a search box with a second button that asks the chat. It works without scripts.

The query is in the URL, so that results can be linked to. Nothing is stored.
"""

from collections.abc import Iterable
from datetime import date
from textwrap import shorten
from typing import Any, Final

from apiflask import APIBlueprint
from flask import current_app, redirect, request, url_for
from werkzeug.wrappers import Response

from app.api import limits
from app.api.state import current_services
from app.chat.labels import describe, describe_time, ended_sentence
from app.chat.sites import DEFAULT_KEY, select_sources
from app.chat.text.plain_text import text_units
from app.errors import AuskunftError
from app.search.types import Degradation, Hit, TimeFilter
from app.services import Services
from app.web.links import web_link
from app.web.rendering import error_message, render_page
from app.web.texts import request_language

EXCERPT_CHARACTERS: Final = 300
EXCERPT_FIELDS: Final = frozenset({"description", "content"})

blueprint = APIBlueprint("web", __name__, enable_openapi=False)


@blueprint.get("/")
def page() -> Response:
    """The page with the hits for ``q``. Without a query the demo redirects to the town's website."""
    if not request.args and "town" in current_app.blueprints:
        return redirect(url_for("town.home"))
    language = request_language()
    site, question = request.args.get("site", DEFAULT_KEY), request.args.get("q", "")
    failure = None
    try:
        content = _search(current_services(), site, question, language)
    except AuskunftError as error:
        failure, content = error, {"error": error_message(error, language)}
    return render_page("page.html", language, failure, site_key=site, question=question, **content)


def _search(services: Services, key: str, question: str, language: str) -> dict[str, Any]:
    """The template's variables for a search on the site; empty without a question. Raises the errors of
    both."""
    site = services.chat.sites.find(key, None)
    if not question.strip():
        return {}
    limits.check(site, "search")
    pipeline = services.chat.pipelines.of(site)
    retrieval = pipeline.retriever.retrieve(
        pipeline.answerer.check(question), sources=select_sources(services.store, None, within=site.sources)
    )
    return {
        "hits": [_hit(hit, language) for hit in retrieval.hits or retrieval.keyword_hits],
        "notes": _notes(retrieval.time, retrieval.degraded, language),
    }


def _notes(time: TimeFilter, degraded: Iterable[Degradation], language: str) -> list[str]:
    said = [describe_time(time, language), *(describe(label, language) for label in degraded)]
    return [note for note in said if note]


def _hit(hit: Hit, language: str) -> dict[str, Any]:
    similarity = hit.similarity.get("content")
    return {
        "title": hit.page.title,
        "href": web_link(hit.page.url),
        "percent": None if similarity is None else round(100 * similarity),
        "ended": _ended(hit.ended, language),
        "excerpt": _excerpt(hit),
    }


def _ended(day: date | None, language: str) -> str:
    return ended_sentence(language).format(day=day) if day else ""


def _excerpt(hit: Hit) -> str:
    """The beginning of the best passage, without markup."""
    passage = next((passage.text for passage in hit.passages if passage.field in EXCERPT_FIELDS), "")
    text = " ".join(unit.text for unit in text_units(passage))
    return shorten(text, EXCERPT_CHARACTERS, placeholder=" …")
