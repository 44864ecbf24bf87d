"""Finds the templates of the errors that the code makes, and of what its checks say."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Final

import app.errors
import ingest.json_client
from app.errors import AuskunftError

ROOT: Final = Path(app.errors.__file__).parents[1]
ROOMS: Final = tuple(ROOT / name for name in ("app", "ingest", "workers"))
ERRORS: Final = frozenset(
    name
    for module in (app.errors, ingest.json_client)
    for name, error in vars(module).items()
    if isinstance(error, type) and issubclass(error, AuskunftError)
)
OWN: Final = frozenset({"http_status", "retry_seconds", "wait"})
"""What errors take beside the values of their templates."""


@dataclass(frozen=True)
class MadeError:
    """A place that makes an error. ``kind``: its class; ``template``: an f-string's as it is written."""

    place: str
    kind: str
    template: str
    values: frozenset[str]


def places(template: str) -> set[str]:
    """The names in the braces of a template."""
    return {name for _, name, _, _ in Formatter().parse(template) if name and name.isidentifier()}


def made_errors(*paths: Path) -> Iterator[MadeError]:
    """All errors that modules make with a template of their own, from ``paths``: modules and folders."""
    for path in paths:
        for module in [path] if path.is_file() else sorted(path.rglob("*.py")):
            yield from _of_module(module)


@cache
def _of_module(path: Path) -> list[MadeError]:
    tree = ast.parse(path.read_text("utf-8"))
    constants = {name: value for node in tree.body for name, value in _assigned(node)}
    return [
        MadeError(
            place=f"{path.relative_to(ROOT)}:{call.lineno}",
            kind=kind,
            template=template,
            values=frozenset(each.arg for each in call.keywords if each.arg) - OWN,
        )
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and call.args and (kind := _kind(call.func))
        for template in _templates(call.args[-1], constants)
    ]


def _assigned(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value


def _kind(called: ast.expr) -> str:
    """The class that is called, ours, ``ValueError`` or ``Said``; ``super`` where a class calls its own."""
    match called:
        case ast.Name(id=name) if name in ERRORS or name in ("ValueError", "Said"):
            return name
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"):
            return "super"
    return ""


def _templates(node: ast.expr, constants: dict[str, ast.expr]) -> Iterator[str]:
    """The texts that an expression may be."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr():
            yield ast.unparse(node)
        case ast.IfExp(body=body, orelse=other):
            yield from _templates(body, constants)
            yield from _templates(other, constants)
        case ast.Dict(values=values):
            for value in values:
                yield from _templates(value, constants)
        case ast.Subscript(value=ast.Name(id=name)) | ast.Name(id=name) if name in constants:
            yield from _templates(constants[name], constants)
