"""The start page: a search box with a second button that asks the chat. It works without scripts.

The query is in the URL, so that results can be linked to. Nothing is stored.
"""

from collections.abc import Iterable
from datetime import date
from itertools import groupby
from operator import attrgetter
from typing import Any

from apiflask import APIBlueprint
from flask import current_app, redirect, request, url_for
from werkzeug.wrappers import Response

from app.api import limits
from app.api.state import current_services
from app.chat.found_pages import FoundPage, found_pages
from app.chat.labels import describe, describe_time, ended_sentence
from app.chat.sites import DEFAULT_KEY, select_sources
from app.errors import AuskunftError
from app.search.types import Degradation, TimeFilter
from app.services import Services
from app.web.links import web_link
from app.web.rendering import error_message, render_page
from app.web.texts import request_language

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
    retrieval = pipeline.search(
        pipeline.answerer.check(question), sources=select_sources(services.store, None, within=site.sources)
    )
    found = found_pages(retrieval, retrieval.hits or retrieval.keyword_hits)
    return {
        "hits": [_hit(page, language) for page in found],
        "notes": _notes(retrieval.time, retrieval.degraded, language),
    }


def _notes(time: TimeFilter, degraded: Iterable[Degradation], language: str) -> list[str]:
    said = [describe_time(time, language), *(describe(label, language) for label in degraded)]
    return [note for note in said if note]


def _hit(found: FoundPage, language: str) -> dict[str, Any]:
    """``parts``: the block's lines, those of a list together, each with whether they are one."""
    page = found.hit.page
    return {
        "title": page.title,
        "href": web_link(found.href),
        "path": found.path,
        "ended": _ended(found.hit.ended, language),
        "heading": found.heading,
        "parts": [(listed, list(lines)) for listed, lines in groupby(found.lines, attrgetter("listed"))],
    }


def _ended(day: date | None, language: str) -> str:
    return ended_sentence(language).format(day=day) if day else ""
