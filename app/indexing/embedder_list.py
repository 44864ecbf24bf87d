"""What embedders there are and what each one still needs. Builds none: a model may take gigabytes."""

import inspect
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from app.errors import PluginError
from app.settings.settings import Settings
from ingest import registry
from ingest.packages import install_line, missing


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderInfo:
    """One registered embedder. ``lacks``: what to do before it can be used, or nothing. ``dims``: where they
    are known beforehand."""

    name: str
    used: bool
    lacks: str
    dims: int | None
    required: tuple[str, ...]
    optional: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def describe(settings: Settings) -> list[EmbedderInfo]:
    """Every registered embedder, by name."""
    return [_described(name, settings) for name in registry.names("embedders")]


def _described(name: str, settings: Settings) -> EmbedderInfo:
    used = name == settings.embedder
    try:
        factory = registry.factory("embedders", name)
    except PluginError as error:
        return EmbedderInfo(name=name, used=used, lacks=str(error), dims=None, required=(), optional=())
    parameters = _options(factory)
    required = tuple(option for option, parameter in parameters.items() if _is_required(parameter))
    given = settings.embedder_options(name)
    return EmbedderInfo(
        name=name,
        used=used,
        lacks=_lacks(factory, [option for option in required if option not in given]),
        dims=_dims(factory, parameters, given),
        required=required,
        optional=tuple(option for option in parameters if option not in required),
    )


def _options(factory: Any) -> Mapping[str, inspect.Parameter]:
    """The keywords that it takes by name."""
    variadic = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    parameters = inspect.signature(factory).parameters
    return {name: each for name, each in parameters.items() if each.kind not in variadic}


def _is_required(parameter: inspect.Parameter) -> bool:
    return parameter.default is inspect.Parameter.empty


def _lacks(factory: Any, options: list[str]) -> str:
    if missing(getattr(factory, "packages", ())):
        return install_line(factory.extra)
    return f"set {', '.join(options)}" if options else ""


def _dims(factory: Any, parameters: Mapping[str, inspect.Parameter], given: Mapping[str, Any]) -> int | None:
    """An option's value or default, or what the class says."""
    default = parameters["dims"].default if "dims" in parameters else getattr(factory, "dims", None)
    dims = given.get("dims", default)
    return int(dims) if isinstance(dims, int) or str(dims).isdecimal() else None
