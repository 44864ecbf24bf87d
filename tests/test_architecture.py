"""The map holds: which room may import which, and what stays in one place. Read from the source, never
imported; every file is parsed once."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
BACKGROUND_BOUNDARY = "app/background/steps.py"
MAX_MODULE_LINES: Final = 400
MAX_FUNCTION_LINES: Final = 80
MAX_LOOSE_FILES: Final = 6
PLUGIN_FOLDERS: Final = ("sources", "converters", "chunkers", "embedders")

ROOMS: Final = (
    ("errors", "lazy", "document"),
    ("feature",),
    ("presets", "demo"),
    ("settings",),
    ("pages", "queue", "mail"),
    ("accounts", "sources"),
    ("search",),
    ("law",),
    ("indexing",),
    ("chat",),
    ("background",),
    ("services",),
    ("monitoring",),
    ("api",),
    ("web",),
    ("console",),
    ("application",),
    ("serving",),
    ("cli",),
    ("features",),
)
"""The rooms of ``app``, from the bottom to the top: a room imports only rooms of lower floors."""

ALLOWED: Final = {("explain", "questions")}
"""The features that import another: drafts are asked what visitors asked."""

FLOORS: Final = {room: floor for floor, rooms in enumerate(ROOMS) for room in rooms}


@dataclass(frozen=True, eq=False)
class Module:
    """A file of the source."""

    path: Path

    @property
    def name(self) -> str:
        """The path relative to the project."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def room(self) -> str:
        """The folder of ``app`` that it is in, or its own name where it lies loose."""
        return Path(self.name).parts[1].removesuffix(".py")

    @property
    def feature(self) -> str:
        """The folder of ``app/features`` that it is in; empty for all others."""
        parts = Path(self.name).parts
        return parts[2] if parts[:2] == ("app", "features") else ""

    @property
    def role(self) -> str:
        """Its name, in a feature without the feature's, such as ``app/features/console.py``."""
        return self.name.replace(f"/{self.feature}/", "/") if self.feature else self.name

    @cached_property
    def text(self) -> str:
        """Its source."""
        return self.path.read_text("utf-8")

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Everything in it."""
        return list(ast.walk(ast.parse(self.text)))

    @cached_property
    def imports(self) -> set[str]:
        """Every module that it imports, wherever in it."""
        found = set()
        for node in self.nodes:
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        return found


MODULES: Final = [
    Module(path)
    for package in ("ingest", "app", "workers")
    for path in sorted((ROOT / package).rglob("*.py"))
]
APP: Final = [module for module in MODULES if module.name.startswith("app/")]


def importers(*packages: str) -> set[str]:
    """The modules that import any of these packages, by their :attr:`Module.role`."""
    return {module.role for module in MODULES if {i.split(".")[0] for i in module.imports} & set(packages)}


def room_imports() -> Iterator[tuple[str, str, str]]:
    """Every import from one room of ``app`` in another: the module, its room, the room it imports."""
    for module in APP:
        rooms = {name.split(".")[1] for name in module.imports if name.startswith("app.")}
        for room in rooms & FLOORS.keys() - {module.room}:
            yield module.name, module.room, room


def test_imports_run_from_workers_to_app_to_ingest_and_never_back() -> None:
    assert {name for name in importers("app", "workers") if name.startswith("ingest/")} == set()
    assert {name for name in importers("workers") if name.startswith("app/")} == set()


def test_every_file_of_app_is_in_a_room() -> None:
    assert {module.room for module in APP} - {"__init__"} == FLOORS.keys()
    assert len(list((ROOT / "app").glob("*.py"))) <= MAX_LOOSE_FILES


def test_a_room_imports_only_rooms_below_it() -> None:
    upwards = [
        f"{name} imports app.{room}"
        for name, own, room in room_imports()
        if own != "__init__" and FLOORS[room] >= FLOORS[own]
    ]
    assert upwards == []


def test_a_feature_imports_no_other_and_nothing_imports_it() -> None:
    foreign = {
        f"{module.name} imports {name}"
        for module in MODULES
        for name in module.imports
        if name.startswith("app.features.")
        and (module.feature, name.split(".")[2]) not in ALLOWED
        and name.split(".")[2] != module.feature
    }
    assert foreign == set()


def test_the_services_are_known_only_where_an_installation_is_used() -> None:
    allowed = {"__init__", "application", "api", "cli", "monitoring", "serving", "web", "console"}
    allowed |= {"features"}
    assert {own for _, own, room in room_imports() if room == "services"} <= allowed


def test_packages_of_one_purpose_are_imported_in_one_place() -> None:
    places = {
        ("flask", "apiflask", "werkzeug"): (
            "app/__init__.py",
            "app/application.py",
            "app/api/",
            "app/web/",
            "app/console/",
            "app/features/api.py",
            "app/features/console.py",
            "app/features/web.py",
        ),
        ("elasticsearch", "elastic_transport"): ("app/search/elastic/",),
        ("celery", "kombu"): ("app/queue/tasks.py", "workers/"),
        ("redis",): ("app/queue/broker.py",),
        ("openai",): ("app/chat/model/",),
        ("waitress",): ("app/serving/",),
        ("alembic",): ("app/pages/",),
        ("click", "rich"): ("app/cli/", "app/features/command"),
        ("jinja2",): ("app/chat/model/", "app/features/report/", "app/web/"),
    }
    elsewhere = {
        f"{name} imports {packages[0]}"
        for packages, allowed in places.items()
        for name in importers(*packages)
        if not name.startswith(allowed)
    }
    assert elsewhere == set()


def test_pages_are_fetched_by_one_guarded_client_alone() -> None:
    clients = importers("httpx", "httpcore", "requests", "urllib3", "aiohttp")
    clients |= {m.name for m in MODULES if m.imports & {"http.client", "urllib.request"}}
    others = {
        "ingest/json_client.py",  # asks the addresses that the settings name
        "app/sources/sender.py",  # asks the one server that the command line names
        "app/features/webhook.py",  # posts to the addresses that the settings of sites name
    }
    assert {name for name in clients if not name.startswith("ingest/fetching/")} == others


def test_only_the_settings_read_the_environment() -> None:
    readers = {
        module.name
        for module in MODULES
        for node in module.nodes
        if isinstance(node, ast.Attribute)
        and node.attr in ("environ", "getenv")
        and ast.unparse(node) != "request.environ"  # WSGI's
    }
    of_libraries = "ingest/idle_threads.py"  # they read it from there alone
    assert readers == {"app/settings/settings.py", of_libraries}


def test_a_plugin_imports_no_other_plugin_and_not_the_pipeline() -> None:
    for folder in PLUGIN_FOLDERS:
        foreign = tuple(f"ingest.{kind}" for kind in PLUGIN_FOLDERS if kind != folder)
        for module in MODULES:
            if module.name.startswith(f"ingest/{folder}/"):
                assert not {i for i in module.imports if i.startswith((*foreign, "ingest.pipeline"))}, (
                    module.name
                )


def test_no_module_and_no_function_is_too_long() -> None:
    long = {m.name for m in MODULES if len(m.text.splitlines()) > MAX_MODULE_LINES}
    long |= {
        f"{module.name}:{node.name}"
        for module in MODULES
        for node in module.nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > MAX_FUNCTION_LINES
    }
    assert long == set()


def test_only_the_outermost_boundary_catches_every_exception() -> None:
    swallowing = {
        f"{module.name}:{node.lineno}"
        for module in MODULES
        if module.name != BACKGROUND_BOUNDARY
        for node in module.nodes
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or getattr(node.type, "id", "") in ("Exception", "BaseException"))
        and not any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
    }
    assert swallowing == set()
