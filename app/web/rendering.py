"""Renders our pages from templates and the texts of a language; messages for errors."""

from typing import Any, Final
from urllib.parse import urlencode

import structlog
from flask import make_response, render_template, request, stream_template, url_for
from werkzeug.wrappers import Response

from app.api.state import current_services
from app.errors import AuskunftError, FloodError
from app.feature import StartPage
from app.web.texts import LANGUAGES, TEXTS

_SENTENCES: Final = {
    "invalid_question": "error_question",
    "conflict": "error_busy",
    "not_found": "error_site",
}
"""Names of texts by error code."""

log = structlog.get_logger(__name__)


def render_page(
    template: str,
    language: str,
    failure: AuskunftError | None = None,
    *,
    is_streamed: bool = False,
    **content: Any,
) -> Response:
    """Render the page in ``language``, never cached. ``failure``: sets the status; the content must show it.
    ``is_streamed``: True to send the page while it is rendered."""
    render = stream_template if is_streamed else render_template
    html = render(
        template,
        texts=TEXTS[language],
        language=language,
        in_languages={each: _url_in(each) for each in LANGUAGES},
        question_characters=current_services().settings.question_characters,
        picture=_picture(),
        **content,
    )
    response = make_response(html, failure.status if failure else 200)
    response.headers["Cache-Control"] = "no-store"
    if isinstance(failure, FloodError):
        response.headers["Retry-After"] = str(failure.seconds)
    if is_streamed:
        response.headers["X-Accel-Buffering"] = "no"
    response.vary.add("Accept-Language")
    return response


def feature_start_page() -> StartPage | None:
    """The start page of the first feature that has one, or None for the chat."""
    features = current_services().features
    return next((feature.start_page for feature in features if feature.start_page), None)


def _picture() -> str:
    """The absolute URL of the picture that other websites show for a link to us; empty unless the settings
    have our address, because a request can claim any."""
    known = current_services().settings.public_url.rstrip("/")
    return f"{known}{url_for('static', filename='picture.png')}" if known else ""


def requested_address(**values: str) -> str:
    """The address of the requested page with these ``values`` in its query, built by hand because ``url_for``
    interprets some names."""
    return f"{request.path}?{urlencode(request.args.to_dict(flat=False) | values, doseq=True)}"


def _url_in(language: str) -> str:
    """The URL of the requested page in ``language``. The query is added by hand, because clients choose its
    names and ``url_for`` interprets some."""
    query = urlencode({**request.args.to_dict(flat=False), "lang": language}, doseq=True)
    return f"{url_for(request.endpoint or '', **(request.view_args or {}))}?{query}"


def error_message(error: AuskunftError, language: str) -> str:
    """The message for visitors. A server error is logged, and its details are not shown."""
    if error.status >= 500:
        log.error("request_failed", code=error.code, error_message=str(error))
    texts = TEXTS[language]
    if isinstance(error, FloodError):
        when = texts["page_in_seconds"].format(seconds=error.seconds)
        return texts["error_limit"].format(when=when)
    return texts[_SENTENCES.get(error.code, "error_failed")]
