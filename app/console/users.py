"""The people who may use the console."""

from typing import Final

from flask import request, url_for
from werkzeug.wrappers import Response

from app.accounts.desk import UserDesk, refuse_self
from app.accounts.types import User
from app.accounts.users import KEY_TIME
from app.api.hosts import public_address
from app.api.state import current_services
from app.console.pages import current_user, form_text, go, make_blueprint, render
from app.errors import AuskunftError, InputError

PAGE: Final = "users.page"
_HOURS: Final = round(KEY_TIME.total_seconds() / 3600)

blueprint = make_blueprint("users", __name__, "/users", for_admins=True)


@blueprint.get("")
def page() -> Response:
    """All users, and the form for a new one."""
    return _page()


@blueprint.post("")
def add() -> Response:
    """Add a user, and show their one-time link."""
    try:
        user = _user(form_text("name"))
        key = _desk().add(user, current_user().name)
    except AuskunftError as error:
        return _page(error)
    return _page(link=_link(key), link_of=user.name)


@blueprint.get("/<name>")
def user(name: str) -> Response:
    """One user: their role and sources, a new link, and removing them."""
    return _user_page(name)


@blueprint.post("/<name>/link")
def renew_link(name: str) -> Response:
    """Show a new one-time link for a user."""
    return _user_page(name, link=_link(_desk().renew_key(name, current_user().name)))


@blueprint.post("/<name>")
def change(name: str) -> Response:
    """Give a user another role or other sources."""
    try:
        refuse_self(name, current_user())
        _desk().change(_user(name), current_user().name)
    except InputError as error:
        return _user_page(name, error)
    return go(PAGE, "changed")


@blueprint.post("/<name>/remove")
def remove(name: str) -> Response:
    """Remove a user."""
    try:
        refuse_self(name, current_user())
        _desk().remove(name, current_user().name)
    except InputError as error:
        return _user_page(name, error)
    return go(PAGE, "removed")


def _page(failure: AuskunftError | None = None, link: str = "", link_of: str = "") -> Response:
    return render(
        "users.html",
        failure,
        is_done=bool(link),
        accounts=_desk().all(),
        sources=_desk().sources(),
        link=link,
        link_of=link_of,
        hours=_HOURS,
        typed=request.form,
    )


def _user_page(name: str, failure: AuskunftError | None = None, link: str = "") -> Response:
    return render(
        "user.html",
        failure,
        is_done=bool(link),
        found=_desk().get(name).user,
        sources=_desk().sources(),
        link=link,
        link_of=name,
        hours=_HOURS,
    )


def _user(name: str) -> User:
    """The user that the form describes. Raises ``InputError``."""
    role, sources = request.form.get("role"), frozenset(request.form.getlist("sources"))
    if role not in ("editor", "admin"):
        raise InputError("choose a role")
    return User(name=name, role="admin" if role == "admin" else "editor", sources=sources or None)


def _desk() -> UserDesk:
    return current_services().user_desk


def _link(key: str) -> str:
    return public_address() + url_for("login.welcome", key=key)
