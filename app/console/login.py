"""Logging in and out: by a password, after a one-time link to choose one."""

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
"""After the last log-in."""


@blueprint.get("/login")
def form() -> Response:
    """The form for name and password."""
    return _form()


@blueprint.post("/login")
def log_in() -> Response:
    """Open a session and go to the page that was wanted."""
    carried, name = UnsentForm.carried(), request.form.get("name", "")[:64]
    try:
        limits.check_login(name, known_device(name))
        user = current_services().users.log_in(name, request.form.get("password", "")[:MOST])
    except AuskunftError as error:
        return _form(error, name=name, unsent=carried)
    g.user = user
    return _open(user, _unsent(carried) if carried else _redirect(request.form.get("next", "")))


@blueprint.post("/unsent")
def unsent() -> Response:
    """What is sent after the session has ended leads here: the log-in form with what was typed; after a mere
    button, the log-in form that leads back to its page."""
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
    """The form to choose a password. Looking at it does not use the link up, as programs that check mail
    look at links."""
    return _welcome(request.args.get("key", ""))


@blueprint.post("/welcome")
def choose_password() -> Response:
    """Use the link up and open a session."""
    key, password = request.form.get("key", ""), request.form.get("password", "")
    try:
        limits.check_login("")
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
    """What was typed, and a button that sends it again."""
    return render("unsent.html", unsent=form)


def _welcome(key: str, failure: AuskunftError | None = None) -> Response:
    try:
        user = current_services().users.of_key(key)
    except LoginError as error:
        return _form(error)
    return render(WELCOME, failure, key=key, name=user.name, least=PASSWORD_CHARACTERS[0])


def _open(user: User, response: Response) -> Response:
    """The response that also opens a session."""
    end_session(response)  # of whoever was logged in before
    set_session(response, current_services().sessions.open(user))
    remember_device(response, user)
    return response


def _redirect(wanted: str = "") -> Response:
    return redirect(own_page(wanted) or url_for("overview.page"), 303)


def known_device(name: str) -> str:
    """Return which of the user's browsers the request comes from; empty for another, or no such user."""
    token = request.cookies.get(host_cookie(DEVICE_COOKIE), "")
    return current_services().users.device(name, token) if token else ""


def remember_device(response: Response, user: User) -> None:
    """Have the browser be known when the user logs in again."""
    token = current_services().users.new_device(user.name)
    response.set_cookie(
        host_cookie(DEVICE_COOKIE), token, max_age=KEPT, secure=is_secure(), httponly=True, samesite="Strict"
    )
