"""The weekly letter as it would be sent now."""

from typing import Final

from flask import Response as FlaskResponse
from flask import make_response, request
from werkzeug.wrappers import Response

from app.api.access import record
from app.api.hosts import public_address
from app.api.state import current_services
from app.console.pages import current_user, form_text, go, make_blueprint, render
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
"""A letter contains its styles, and visitors' texts: no script in it may run."""

NO_RECIPIENT: Final = "there is no recipient {name!r}"

blueprint = make_blueprint("console_letter", __name__, "/letter", templates="templates")


@blueprint.get("")
def page() -> Response:
    """The user's own letter; admins choose a recipient's. ``?to=``: the address."""
    shown, chosen = _shown(), _chosen()
    return render(
        "letter.html",
        letter=_letter(chosen),
        chosen=chosen.email if chosen else "",
        recipients=shown,
        states=_services().ledger.states(shown),
        when=current_services().settings.letter,
    )


@blueprint.post("/<any('stop', 'again'):change>")
def change(change: str) -> Response:
    """Stop a letter of the user's own, or have it sent again. ``to``: the address."""
    user, to, ledger = current_user(), form_text("to", 500), _services().ledger
    shown = _shown()
    if to not in shown or shown[to].user != user.name:
        raise NotFoundError(NO_RECIPIENT, name=to)
    ledger.stop(ledger.state(to).key, stopped=change == "stop")
    record(f"letter.{change}", user.name)
    return go("console_letter.page", f"letter_{change}", to=to)


@blueprint.get("/html")
def html() -> FlaskResponse:
    """The letter's HTML, for a frame of the page."""
    response = make_response(_letter(_chosen()).html)
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


def _shown() -> dict[str, LetterRecipient]:
    """The recipients that are the user; for admins all recipients."""
    user, all_of_them = current_user(), _services().recipients
    return {to: each for to, each in all_of_them.items() if user.is_admin or each.user == user.name}


def _chosen() -> LetterRecipient | None:
    """The chosen recipient, otherwise the logged-in user if they are one."""
    shown, wanted = _shown(), request.args.get("to", "")
    if wanted and wanted not in shown:
        raise NotFoundError(NO_RECIPIENT, name=wanted)
    own = (each for each in shown.values() if each.user == current_user().name)
    return shown[wanted] if wanted else next(own, None)


def _letter(chosen: LetterRecipient | None) -> Letter:
    writer = current_services().feature(LetterWriter)
    if chosen is not None:
        return writer.letter_to(chosen, public_address())
    return writer.letter(current_user(), console_language(), public_address())


def _services() -> LetterServices:
    return current_services().feature(LetterServices)
