"""Checks JSON bodies and their media type before APIFlask parses them."""

import json
from typing import Any

from apiflask import abort
from flask import request
from flask.json.provider import DefaultJSONProvider

from app.errors import InputError


def require_json(hint: str = "") -> None:
    """Refuse media types other than JSON, because a form on another site can send them without CORS.

    ``hint``: ends the message, and says what to send.
    """
    if not request.is_json:
        abort(415, f"Send the body as application/json{_after(hint)}.")


def require_object(hint: str = "") -> None:
    """Call :func:`require_json`, and refuse ``null``, which APIFlask would treat as ``{}``. Raises
    ``InputError``."""
    require_json(hint)
    if request.get_json() is None:
        raise InputError(f"the body is null: send an object{_after(hint)}")


def _after(hint: str) -> str:
    return f"; {hint}" if hint else ""


class StrictJson(DefaultJSONProvider):
    """Flask's provider, which refuses invalid or too deeply nested JSON with the reason."""

    sort_keys = False

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        """Parse a body. Raises ``InputError``."""
        try:
            return super().loads(s, **kwargs)
        except RecursionError:
            why = "it is nested too deeply"
        except json.JSONDecodeError as error:
            why = str(error)
        except ValueError:
            why = "it is not UTF-8, or has a number that is too long"
        raise InputError("the body is not JSON: {why}", why=why)
