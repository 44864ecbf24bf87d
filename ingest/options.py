"""Options of plugins: keywords from the settings; those from environment variables are text."""

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import Final, ParamSpec

from pydantic import ConfigDict, ValidationError, validate_call

from ingest.errors import without_pydantic_prefix

P = ParamSpec("P")

_SECRET: Final = re.compile(
    r"^api|(key|pass|pwd|password|passphrase|secrets?|token|credentials?|auth|bearer|cookie|headers?)$", re.I
)
_UNKNOWN: Final = "unexpected_keyword_argument"
_NO_OPTIONS: Final = {"self", "name", "fetcher"}
"""Parameters of plugins that are not options."""

_CONVERT: Final = ConfigDict(coerce_numbers_to_str=True, arbitrary_types_allowed=True)


def is_secret(name: str) -> bool:
    """Return True if an option's value must not be shown: ``api_key``, ``password``, ``auth_token``, even
    misspelt as ``APIKEY``."""
    return bool(_SECRET.search(name))


def validate_options(init: Callable[P, None]) -> Callable[P, None]:
    """Decorate ``__init__`` to validate its keywords by their annotations, and to convert text.

    Raises ``ValueError`` in one line that names the first option that is unknown, missing or wrong.
    """
    validated = validate_call(config=_CONVERT)(init)

    @wraps(init)
    def initialise(*args: P.args, **options: P.kwargs) -> None:
        try:
            validated(*args, **options)
        except ValidationError as error:
            # Not the error's own text: it repeats values, even secret ones.
            raise ValueError(_explain(error, options_of(init))) from None

    return initialise


def options_of(plugin: Callable[..., object]) -> list[str]:
    """Return the names of the options that a plugin's class, or its ``__init__``, takes."""
    return [name for name in signature(plugin).parameters if name not in _NO_OPTIONS]


def remedy(key: str, known: Iterable[str]) -> str:
    """Suggest the known key most similar to ``key``; list all of them if none is similar."""
    names = list(known)
    if not names:
        return "there are none"
    near = get_close_matches(key, names, n=1)
    return f"did you mean {near[0]!r}?" if near else f"use one of {', '.join(names)}"


def _explain(error: ValidationError, known: Iterable[str]) -> str:
    errors = error.errors(include_url=False)
    first = next((e for e in errors if e["type"] == _UNKNOWN), errors[0])
    name, found = str(first["loc"][0]), first["input"]
    if first["type"] == _UNKNOWN:
        return f"unknown option {name!r}: {remedy(name, known)}"
    if first["type"].startswith("missing"):
        return f"option {name!r} is missing"
    is_plain = isinstance(found, str | int | float) and not is_secret(name) and "//" not in str(found)
    shown = f" (got {found!r})" if is_plain else ""
    return f"option {name!r}: {without_pydantic_prefix(first['msg']).lower()}{shown}"


def table_name(name: str) -> str:
    """Return a plugin's or model's name in its canonical spelling."""
    return name.replace("_", "-").lower()
