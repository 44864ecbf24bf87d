"""The people who may use the console."""

from typing import Any, Final

from flask import request, url_for
from werkzeug.wrappers import Response

from app.accounts.types import User
from app.accounts.users import KEY_TIME
from app.api.state import current_services
from app.console.pages import current_user, form_text, go, make_blueprint, record, render
from app.console.sites import public_address
from app.errors import AuskunftError, InputError
from app.monitoring.source_states import source_states

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
        key = current_services().users.add(user)
        record("user.add", user.name, after=_rights(user))
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
    key = current_services().users.renew_key(name)
    record("user.link", name)
    return _user_page(name, link=_link(key))


@blueprint.post("/<name>")
def change(name: str) -> Response:
    """Give a user another role or other sources."""
    try:
        _refuse_self(name)
        users, user = current_services().users, _user(name)
        before = _rights(users.get(name))
        users.change(user)
        record("user.change", name, before, _rights(user))
    except InputError as error:
        return _user_page(name, error)
    return go(PAGE, "changed")


@blueprint.post("/<name>/remove")
def remove(name: str) -> Response:
    """Remove a user."""
    try:
        _refuse_self(name)
        users = current_services().users
        before = _rights(users.get(name))
        users.remove(name)
        record("user.remove", name, before)
    except InputError as error:
        return _user_page(name, error)
    return go(PAGE, "removed")


def _page(failure: AuskunftError | None = None, link: str = "", link_of: str = "") -> Response:
    services = current_services()
    return render(
        "users.html",
        failure,
        accounts=services.users.all(),
        sources=_sources(),
        link=link,
        link_of=link_of,
        hours=_HOURS,
        typed=request.form,
    )


def _user_page(name: str, failure: AuskunftError | None = None, link: str = "") -> Response:
    found, hours = current_services().users.get(name), _HOURS
    return render("user.html", failure, found=found, sources=_sources(), link=link, link_of=name, hours=hours)


def _sources() -> list[str]:
    return [state.name for state in source_states(current_services())]


def _user(name: str) -> User:
    """The user that the form describes. Raises ``InputError``."""
    role, sources = request.form.get("role"), frozenset(request.form.getlist("sources"))
    if role not in ("editor", "admin") or sources - set(_sources()):
        raise InputError("choose a role, and sources that exist")
    return User(name=name, role="admin" if role == "admin" else "editor", sources=sources or None)


def _rights(user: User) -> dict[str, Any]:
    """The user's role and sources, for the log."""
    visible = user.visible_sources
    return {"role": user.role, "sources": None if visible is None else sorted(visible)}


def _refuse_self(name: str) -> None:
    """Keep admins from locking themselves out."""
    if name == current_user().name:
        raise InputError("you cannot change or remove yourself: ask another admin")


def _link(key: str) -> str:
    return public_address() + url_for("login.welcome", key=key)
