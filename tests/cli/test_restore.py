"""Backup and restore, with the commands of docs/operations.md as written."""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import URL

from tests.fakes.command import PROGRAM, Command
from tests.fakes.installation import find
from tests.services.databases import empty_database

GUIDE: Final = Path(__file__).parents[2] / "docs" / "operations.md"
PAGES: Final = 40


def scripts(title: str) -> list[str]:
    """The shell commands below a heading: those that save, those that restore."""
    section = GUIDE.read_text("utf-8").partition(f"### {title}\n")[2].partition("\n##")[0]
    return re.findall(r"^```sh\n(.*?)^```", section, re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Town:
    """A site in a folder, indexed, and how its page store is saved and restored."""

    command: Command
    site: Path
    save: str
    restore: str
    environment: Mapping[str, str]

    def write(self, name: str, text: str) -> None:
        """A page of the site."""
        (self.site / f"{name}.md").write_text(text, "utf-8")

    def index(self) -> str:
        """Bring the site to the index as it is now."""
        result = self.command.run("index", "site", "--source", "town", "--prune")
        assert (result.code, result.err) == (0, "")
        return result.out

    def shell(self, script: str) -> subprocess.CompletedProcess[str]:
        """Run commands as an administrator does."""
        shell = ["bash", "-e", "-o", "pipefail", "-c", script]
        folder, env = self.command.folder, dict(self.environment)
        return subprocess.run(shell, cwd=folder, env=env, capture_output=True, text=True, check=False)

    def found(self, *words: str) -> list[list[str]]:
        """The ids of the pages with each word."""
        url = self.environment.get("AUSKUNFT_DATABASE_URL", "")
        return find(self.command.data, words, database_url=url)


def make_town(folder: Path, title: str, **settings: str) -> Town:
    command = Command(folder, **settings)
    save, restore = scripts(title)
    path = os.pathsep.join([str(PROGRAM.parent), os.environ["PATH"]])
    environment = command.environment() | {"PATH": path}
    site = folder / "site"
    site.mkdir()
    return Town(command=command, site=site, save=save, restore=restore, environment=environment)


@pytest.fixture(params=["SQLite", pytest.param("PostgreSQL", marks=pytest.mark.postgresql)])
def town(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Town]:
    """Forty pages, indexed."""
    if request.param == "SQLite":
        yield filled(make_town(tmp_path, request.param))
        return
    server: str = request.getfixturevalue("postgresql")
    with empty_database(server, request.getfixturevalue("postgresql_template")) as url:
        yield filled(on_server(tmp_path, server, url))


def on_server(folder: Path, server: str, url: URL) -> Town:
    """Its database has a name of its own, and is made by the server's administrator."""
    made = make_town(folder, "PostgreSQL", database_url=url.render_as_string(hide_password=False))
    restore, named = re.subn(r" auskunft$", f" {url.database}", made.restore, flags=re.MULTILINE)
    assert named == 2
    environment = {**made.environment, "ADMINISTRATOR_URL": server}
    return Town(
        command=made.command, site=made.site, save=made.save, restore=restore, environment=environment
    )


def filled(town: Town) -> Town:
    for number in range(PAGES):
        town.write(f"p{number}", f"The page word{number} of the town.")
    assert f"{PAGES} indexed" in town.index()
    return town


def test_what_was_saved_is_back_and_what_happened_since_comes_with_the_next_import(town: Town) -> None:
    saved = town.shell(town.save)
    assert (saved.returncode, saved.stderr) == (0, "")
    town.write("p1", "The page is edited.")
    town.write("new", "The page is brandnew.")
    (town.site / "p2.md").unlink()
    town.index()

    restored = town.shell(town.restore)
    assert restored.returncode == 0, restored
    assert f"{PAGES} pages, 0 failed" in restored.stdout
    assert town.found("word1", "edited", "brandnew", "word2") == [["p1.md"], [], [], ["p2.md"]]
    assert f"{PAGES} pages compared" in town.command.run("reconcile").out

    assert "2 indexed, 38 unchanged" in town.index()
    assert town.found("word1", "edited", "brandnew", "word2") == [[], ["p1.md"], ["new.md"], []]
    assert "no difference" in town.command.run("reconcile").out


def test_many_pages_that_the_backup_does_not_know_are_given_up_only_on_purpose(town: Town) -> None:
    assert town.shell(town.save).returncode == 0
    for number in range(5):
        town.write(f"new{number}", f"The page brandnew{number}.")
    town.index()
    refused = town.shell(town.restore)
    assert refused.returncode == 1
    assert "5 of the 45 pages that are served would be lost" in refused.stderr
    assert town.found("brandnew3") == [[]], "pages that the page store does not know are not shown"
    assert town.shell("auskunft reindex --take-over").returncode == 0
    assert "5 indexed, 40 unchanged" in town.index()
    assert town.found("brandnew3", "word3") == [["new3.md"], ["p3.md"]]


def test_without_a_rebuild_the_nightly_comparison_tells_that_the_page_store_is_older(town: Town) -> None:
    assert town.shell(town.save).returncode == 0
    town.write("p1", "The page is edited.")
    town.index()
    without = town.restore.replace("auskunft reindex\n", "")
    assert town.shell(without).returncode == 0
    refusal = town.command.run("reconcile").complaint(1)
    assert "versions of 1 pages (p1.md) that this page store did not assign" in refusal
    assert "BAD reconciliation" in town.command.run("status").out
    assert town.shell("auskunft reindex").returncode == 0
    assert "reconciliation" not in town.command.run("status").out
