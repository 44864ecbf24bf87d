"""The page that stops the letter, without a log-in. Mail programs post to it with one click (RFC 8058).

Opening it changes nothing, because programs that scan e-mails open every link.
"""

from typing import Final

from apiflask import APIBlueprint
from flask import request
from werkzeug.wrappers import Response

from app.api.state import current_services
from app.errors import NotFoundError
from app.features.letter.services import LetterServices
from app.features.letter.writer import STOP
from app.web.rendering import render_page
from app.web.texts import request_language

TEMPLATE: Final = "letter_stop.html"

blueprint = APIBlueprint(
    "letter", __name__, url_prefix=STOP, enable_openapi=False, template_folder="templates"
)


@blueprint.get("")
def page() -> Response:
    """Say if the letter is sent, with a button that changes it."""
    return _answer()


@blueprint.post("")
def change() -> Response:
    """Stop the letter; or, by the page's other button, have it sent again."""
    return _answer(change="again" if "again" in request.form else "stop")


def _answer(change: str = "") -> Response:
    ledger, key = current_services().feature(LetterServices).ledger, request.args.get("key", "")
    try:
        if change:
            ledger.stop(key, stopped=change == "stop")
        is_stopped = ledger.is_stopped(key)
    except NotFoundError as error:
        return render_page(TEMPLATE, request_language(), error, is_known=False)
    return render_page(TEMPLATE, request_language(), is_known=True, is_stopped=is_stopped, key=key)
