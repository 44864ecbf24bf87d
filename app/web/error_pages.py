"""Errors as pages in the visitor's language for browsers; programs get the problem document."""

from typing import Final

from flask import Flask, Response, render_template, request

from app.api.problem import MEDIA_TYPE
from app.web.texts import LANGUAGES, TEXTS, request_language

PAGE: Final = "text/html"
API_PATH: Final = "/api/"

_TEXTS: Final = {404: "error_page_missing", 405: "error_page_method", 429: "error_page_flood"}
"""Names of texts by status."""


def register(app: Flask) -> None:
    """Send a page instead of a problem document to requests that prefer HTML, except below ``API_PATH``."""

    @app.after_request
    def show(response: Response) -> Response:
        if response.mimetype != MEDIA_TYPE or request.path.startswith(API_PATH):
            return response
        response.vary.update(["Accept", "Accept-Language"])
        if request.accept_mimetypes.best_match([MEDIA_TYPE, "application/json", PAGE]) == PAGE:
            response.set_data(_page(response.status_code))
            response.content_type = f"{PAGE}; charset=utf-8"
            response.headers["Cache-Control"] = "no-store"
        return response


def _page(status: int) -> str:
    language = request_language()
    name = _TEXTS.get(status, "error_page_failed" if status >= 500 else "error_page_request")
    return render_template(
        "error.html",
        texts=TEXTS[language],
        language=language,
        in_languages={each: f"?lang={each}" for each in LANGUAGES},
        status=status,
        title=TEXTS[language][name],
        explanation=TEXTS[language][f"{name}_text"],
    )
