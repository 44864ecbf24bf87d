"""The origin of each setting's value: the console, a variable, the file, or the default."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic_settings import EnvSettingsSource, TomlConfigSettingsSource

from app.settings.display import shown_settings
from app.settings.settings import Settings, config_file

Origin = Literal["console", "variable", "file", "default"]


def flattened(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each setting by its full name, such as ``chat.model``; an empty table as it is."""
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from flattened(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def in_force(settings: Settings, console: Mapping[str, Any]) -> dict[str, tuple[Any, Origin]]:
    """Return each setting's value, with secrets masked, and its origin. ``console``: values from the console
    that replace others, by name."""
    values = dict(flattened(shown_settings(settings.model_dump(mode="json"))))
    origins = origin_of_each([*values])
    found = {name: (value, origins[name]) for name, value in values.items()}
    return found | {name: (value, "console") for name, value in console.items()}


def origin_of_each(names: list[str]) -> dict[str, Origin]:
    """Return the origins of the settings ``names``, by the present variables and file."""
    variables = EnvSettingsSource(Settings)()
    file = TomlConfigSettingsSource(Settings, config_file())()
    return {name: _origin(name.split("."), variables, file) for name in names}


def _origin(path: list[str], variables: Mapping[str, Any], file: Mapping[str, Any]) -> Origin:
    if _has(variables, path):
        return "variable"
    return "file" if _has(file, path) else "default"


def _has(values: Any, path: list[str]) -> bool:
    for step in path:
        if not isinstance(values, Mapping):
            return values is not None  # a variable may set a whole table as JSON
        if step not in values:
            return False
        values = values[step]
    return True
