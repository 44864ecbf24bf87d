"""Options of plugins: keywords from the settings, where an environment variable is text."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec

from pydantic import ConfigDict, ValidationError, validate_call

P = ParamSpec("P")

_SECRET: Final = re.compile(
    r"^api|(key|pass|pwd|password|passphrase|secrets?|token|credentials?|auth|bearer|cookie|headers?)$", re.I
)
_UNKNOWN: Final = "unexpected_keyword_argument"
_CONVERT: Final = ConfigDict(coerce_numbers_to_str=True, arbitrary_types_allowed=True)


def is_secret(name: str) -> bool:
    """True if an option's value must not be shown: ``api_key``, ``password``, ``auth_token``; misspelt ones,
    ``APIKEY``, too."""
    return bool(_SECRET.search(name))


def validate_options(init: Callable[P, None]) -> Callable[P, None]:
    """Decorate ``__init__`` to convert and validate its keywords, text too, by their annotations.

    Raises ``ValueError`` in one line that names the first option that is unknown, missing or wrong.
    """
    validated = validate_call(config=_CONVERT)(init)

    @wraps(init)
    def initialise(*args: P.args, **options: P.kwargs) -> None:
        try:
            validated(*args, **options)
        except ValidationError as error:
            raise ValueError(_explain(error)) from None  # its own text repeats values, secret ones too

    return initialise


def _explain(error: ValidationError) -> str:
    errors = error.errors(include_url=False)
    first = next((e for e in errors if e["type"] == _UNKNOWN), errors[0])
    name, found = str(first["loc"][0]), first["input"]
    if first["type"] == _UNKNOWN:
        return f"unknown option {name!r}"
    if first["type"].startswith("missing"):
        return f"option {name!r} is missing"
    is_plain = isinstance(found, str | int | float) and not is_secret(name) and "//" not in str(found)
    shown = f" (got {found!r})" if is_plain else ""
    return f"option {name!r}: {first['msg'].removeprefix('Value error, ').lower()}{shown}"


def table_name(name: str) -> str:
    """The one spelling of a plugin's or model's name."""
    return name.replace("_", "-").lower()
