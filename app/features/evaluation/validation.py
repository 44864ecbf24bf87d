"""The first fault of an invalid value, in words."""

from pydantic import ValidationError

from ingest.errors import without_pydantic_prefix


def first_error(error: ValidationError) -> str:
    """Return the first thing that is wrong with a value, and where."""
    first = error.errors()[0]
    where = ".".join(str(step) for step in first["loc"])
    return f"{where}: {without_pydantic_prefix(first['msg']).lower()}"
