"""What our pages have in common: language, texts, and what is said of errors."""

from typing import Any, Final
from urllib.parse import urlencode

import structlog
from flask import make_response, render_template, request, stream_template, url_for
from werkzeug.wrappers import Response

from app.api.state import current_services
from app.errors import AuskunftError, FloodError
from app.web.texts import LANGUAGES, TEXTS

_SENTENCES: Final = {
    "invalid_question": "error_question",
    "conflict": "error_busy",
    "not_found": "error_site",
}
"""Codes of errors, and the texts about them."""

log = structlog.get_logger(__name__)


def rendered(
    template: str,
    language: str,
    failure: AuskunftError | None = None,
    *,
    is_growing: bool = False,
    **content: Any,
) -> Response:
    """The page in ``language``, which nobody may keep. ``failure``: what kept it from being what was asked
    for; the content says so. ``is_growing``: each part is sent once it is made."""
    render = stream_template if is_growing else render_template
    html = render(
        template,
        texts=TEXTS[language],
        language=language,
        in_languages={each: _in_language(each) for each in LANGUAGES},
        question_characters=current_services().settings.question_characters,
        **content,
    )
    response = make_response(html, failure.status if failure else 200)
    response.headers["Cache-Control"] = "no-store"
    if isinstance(failure, FloodError):
        response.headers["Retry-After"] = str(failure.seconds)
    if is_growing:
        response.headers["X-Accel-Buffering"] = "no"
    response.vary.add("Accept-Language")
    return response


def _in_language(language: str) -> str:
    """The address of what was asked for, in ``language``. Strangers name the parameters, ``url_for`` has
    names of its own."""
    query = urlencode({**request.args.to_dict(flat=False), "lang": language}, doseq=True)
    return f"{url_for(request.endpoint or '')}?{query}"


def message(error: AuskunftError, language: str) -> str:
    """What a visitor can do about it. What went wrong on our side is logged, and told nobody."""
    if error.status >= 500:
        log.error("request_failed", code=error.code, message=str(error))
    texts = TEXTS[language]
    if isinstance(error, FloodError):
        when = texts["page_in_seconds"].format(seconds=error.seconds)
        return texts["error_limit"].format(when=when)
    return texts[_SENTENCES.get(error.code, "error_failed")]
