"""JSON as the API reads it."""

from typing import Any

from flask.json.provider import DefaultJSONProvider


class StrictJson(DefaultJSONProvider):
    """Flask's provider, but JSON that is nested too deeply is invalid, so that clients get a 400."""

    sort_keys = False

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        """Parse JSON. Raises ``ValueError``."""
        try:
            return super().loads(s, **kwargs)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
