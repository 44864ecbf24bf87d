"""The website of the demo's town, with the chat on every page. Only the demo registers it."""

from typing import Final

from apiflask import APIBlueprint
from flask import Response, make_response, redirect, render_template, request, send_from_directory, url_for
from werkzeug.wrappers import Response as BaseResponse

from app.demo import SITE_KEY, site
from app.demo.town import HOME, other_language, town
from app.web.texts import TEXTS

LANGUAGES: Final = ("de", "en")
"""The first is the default."""

blueprint = APIBlueprint("town", __name__, url_prefix="/otterfurt", enable_openapi=False)


@blueprint.get("/")
def home() -> BaseResponse:
    """Redirect to the home page in the visitor's language."""
    language = request.accept_languages.best_match(LANGUAGES) or LANGUAGES[0]
    response = redirect(url_for("town.page", page_id=f"{language}/{HOME}"))
    response.vary.add("Accept-Language")
    return response


@blueprint.get("/<any('style.css', 'crest.svg'):name>")
def file(name: str) -> Response:
    """The style sheet and the crest."""
    return send_from_directory(site(), name)


@blueprint.get("/<path:page_id>")
def page(page_id: str) -> BaseResponse:
    """One page, or an error page with status 404; for a bare language, redirect to its home page."""
    if (home_of := page_id.removesuffix("/")) in LANGUAGES:
        return redirect(url_for("town.page", page_id=f"{home_of}/{HOME}"))
    pages = town().pages
    language = page_id.partition("/")[0]
    language = language if language in LANGUAGES else LANGUAGES[0]
    html = render_template(
        "town.html",
        page=pages.get(page_id),
        language=language,
        other=pages[page_id].other if page_id in pages else f"{other_language(language)}/{HOME}",
        home=f"{language}/{HOME}",
        menu=town().menus[language],
        site_key=SITE_KEY,
        texts=TEXTS[language],
    )
    response = make_response(html, 200 if page_id in pages else 404)
    response.headers["X-Robots-Tag"] = "noindex"
    return response
