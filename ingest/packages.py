"""Packages that only some plugins need, installed by extras of this distribution."""

from collections.abc import Sequence
from importlib.util import find_spec

from ingest.errors import PluginError


def missing(packages: Sequence[str]) -> list[str]:
    """Return the packages that are not installed; imports none of them."""
    return [package for package in packages if find_spec(package) is None]


def install_line(extra: str) -> str:
    """Return the command that installs the packages of an extra."""
    return f"pip install 'auskunft[{extra}]'"


def require(plugin: str, packages: Sequence[str], extra: str) -> None:
    """Raise ``PluginError``, with the command to install them, if any of ``packages`` is missing."""
    if absent := missing(packages):
        noun = "package" if len(absent) == 1 else "packages"
        raise PluginError(f"{plugin} needs the {noun} {', '.join(absent)}: {install_line(extra)}")
