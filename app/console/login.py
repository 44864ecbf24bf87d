"""Logging in and out with a password, which users choose by a one-time link."""

from datetime import timedelta
from typing import Final

from apiflask import APIBlueprint
from flask import g, redirect, request, url_for
from werkzeug.wrappers import Response

from app.accounts.secrets import PASSWORD_CHARACTERS
from app.accounts.types import User
from app.api import limits
from app.api.access import end_session, host_cookie, is_secure, require_own_page, set_session
from app.api.state import current_services
from app.console.addresses import PREFIX, own_page, page_of
from app.console.pages import LOGIN, go, prepare_responses, render, user_or_none
from app.console.unsent import UnsentForm
from app.errors import AuskunftError, InputError, LoginError

MOST: Final = PASSWORD_CHARACTERS[1]
FORM: Final = "login.html"
WELCOME: Final = "welcome.html"

blueprint = APIBlueprint("login", __name__, url_prefix=PREFIX, enable_openapi=False)
blueprint.before_request(require_own_page)
prepare_responses(blueprint)

DEVICE_COOKIE: Final = "auskunft-device"
KEPT: Final = timedelta(days=180)
"""The lifetime of the device cookie after the last log-in."""


@blueprint.get("/login")
def form() -> Response:
    """The form for name and password."""
    return _form()


@blueprint.post("/login")
def log_in() -> Response:
    """Open a session and redirect to the requested page."""
    carried, name = UnsentForm.carried(), request.form.get("name", "")[:64]
    try:
        limits.count_login(name, known_device(name))
        user = current_services().users.log_in(name, request.form.get("password", "")[:MOST])
    except AuskunftError as error:
        return _form(error, name=name, unsent=carried)
    g.user = user
    return _open(user, _unsent(carried) if carried else _redirect(request.form.get("next", "")))


@blueprint.post("/unsent")
def unsent() -> Response:
    """Receive a form that was sent after the session had ended: show the log-in form, which carries the
    typed text. If nothing was typed, the log-in form leads back to the form's page."""
    found = UnsentForm.arrived()
    if found is None:
        return go(LOGIN, "expired", next=page_of(request.referrer or "") or None)
    if user_or_none() is not None:
        return _unsent(found)
    response = _form(unsent=found)
    response.status_code = LoginError.status
    return response


@blueprint.get("/welcome")
def welcome() -> Response:
    """The form to choose a password. It does not use up the link, because mail scanners open links."""
    return _welcome(request.args.get("key", ""))


@blueprint.post("/welcome")
def choose_password() -> Response:
    """Use up the link and open a session."""
    key, password = request.form.get("key", ""), request.form.get("password", "")
    try:
        limits.count_login("")
        if password != request.form.get("again", ""):
            raise InputError("the two passwords differ")
        user = current_services().users.set_password(key, password)
    except LoginError as error:
        return _form(error)
    except InputError as error:
        return _welcome(key, error)
    return _open(user, _redirect())


@blueprint.post("/logout")
def log_out() -> Response:
    """End the session."""
    response = go(LOGIN, "logged_out")
    end_session(response)
    return response


def _form(failure: AuskunftError | None = None, name: str = "", unsent: UnsentForm | None = None) -> Response:
    wanted = request.values.get("next", "")
    has_users = bool(current_services().users.all())
    return render(FORM, failure, name=name, next=wanted, has_users=has_users, unsent=unsent)


def _unsent(form: UnsentForm) -> Response:
    """A page with the typed text and a button that sends it again."""
    return render("unsent.html", unsent=form)


def _welcome(key: str, failure: AuskunftError | None = None) -> Response:
    try:
        user = current_services().users.of_key(key)
    except LoginError as error:
        return _form(error)
    return render(WELCOME, failure, key=key, name=user.name, least=PASSWORD_CHARACTERS[0])


def _open(user: User, response: Response) -> Response:
    """Open a session with the response."""
    end_session(response)  # the session of a user who was logged in before
    set_session(response, current_services().sessions.open(user))
    remember_device(response, user)
    return response


def _redirect(wanted: str = "") -> Response:
    return redirect(own_page(wanted) or url_for("overview.page"), 303)


def known_device(name: str) -> str:
    """Return the known browser of the user that sent the request; empty if there is none or no such user."""
    token = request.cookies.get(host_cookie(DEVICE_COOKIE), "")
    return current_services().users.device(name, token) if token else ""


def remember_device(response: Response, user: User) -> None:
    """Mark the browser as known for the user's next log-ins."""
    token = current_services().users.new_device(user.name)
    response.set_cookie(
        host_cookie(DEVICE_COOKIE), token, max_age=KEPT, secure=is_secure(), httponly=True, samesite="Strict"
    )
