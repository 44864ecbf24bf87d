"""``/api/admin/users``: the people who use the console, for admins."""

from typing import Final

from apiflask import APIBlueprint
from flask import request, url_for

from app.accounts.desk import UserDesk, refuse_self
from app.accounts.types import User
from app.api.access import require_admin, require_user
from app.api.admin_documents import UserDocument, UserLinkDocument, UsersDocument
from app.api.headers import NO_STORE
from app.api.hosts import public_address
from app.api.json_body import require_json, require_object
from app.api.problem import problem_responses
from app.api.schemas import NewUserRequest, UserRequest
from app.api.state import current_services

_ERRORS: Final = (400, 401, 403, 503)
_BODY_ERRORS: Final = (413, 415, 422, *_ERRORS)
_LOGIN: Final = "login.welcome"

blueprint = APIBlueprint("user_admin", __name__, url_prefix="/api/admin/users", tag="Administration")
blueprint.before_request(require_admin)


@blueprint.before_request
def _require_json() -> None:
    """Refuse other media types than JSON, which a form on another site can send, and ``null``."""
    if request.method == "POST" and request.endpoint == f"{blueprint.name}.{renew_link.__name__}":
        require_json("{} does")
    elif request.method in ("POST", "PUT"):
        require_object()


@blueprint.get("")
@blueprint.output(UsersDocument, description="By name")
@blueprint.doc(
    summary="The users of the console", security="AdminToken", responses=problem_responses(*_ERRORS)
)
def users() -> tuple[UsersDocument, dict[str, str]]:
    """All of them, as ``{"users": [...]}``. ``sources``: those of an editor, null for all."""
    return UsersDocument(users=list(map(UserDocument.of, _desk().all()))), NO_STORE


@blueprint.post("")
@blueprint.input(NewUserRequest, location="json")
@blueprint.output(UserLinkDocument, status_code=201, description="Added, with the one-time link")
@blueprint.doc(summary="Add a user", security="AdminToken", responses=problem_responses(409, *_BODY_ERRORS))
def add(json_data: NewUserRequest) -> tuple[UserLinkDocument, dict[str, str]]:
    """The ``link``: give it to the user, who chooses a password by it; it works once, until ``until``."""
    key = _desk().add(_user(json_data.name, json_data), require_user().name)
    location = url_for("user_admin.user", name=json_data.name)
    return _link(json_data.name, key), {"Location": location, **NO_STORE}


@blueprint.get("/<name>")
@blueprint.output(UserDocument, description="As they are now")
@blueprint.doc(summary="One user", security="AdminToken", responses=problem_responses(404, *_ERRORS))
def user(name: str) -> tuple[UserDocument, dict[str, str]]:
    """Role, sources, and whether they chose a password yet."""
    return UserDocument.of(_desk().get(name)), NO_STORE


@blueprint.put("/<name>")
@blueprint.input(UserRequest, location="json")
@blueprint.output(UserDocument, description="It holds from their next request on")
@blueprint.doc(
    summary="Give a user a role and sources",
    security="AdminToken",
    responses=problem_responses(404, *_BODY_ERRORS),
)
def change(name: str, json_data: UserRequest) -> tuple[UserDocument, dict[str, str]]:
    """Nobody changes themselves."""
    refuse_self(name, require_user())
    _desk().change(_user(name, json_data), require_user().name)
    return UserDocument.of(_desk().get(name)), NO_STORE


@blueprint.post("/<name>/link")
@blueprint.output(UserLinkDocument, description="For a forgotten password")
@blueprint.doc(
    summary="Give a user a new one-time link",
    security="AdminToken",
    responses=problem_responses(404, 415, *_ERRORS),
)
def renew_link(name: str) -> tuple[UserLinkDocument, dict[str, str]]:
    """An earlier link does not work any more; the password does until the new one is chosen."""
    return _link(name, _desk().renew_key(name, require_user().name)), NO_STORE


@blueprint.delete("/<name>")
@blueprint.doc(
    summary="Remove a user",
    security="AdminToken",
    responses={204: {"description": "Removed and logged out"}, **problem_responses(404, *_ERRORS)},
)
def remove(name: str) -> tuple[str, int]:
    """Nobody removes themselves."""
    refuse_self(name, require_user())
    _desk().remove(name, require_user().name)
    return "", 204


def _user(name: str, asked: UserRequest) -> User:
    return User(
        name=name, role=asked.role, sources=None if asked.sources is None else frozenset(asked.sources)
    )


def _link(name: str, key: str) -> UserLinkDocument:
    account = _desk().get(name)
    link = public_address() + url_for(_LOGIN, key=key)
    return UserLinkDocument(user=UserDocument.of(account), link=link, until=account.key_until)


def _desk() -> UserDesk:
    return current_services().user_desk
