"""Browsers that a user of the console has logged in with before (:mod:`app.accounts.devices`)."""

from datetime import timedelta
from typing import Final

from flask import request
from werkzeug.wrappers import Response

from app.accounts.types import User
from app.api.access import host_cookie, is_secure
from app.api.state import current_services

COOKIE: Final = "auskunft-device"
KEPT: Final = timedelta(days=180)
"""After the last log-in."""


def known_device(name: str) -> str:
    """Return which of the user's browsers the request comes from; empty for another, or no such user."""
    token = request.cookies.get(host_cookie(COOKIE), "")
    return current_services().users.device(name, token) if token else ""


def remember_device(response: Response, user: User) -> None:
    """Have the browser be known when the user logs in again."""
    token = current_services().users.new_device(user.name)
    response.set_cookie(
        host_cookie(COOKIE), token, max_age=KEPT, secure=is_secure(), httponly=True, samesite="Strict"
    )
