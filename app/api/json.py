"""JSON as the API reads it."""

from typing import Any

from flask.json.provider import DefaultJSONProvider


class StrictJson(DefaultJSONProvider):
    """Takes what nests too deeply for a document that is no JSON, which clients get a 400 for."""

    sort_keys = False

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        """Raises ``ValueError`` for anything that cannot be read."""
        try:
            return super().loads(s, **kwargs)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
