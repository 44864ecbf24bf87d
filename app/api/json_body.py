"""JSON as the API takes it: media type and body are checked before APIFlask reads it."""

import json
from typing import Any

from apiflask import abort
from flask import request
from flask.json.provider import DefaultJSONProvider

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


class StrictJson(DefaultJSONProvider):
    """Flask's provider, but what is no JSON, or nested too deeply, is refused with the reason."""

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
        raise InputError("the body is no JSON: {why}", why=why)
