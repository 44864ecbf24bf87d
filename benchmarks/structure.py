"""Measures size and shape of the code: ``python -m benchmarks.structure``.

Parses the source of ``app`` (rooms, imports, circles, names, docstrings), and asks questions on the sample
site with the offline embedder (modules, functions and transactions on a question's road).
"""

import ast
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from types import FrameType
from typing import Any, Final

import click
from pydantic import BaseModel
from sqlalchemy import Engine, event

from app.chat.service import VisitorQuestion
from app.cli import commands
from app.demo import site
from app.monitoring.logging import configure_quiet_logging
from app.presets import Preset
from app.services import Services
from app.settings.settings import Settings, load_settings
from benchmarks.figures import show
from benchmarks.pages import SOURCE, index

ROOT: Final = Path(__file__).parent.parent
LONG: Final = 370
"""Modules with more lines count as long."""

QUESTION_WORDS: Final = ("What", "Which", "Whether", "How", "Who", "Is", "Are", "Where", "Why")
"""Words that no docstring should begin with."""

QUESTION: Final = "Was kostet ein Reisepass?"
FOLLOW_UP: Final = "und für Kinder?"


@dataclass(frozen=True)
class Module:
    """A module of ``app``, with its dotted ``name``."""

    name: str
    text: str

    @property
    def room(self) -> str:
        """The part of ``app`` that the module belongs to; for a feature ``features.NAME``."""
        parts = self.name.split(".")
        return ".".join(parts[1:3]) if parts[1:2] == ["features"] else parts[1] if parts[1:] else ""

    @property
    def lines(self) -> int:
        """The number of lines, including blank lines and comments."""
        return self.text.count("\n")

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed source."""
        return ast.parse(self.text)

    @property
    def opening(self) -> str:
        """The first word of its docstring."""
        words = (ast.get_docstring(self.tree) or "").split(maxsplit=1)
        return words[0] if words else ""

    def imported(self, known: Container[str]) -> Iterator[str]:
        """Yield the modules that it imports at run time. ``known``: the names of all modules."""
        checked = {
            inner
            for node in ast.walk(self.tree)
            if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
            for inner in ast.walk(node)
        }
        for node in ast.walk(self.tree):
            if node in checked:
                continue
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    yield inner if inner in known else node.module


def modules() -> dict[str, Module]:
    """Return every module of ``app`` by its dotted name."""
    found = {}
    for path in sorted((ROOT / "app").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = Module(name, path.read_text("utf-8"))
    return found


def arrows(code: Mapping[str, Module]) -> set[tuple[str, str]]:
    """Return the pairs of rooms whose first imports the second."""
    return {
        (module.room, code[name].room)
        for module in code.values()
        for name in module.imported(code)
        if module.room and name in code and code[name].room not in ("", module.room)
    }


def floors(pairs: set[tuple[str, str]]) -> int:
    """Return the number of rooms on the longest path of imports.

    Raises ``graphlib.CycleError`` if rooms import each other in a circle.
    """
    below: dict[str, set[str]] = {}
    for upper, lower in pairs:
        below.setdefault(upper, set()).add(lower)
    height: dict[str, int] = {}
    for room in TopologicalSorter(below).static_order():
        height[room] = 1 + max((height[lower] for lower in below.get(room, ())), default=0)
    return max(height.values(), default=0)


def circle(code: Mapping[str, Module]) -> list[str]:
    """Return a cycle of modules, each importing the next, the last equal to the first; empty if none."""
    imports = {
        name: {other for other in module.imported(code) if other in code and other != name}
        for name, module in code.items()
    }
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def options(model: type[BaseModel]) -> int:
    """Return the number of values that can be set in ``model`` and its nested models."""
    count = 0
    for value in model.model_fields.values():
        inner = value.annotation
        nested = isinstance(inner, type) and issubclass(inner, BaseModel)
        count += options(inner) if nested else 1  # type: ignore[arg-type]
    return count


@dataclass
class Road:
    """The code and database statements that one question uses."""

    modules: set[str] = field(default_factory=set)
    functions: set[tuple[str, str, int]] = field(default_factory=set)
    transactions: int = 0
    statements: int = 0

    def trace(self, frame: FrameType, what: str, _argument: object) -> None:
        """Note a call of the product's own code (a profile function of :func:`sys.setprofile`)."""
        if what != "call":
            return
        name = frame.f_globals.get("__name__", "")
        if name.split(".")[0] in ("app", "ingest"):
            self.modules.add(name)
            self.functions.add((name, frame.f_code.co_qualname, frame.f_code.co_firstlineno))

    def began(self, *_details: Any) -> None:
        """Count a transaction."""
        self.transactions += 1

    def executed(self, *_details: Any) -> None:
        """Count a statement."""
        self.statements += 1


