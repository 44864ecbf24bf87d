"""Checks Content-Type and length of a body before APIFlask reads it."""

from apiflask import abort
from flask import request

from app.errors import InputError


def require_json(hint: str = "") -> None:
    """Refuse other media types than JSON, which a form on another site can send without CORS.

    ``hint``: what to send, after the semicolon of the message.
    """
    if not request.is_json:
        abort(415, f"Send the body as application/json{_after(hint)}.")


def require_object(hint: str = "") -> None:
    """Refuse what :func:`require_json` does, and ``null``, which APIFlask takes for ``{}``. Raises
    ``InputError``."""
    require_json(hint)
    if request.get_json() is None:
        raise InputError(f"the body is null: send an object{_after(hint)}")


def _after(hint: str) -> str:
    return f"; {hint}" if hint else ""
