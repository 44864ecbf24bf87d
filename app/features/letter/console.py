"""The weekly letter as it would be sent now."""

from typing import Final

from flask import Response as FlaskResponse
from flask import make_response, request
from werkzeug.wrappers import Response

from app.api.hosts import public_address
from app.api.state import current_services
from app.console.pages import current_user, make_blueprint, render
from app.console.texts import console_language
from app.errors import NotFoundError
from app.features.letter.letter import Letter
from app.features.letter.services import LetterServices
from app.features.letter.writer import LetterWriter
from app.settings.letter import LetterRecipient

POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; "
    "sandbox allow-popups allow-popups-to-escape-sandbox"
)
"""A letter has its styles in it, and texts of visitors: nothing in it may run."""

blueprint = make_blueprint("console_letter", __name__, "/letter", templates="templates")


@blueprint.get("")
def page() -> Response:
    """The user's own letter; admins choose a recipient's. ``?to=``: the address."""
    of_feature = _services()
    shown = list(of_feature.recipients) if current_user().is_admin else []
    chosen = _chosen()
    return render(
        "letter.html",
        letter=_letter(chosen),
        chosen=chosen.email if chosen else "",
        addresses=shown,
        states=of_feature.ledger.states(shown),
        when=current_services().settings.letter,
    )


@blueprint.get("/html")
def html() -> FlaskResponse:
    """The letter's HTML, for a frame of the page."""
    response = make_response(_letter(_chosen()).html)
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


def _chosen() -> LetterRecipient | None:
    """The recipient that an admin chose, or the one who is logged in, if they are one."""
    recipients, user = _services().recipients, current_user()
    wanted = request.args.get("to", "")
    if wanted and (not user.is_admin or wanted not in recipients):
        raise NotFoundError("there is no recipient {name!r}", name=wanted)
    own = (each for each in recipients.values() if each.user == user.name)
    return recipients[wanted] if wanted else next(own, None)


def _letter(chosen: LetterRecipient | None) -> Letter:
    writer = current_services().feature(LetterWriter)
    if chosen is not None:
        return writer.letter_to(chosen, public_address())
    return writer.letter(current_user(), console_language(), public_address())


def _services() -> LetterServices:
    return current_services().feature(LetterServices)