@contextmanager
def travelled(engine: Engine) -> Iterator[Road]:
    """Record the road of the block: on this thread, on threads it starts, and on this database."""
    road = Road()
    event.listen(engine, "begin", road.began)
    event.listen(engine, "before_cursor_execute", road.executed)
    threading.setprofile(road.trace)  # for threads that begin within the block
    sys.setprofile(road.trace)
    try:
        yield road
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        event.remove(engine, "begin", road.began)
        event.remove(engine, "before_cursor_execute", road.executed)


@click.command(help="Print size and shape of the code, and the code on a question's road.")
def main() -> None:
    configure_quiet_logging()
    code = modules()
    pairs = arrows(code)
    rooms = {module.room for module in code.values()} - {""}
    show("rooms / floors / arrows", f"{len(rooms)} / {floors(pairs)} / {len(pairs)}")
    own = {pair for pair in pairs if not any(room.startswith("features") for room in pair)}
    core_rooms = [room for room in rooms if not room.startswith("features")]
    show("rooms / arrows of the core", f"{len(core_rooms)} / {len(own)}")
    show("circle of modules", " - ".join(circle(code)) or "none")
    show("arrows from the core to a feature", str(len([p for p in pairs if is_into_feature(p)])))
    lines = Counter({module.room: 0 for module in code.values()})
    for module in code.values():
        lines[module.room] += module.lines
    core = sum(count for room, count in lines.items() if not room.startswith("features."))
    show("lines of app / of its core", f"{lines.total():,} / {core:,}")
    show(f"modules of more than {LONG} lines", str(sum(m.lines > LONG for m in code.values())))
    show("docstrings that begin with a riddle", str(sum(m.opening in QUESTION_WORDS for m in code.values())))
    names = Counter(name.rsplit(".", 1)[-1] for name in code)
    show("names that several modules have", str(sum(count > 1 for count in names.values())))
    show("commands / settings / preset keys", f"{len(commands())} / {options(Settings)} / {options(Preset)}")
    labels = "a question that searches nothing", "a follow-up", "a question with pages"
    for label, road in zip(labels, roads(), strict=True):
        law = len([name for name in road.modules if name.startswith("app.law")])
        show(
            f"{label}: modules / functions / transactions / statements / law modules",
            f"{len(road.modules)} / {len(road.functions)} / {road.transactions} / {road.statements} / {law}",
        )


def is_into_feature(pair: tuple[str, str]) -> bool:
    """Return True for an arrow from the core to a feature, which should not exist."""
    upper, lower = pair
    return lower.startswith("features.") and not upper.startswith("features.")


def roads() -> Iterator[Road]:
    """Yield the roads of :data:`QUESTION` and :data:`FOLLOW_UP` without sources, and of :data:`QUESTION` on
    all pages, after other questions have loaded the code."""
    with tempfile.TemporaryDirectory() as data, Services(load_settings(data=Path(data))) as services:
        index(services, site())
        chat = services.chat
        asked = chat.sites.all()[0]

        def answer(question: str, conversation: str | None = None, *sources: str) -> str:
            exchange = chat.service.begin(
                asked,
                VisitorQuestion(question=question, conversation=conversation, sources=frozenset(sources)),
            )
            for _event in exchange.events():
                pass
            exchange.close()
            return exchange.pending.conversation

        answer("Wann ist das Hallenbad offen?")
        with travelled(services.engine) as road:
            conversation = answer(QUESTION)
        yield road
        with travelled(services.engine) as road:
            answer(FOLLOW_UP, conversation)
        yield road
        answer("Wann ist das Hallenbad offen?", None, SOURCE)
        with travelled(services.engine) as road:
            answer(QUESTION, None, SOURCE)
        yield road


if __name__ == "__main__":
    main()
