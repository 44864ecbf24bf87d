"""The feature that docs/features.md shows is another package, found by its entry point, and works."""

import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner
from structlog.testing import capture_logs

from app.cli import cli, commands
from app.console import texts
from app.errors import PluginError
from app.feature import installed, merged_json
from app.indexing.stopping import never
from app.monitoring.readiness import checks
from app.pages.database import utc_now
from app.services import Services
from ingest.types import Save
from tests.app.console.conftest import Console
from tests.app.web.browser import soup
from tests.fakes.world import raw_page

ROOT: Final = Path(__file__).parents[3]
FILE: Final = re.compile(r"`([\w/.]+\.\w+)`[^`]*?:\n\n```\w+\n(.*?)```", re.DOTALL)
LINES: Final = 80


def shown() -> dict[str, str]:
    """The files of the example, by their paths; both texts follow one sentence."""
    page = (ROOT / "docs/features.md").read_text("utf-8").partition("## An example")[2]
    found = dict(FILE.findall(page))
    english, german = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    return found | {"old_pages/texts/en.json": english, "old_pages/texts/de.json": german}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The example, installed."""
    for name, text in shown().items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (tmp_path / "old_pages/__init__.py").touch()
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text("utf-8"))["project"]
    metadata = tmp_path / "auskunft_old_pages-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 1.0\n")
    [(group, entries)] = project["entry-points"].items()
    lines = [f"[{group}]", *(f"{name} = {target}" for name, target in entries.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path)
    for language, known in texts.TEXTS.items():
        monkeypatch.setitem(
            texts.TEXTS, language, {**known, **merged_json("app.console", f"texts/{language}.json")}
        )
    commands.cache_clear()
    yield
    commands.cache_clear()
    for module in [name for name in sys.modules if name.partition(".")[0] == "old_pages"]:
        del sys.modules[module]


@pytest.fixture
def with_example(package: None, services: Services) -> Iterator[Services]:
    """An installation with the example and a page that nobody changed for two years."""
    fees = raw_page("fees", {"title": "Fees of 2024", "content": "A pass was 3 euros."})
    services.store.accept([Save(page=replace(fees, updated=utc_now() - timedelta(days=730)))])
    services.indexing.indexer.sync_pages()
    with Services(services.settings, installed()) as with_example:
        yield with_example


def test_the_example_is_short() -> None:
    lines = sum(len(text.splitlines()) for text in shown().values())
    assert lines < LINES
    assert f"in {lines} lines" in (ROOT / "docs/features.md").read_text("utf-8")


def test_its_page_is_in_the_menu_and_shows_editors_their_sources(with_example: Services) -> None:
    admin = Console(with_example).log_in()
    links = soup(admin.get("/?lang=de")).select('nav a[href="/admin/old-pages"]')
    assert [link.get_text() for link in links] == ["Alte Seiten"]
    assert "Fees of 2024" in admin.get("/old-pages").text
    assert "Fees of 2024" not in Console(with_example).log_in("eve", "law").get("/old-pages").text
    assert Console(with_example).get("/old-pages").status_code == 303


def test_its_command_is_listed_and_runs(with_example: Services) -> None:
    environment = {"AUSKUNFT_DATA": str(with_example.settings.data)}
    listed = CliRunner().invoke(cli, ["--help"]).output.partition("\nOther:\n")[2]
    assert "List pages that nobody changed for a year." in listed
    done = CliRunner().invoke(cli, ["old-pages"], env=environment)
    assert done.output.split() == [f"{utc_now() - timedelta(days=730):%Y-%m-%d}", "https://town.example/fees"]


def test_its_nightly_step_and_its_line_of_the_status_work(with_example: Services) -> None:
    with capture_logs() as logged:
        with_example.background.reconcile(lambda: never)
    assert {"event": "old_pages", "pages": 1, "log_level": "info"} in logged
    [line] = [check for check in checks(with_example) if check.name == "old pages"]
    assert line.detail == "1 not changed for a year"


@pytest.mark.usefixtures("package")
def test_one_that_cannot_be_loaded_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old_pages/feature.py").write_text("feature = 7")
    sys.modules.pop("old_pages.feature", None)
    monkeypatch.syspath_prepend(tmp_path / "elsewhere")  # what is installed is looked up once for a path
    with pytest.raises(PluginError, match=r"'old_pages' cannot be loaded: .* is not a Feature: correct it"):
        installed()


def test_without_it_nothing_names_it(services: Services) -> None:
    assert Console(services).log_in().get("/old-pages").status_code == 404
    assert CliRunner().invoke(cli, ["old-pages"]).exit_code == 2


def test_the_core_works_without_any_feature(services: Services) -> None:
    with Services(services.settings, features=()) as core:
        admin = Console(core).log_in()
        assert admin.get("/").status_code == 200
        assert admin.get("/contradictions").status_code == 404
        asked = {"question": "How much is the dog tax?"}
        assert "dog" in admin.client.post("/api/chat?site=town", json=asked).text
        core.background.reconcile(lambda: never)
        core.background.delete_expired()
        assert [check for check in checks(core) if check.required and not check.ok] == []
        assert not core.background.features.run("grouping", never)
