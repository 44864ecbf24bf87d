"""Logging in and out: by a password, after a one-time link to choose one."""

from typing import Final
from urllib.parse import urlsplit

from apiflask import APIBlueprint
from flask import redirect, request, url_for
from werkzeug.wrappers import Response

from app.accounts.secrets import PASSWORD_CHARACTERS
from app.accounts.types import User
from app.api import limits
from app.api.access import end_session, require_own_page, set_session
from app.api.state import current_services
from app.console.pages import LOGIN, PREFIX, go, prepare_responses, render
from app.errors import AuskunftError, InputError, LoginError

MOST: Final = PASSWORD_CHARACTERS[1]
FORM: Final = "login.html"
WELCOME: Final = "welcome.html"

blueprint = APIBlueprint("login", __name__, url_prefix=PREFIX, enable_openapi=False)
blueprint.before_request(require_own_page)
prepare_responses(blueprint)


@blueprint.get("/login")
def form() -> Response:
    """The form for name and password."""
    return _form()


@blueprint.post("/login")
def log_in() -> Response:
    """Open a session and go to the page that was wanted."""
    name = request.form.get("name", "")[:64]
    try:
        limits.check_login(name)
        user = current_services().users.log_in(name, request.form.get("password", "")[:MOST])
    except AuskunftError as error:
        return _form(error, name=name)
    return _open(user, request.form.get("next", ""))


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
    return _open(user, "")


@blueprint.post("/logout")
def log_out() -> Response:
    """End the session."""
    response = go(LOGIN, "logged_out")
    end_session(response)
    return response


def _form(failure: AuskunftError | None = None, name: str = "") -> Response:
    wanted = request.values.get("next", "")
    has_users = bool(current_services().users.all())
    return render(FORM, failure, name=name, next=wanted, has_users=has_users)


def _welcome(key: str, failure: AuskunftError | None = None) -> Response:
    try:
        user = current_services().users.of_key(key)
    except LoginError as error:
        return _form(error)
    return render(WELCOME, failure, key=key, name=user.name, least=PASSWORD_CHARACTERS[0])


def _open(user: User, wanted: str) -> Response:
    response = redirect(_own_page(wanted) or url_for("overview.page"), 303)
    end_session(response)  # of whoever was logged in before
    set_session(response, current_services().sessions.open(user))
    return response


def _own_page(wanted: str) -> str:
    """The path of the wanted page, if it is one of the console; else nothing."""
    parts = urlsplit(wanted)
    is_ours = not parts.scheme and not parts.netloc and parts.path.startswith(f"{PREFIX}/")
    return wanted if is_ours and "\\" not in wanted and wanted.isprintable() else ""
