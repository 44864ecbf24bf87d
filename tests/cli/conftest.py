"""A small site, indexed once; tests that change something get a copy."""

import shutil
from pathlib import Path
from typing import Final

import pytest

from tests.fakes.command import Command

PAGES: Final = {
    "waste.md": """\
---
url: https://town.example/waste
---
# Müllabfuhr

Die Müllabfuhr kommt am Dienstag. Der Sperrmüll wird im Mai abgeholt.
""",
    "pool.html": """\
<html lang="en">
<head>
<title>Swimming pool :smile: [/] [red]</title>
<link rel="canonical" href="https://town.example/pool">
</head>
<body><h1>Swimming pool</h1><p>The swimming pool opens on Saturday at nine o'clock.</p></body>
</html>
""",
    "library.md": """\
---
url: https://town.example/library
---
The library lends books for four weeks. Membership of the library is free.
""",
}


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """The site, indexed as source ``town``; to be read only."""
    command = Command(tmp_path_factory.mktemp("town"))
    site = command.folder / "site"
    site.mkdir()
    for name, text in PAGES.items():
        (site / name).write_text(text, "utf-8")
    result = command.run("index", "site", "--source", "town")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("3 indexed, 0 unchanged, 0 failed")
    return command


@pytest.fixture
def town(indexed: Command, tmp_path: Path) -> Command:
    """The site, indexed, to change."""
    shutil.copytree(indexed.folder, tmp_path, dirs_exist_ok=True)
    return Command(tmp_path)
