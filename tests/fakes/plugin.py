"""A plugin as people install one: a distribution with an entry point."""

from pathlib import Path
from typing import Final

HANGING: Final = '''
"""A converter that never ends on the pages it accepts."""

import time


class HangingConverter:
    version = "1"

    def accepts(self, field):
        return "hang forever" in field.text

    def convert(self, field, url):
        while True:
            time.sleep(60)
'''

BREAKING: Final = '''
"""A source whose listing always breaks."""


class BreakingSource:
    def __init__(self, *, name, fetcher):
        self.name = name

    def documents(self):
        return []

    def pages(self, document):
        return None

    def listing(self, updated_after=None):
        return [][0]

    def page(self, listed):
        return None
'''


def hanging_plugin(folder: Path) -> Path:
    """An installed distribution with a converter that hangs; asked before the built-in ones."""
    return _installed(folder, "hanging", HANGING, "converters", "absent = hanging:HangingConverter")


def breaking_plugin(folder: Path) -> Path:
    """An installed distribution with a source of the kind ``breaking``."""
    return _installed(folder, "breaking", BREAKING, "sources", "breaking = breaking:BreakingSource")


def _installed(folder: Path, name: str, code: str, kind: str, entry: str) -> Path:
    information = folder / f"{name}-1.0.dist-info"
    information.mkdir(parents=True)
    (folder / f"{name}.py").write_text(code)
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(f"[auskunft.{kind}]\n{entry}\n")
    return folder
