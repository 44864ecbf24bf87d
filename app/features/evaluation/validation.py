"""The first fault of a value that was read, in words."""

from pydantic import ValidationError

from ingest.errors import complaint


def first_error(error: ValidationError) -> str:
    """The first thing that is wrong with a value, and where."""
    first = error.errors()[0]
    where = ".".join(str(step) for step in first["loc"])
    return f"{where}: {complaint(first['msg']).lower()}"
