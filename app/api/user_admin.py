"""``/api/admin/users``: the people who use the console, for admins."""

from typing import Final

from flask import request, url_for

from app.accounts.desk import UserDesk, refuse_self
from app.accounts.types import User
from app.api.access import require_admin, require_user
from app.api.admin_blueprint import AdminBlueprint
from app.api.admin_documents import UserDocument, UserLinkDocument, UsersDocument
from app.api.hosts import public_address
from app.api.json_body import require_json, require_object
from app.api.schemas import NewUserRequest, UserRequest
from app.api.state import current_services

_LOGIN: Final = "login.welcome"


def _check_body() -> None:
    """Refuse media types other than JSON, and ``null`` if an object is required."""
    if request.endpoint == f"{blueprint.name}.{renew_link.__name__}":
        require_json("{} does")
    else:
        require_object()


blueprint = AdminBlueprint(
    "user_admin", __name__, "/users", check=require_admin, check_body=_check_body, errors=(400,)
)


@blueprint.get("")
@blueprint.output(UsersDocument, description="By name")
@blueprint.operation("The users of the console")
def users() -> UsersDocument:
    """All of them, as ``{"users": [...]}``. ``sources``: those of an editor, null for all."""
    return UsersDocument(users=list(map(UserDocument.of, _desk().all())))


@blueprint.post("")
@blueprint.input(NewUserRequest, location="json")
@blueprint.output(UserLinkDocument, status_code=201, description="Added, with the one-time link")
@blueprint.operation("Add a user", 409, 413, 415, 422)
def add(json_data: NewUserRequest) -> tuple[UserLinkDocument, dict[str, str]]:
    """The ``link``: give it to the user, who chooses a password by it; it works once, until ``until``."""
    key = _desk().add(_user(json_data.name, json_data), require_user().name)
    location = url_for("user_admin.user", name=json_data.name)
    return _link(json_data.name, key), {"Location": location}


@blueprint.get("/<name>")
@blueprint.output(UserDocument, description="As they are now")
@blueprint.operation("One user", 404)
def user(name: str) -> UserDocument:
    """Role, sources, and ``has_password``: true if they have chosen a password."""
    return UserDocument.of(_desk().get(name))


@blueprint.put("/<name>")
@blueprint.input(UserRequest, location="json")
@blueprint.output(UserDocument, description="It holds from their next request on")
@blueprint.operation("Give a user a role and sources", 404, 413, 415, 422)
def change(name: str, json_data: UserRequest) -> UserDocument:
    """Users cannot change themselves."""
    refuse_self(name, require_user())
    _desk().change(_user(name, json_data), require_user().name)
    return UserDocument.of(_desk().get(name))


@blueprint.post("/<name>/link")
@blueprint.output(UserLinkDocument, description="For a forgotten password")
@blueprint.operation("Give a user a new one-time link", 404, 415)
def renew_link(name: str) -> UserLinkDocument:
    """Earlier links stop working; the old password works until a new one is chosen."""
    return _link(name, _desk().renew_key(name, require_user().name))


@blueprint.delete("/<name>")
@blueprint.operation("Remove a user", 404, responses={204: {"description": "Removed and logged out"}})
def remove(name: str) -> tuple[str, int]:
    """Users cannot remove themselves."""
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
