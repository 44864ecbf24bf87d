"""The map holds: who may import whom, and what stays in one place. Read from the source, never imported."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("ingest", "app", "workers")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 80
PLUGIN_FOLDERS = ("sources", "converters", "chunkers", "embedders")


def name(path: Path) -> str:
    """The module's path relative to the project."""
    return path.relative_to(ROOT).as_posix()


def imports(path: Path) -> set[str]:
    """Every module that the file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def importers(*packages: str) -> set[str]:
    """The modules that import any of these packages."""
    return {name(path) for path in MODULES if any(i.split(".")[0] in packages for i in imports(path))}


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function in the file."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_imports_run_from_workers_to_app_to_ingest_and_never_back() -> None:
    assert {m for m in importers("app", "workers") if m.startswith("ingest/")} == set()
    assert {m for m in importers("workers") if m.startswith("app/")} == set()


def test_flask_is_known_only_to_the_web() -> None:
    web = ("app/__init__.py", "app/api/", "app/web/")
    assert {m for m in importers("flask", "apiflask", "werkzeug") if not m.startswith(web)} == set()


def test_elasticsearch_is_known_only_to_its_index() -> None:
    allowed = "app/search/elastic"
    assert {m for m in importers("elasticsearch", "elastic_transport") if not m.startswith(allowed)} == set()


def test_celery_is_known_only_to_the_queue_and_the_workers() -> None:
    allowed = ("app/queue/tasks.py", "workers/")
    assert {m for m in importers("celery", "kombu") if not m.startswith(allowed)} == set()


def test_the_redis_driver_is_known_only_to_the_broker() -> None:
    assert importers("redis") == {"app/queue/broker.py"}


def test_the_language_model_client_is_known_only_to_the_model_and_its_failures() -> None:
    assert importers("openai") <= {"app/chat/model/client.py", "app/chat/model/failures.py"}


def test_pages_are_fetched_by_one_guarded_client_alone() -> None:
    clients = importers("httpx", "httpcore", "requests", "urllib3", "aiohttp")
    clients |= {name(path) for path in MODULES if imports(path) & {"http.client", "urllib.request"}}
    others = {
        "ingest/embedders/client.py",  # asks the one address that the settings name
        "app/sources/sender.py",  # asks the one server that the command line names
    }
    assert {module for module in clients if not module.startswith("ingest/fetching/")} == others


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_only_the_settings_read_the_environment(path: Path) -> None:
    readers = {
        node.attr
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv")
    }
    engine_options = "ingest/embedders/e5.py"  # its engine reads them from there alone
    assert not readers or name(path) in ("app/settings/settings.py", engine_options)


@pytest.mark.parametrize("folder", PLUGIN_FOLDERS)
def test_a_plugin_imports_no_other_plugin_and_not_the_pipeline(folder: str) -> None:
    other_kinds = [f"ingest.{kind}" for kind in PLUGIN_FOLDERS if kind != folder]
    for path in (ROOT / "ingest" / folder).rglob("*.py"):
        forbidden = {i for i in imports(path) if i.startswith((*other_kinds, "ingest.pipeline"))}
        assert forbidden == set(), name(path)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_no_module_and_no_function_is_too_long(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= MAX_MODULE_LINES
    too_long = [f.name for f in functions(path) if (f.end_lineno or 0) - f.lineno + 1 > MAX_FUNCTION_LINES]
    assert too_long == []


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_only_the_outermost_boundary_catches_every_exception(path: Path) -> None:
    swallowing = [
        node.lineno
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or getattr(node.type, "id", "") in ("Exception", "BaseException"))
        and not any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
    ]
    assert swallowing == []
