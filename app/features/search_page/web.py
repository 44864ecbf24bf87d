"""The start page: a search box with a second button that asks the chat.

It works without scripts. With them, the element ``<auskunft-search>`` replaces it and searches at every
keystroke. ``/search.js`` contains that element, for other websites as well.

The query is in the URL, so that results can be linked to. Nothing is stored.
"""

from collections.abc import Iterator, Mapping
from datetime import date
from itertools import groupby
from operator import attrgetter
from typing import Any, Final
from urllib.parse import urlencode

from apiflask import APIBlueprint
from flask import Response, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from app.api import limits
from app.api.state import current_services
from app.api.visitors import given_filters, requested_filters
from app.chat.found_pages import FoundPage, marked_title
from app.chat.sites import select_sources
from app.chat.text import catalogue
from app.chat.text.catalogue import describe_absent, describe_time, visitor_sentences
from app.errors import AuskunftError
from app.features.search_page.element import content, packed
from app.features.search_page.facet_links import FacetLinks, Link, Query
from app.features.search_page.page_list import PageList, chosen, page_list
from app.search.retrieval import Retrieval
from app.services import Services
from app.settings.sites import SiteSettings
from app.web.links import web_link
from app.web.rendering import error_message, render_page
from app.web.site_choice import offered_sites
from app.web.texts import LANGUAGES, TEXTS, request_language
from app.web.widget import REVALIDATED, embedded_file

PARAMETERS: Final = {"source": "source", "language": "written_in", "kind": "kind"}
"""The URL parameters that narrow the list, by dimension."""

blueprint = APIBlueprint("search_page", __name__, enable_openapi=False, template_folder="templates")


def page() -> BaseResponse:
    """Return the page with the hits for ``q``."""
    if offer := offered_sites():
        return offer
    services, language = current_services(), request_language()
    key, question = request.args.get("site"), request.args.get("q", "")
    failure = None
    try:
        site = services.chat.sites.find(key, None)
        key, found = site.key, _search(services, site, question, language)
    except AuskunftError as error:
        failure, found = error, {"error": error_message(error, language)}
    return render_page(
        "search.html",
        language,
        failure,
        site_key=key or "",
        question=question,
        chosen_filters=given_filters(),
        **found,
    )


@blueprint.get("/search.js")
def script() -> Response:
    """The script that other websites embed."""
    return embedded_file(content(), packed, "text/javascript", REVALIDATED)


def _search(services: Services, site: SiteSettings, question: str, language: str) -> dict[str, Any]:
    """The template's variables for a search on the site; empty without a question. Raises the errors of the
    search."""
    if not question.strip():
        return {}
    limits.count_request(site, "search")
    pipeline = services.chat.pipelines.of(site)
    number = request.args.get("page", "")
    found = page_list(
        pipeline,
        pipeline.answerer.check(question),
        sources=select_sources(services.store, None, within=site.sources),
        filters=requested_filters(),
        choice=chosen(**{name: request.args.get(given) for name, given in PARAMETERS.items()}),
        number=max(1, int(number)) if number.isascii() and number.isdigit() and len(number) < 4 else 1,
    )
    address = {"site": site.key, "lang": language}
    links = FacetLinks(
        facets=found.facets,
        declared=services.settings.fields,
        base={**address, "q": found.asked, **_narrowed()},
        given=given_filters(),
        url=_url,
        language=language,
        every=TEXTS[language]["search_all"],
    )
    return {
        "hits": [_hit(page, found.question, language) for page in found.pages],
        "count": _count(found, language),
        "filters": [*_filters(found, address, language), *links.keywords()],
        "ranges": [*links.ranges()],
        "parts": _parts(found, address),
        "corrected": found.question if found.question != found.asked else "",
        "suggestion": _url({**address, "q": found.suggestion, **given_filters()}) if found.suggestion else "",
        "suggested": found.suggestion,
        "notes": _notes(found.retrieval, language),
    }


def _count(found: PageList, language: str) -> str:
    texts = TEXTS[language]
    if found.count == 1:
        return texts["search_one"]
    return texts["search_more" if found.is_more else "search_many"].format(count=found.count)


def _filters(found: PageList, address: dict[str, str], language: str) -> Iterator[tuple[str, list[Link]]]:
    """The name and values of each dimension that offers a choice; a value has text, pages, URL, and True if
    it is chosen."""
    texts = TEXTS[language]
    here = {name: request.args.get(given, "") for name, given in PARAMETERS.items()}
    for name, counts in found.filters.items():
        if len(counts) < 2 and not here[name]:
            continue
        kept = {PARAMETERS[other]: value for other, value in here.items() if value and other != name}
        base = {**address, "q": found.asked, **kept, **given_filters()}
        every = (texts["search_all"], sum(counts.values()), _url(base), not here[name])
        values = [
            (shown(value, texts), count, _url({**base, PARAMETERS[name]: value}), value == here[name])
            for value, count in counts.items()
        ]
        yield texts[f"search_{name}"], [every, *values]


def shown(value: str, texts: Mapping[str, str]) -> str:
    """Return the text for a language or kind that has one, otherwise the value."""
    return texts.get(f"search_is_{value}", value)


def _parts(found: PageList, address: dict[str, str]) -> dict[str, Any]:
    """The number of this part and of the last one, and the URLs of its neighbours."""
    base = {**address, "q": found.asked, **_narrowed(), **given_filters()}
    number = found.number
    return {
        "number": number,
        "last": found.last,
        "before": _url({**base, "page": str(number - 1)}) if number > 1 else "",
        "after": _url({**base, "page": str(number + 1)}) if number < found.last else "",
    }


def _url(query: Query) -> str:
    """The URL of this page; built by hand, because some parameter names have a meaning for ``url_for``."""
    return f"{url_for('web.page')}?{urlencode(query, doseq=True)}"


def _narrowed() -> dict[str, str]:
    """The parameters of the URL that narrow the list."""
    return {name: value for name in PARAMETERS.values() if (value := request.args.get(name))}


def _notes(found: Retrieval, language: str) -> list[str]:
    said = [describe_absent(found.absent, language), describe_time(found.time, language)]
    said += visitor_sentences(found.degraded, language)
    return [note for note in said if note]


def _hit(found: FoundPage, question: str, language: str) -> dict[str, Any]:
    """A hit for the template. ``parts``: the block's lines, consecutive list items grouped, each group with
    True if it is a list."""
    page = found.hit.page
    return {
        "title": marked_title(found, question),
        "href": web_link(found.href),
        "language": page.ref.language if page.ref.language in LANGUAGES else "",
        "path": found.path,
        "day": page.updated.date().isoformat() if page.updated else "",
        "updated": _written(page.updated.date(), language) if page.updated else "",
        "ended": _ended(found.hit.ended, language),
        "heading": found.heading,
        "parts": [(listed, list(lines)) for listed, lines in groupby(found.lines, attrgetter("listed"))],
    }


def _written(day: date, language: str) -> str:
    return TEXTS[language]["search_day"].format(
        day=day.day, month=TEXTS[language]["search_months"].split()[day.month - 1], year=day.year
    )


def _ended(day: date | None, language: str) -> str:
    return catalogue.texts(language).ended.format(day=day) if day else ""
