"""Commands start and end fast: each imports only what it needs, and its objects are not looked at again."""

import subprocess
import sys
from typing import Final

import pytest

from tests.fakes.command import Command

CODE: Final = """
import sys
from app.cli import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""

ENDING: Final = """
import atexit
import gc
from app.cli import main
atexit.register(lambda: print(gc.get_freeze_count() > 0))
main()
"""

SERVERS: Final = {
    "alembic",
    "apiflask",
    "celery",
    "elasticsearch",
    "flask",
    "httpx",
    "jinja2",
    "kombu",
    "onnxruntime",
    "openai",
    "prometheus_client",
    "redis",
    "waitress",
    "werkzeug",
}
"""What a command needs that serves, fetches, asks a model, or works with a server."""

PARSERS: Final = {"bs4", "markdownify"}
FOUNDATIONS: Final = {"lxml", "numpy", "pydantic", "rich", "sqlalchemy", "structlog"}


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--help"], SERVERS | PARSERS | FOUNDATIONS),
        (["--version"], SERVERS | PARSERS | FOUNDATIONS),
        (["status"], SERVERS),
        (["search", "When does the swimming pool open?"], SERVERS | PARSERS),
        (["ask", "When does the swimming pool open?"], SERVERS | PARSERS),
    ],
    ids=lambda given: given[0] if isinstance(given, list) else "",
)
def test_a_command_does_not_import_libraries_that_it_has_no_use_for(
    indexed: Command, arguments: list[str], heavy: set[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE, *arguments],
        cwd=indexed.folder,
        env=indexed.environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    *warnings, imported = done.stderr.splitlines()
    assert warnings == []
    assert heavy & set(imported.split()) == set()


def test_a_command_ends_without_a_last_collection_of_all_objects() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDING, "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "True"
