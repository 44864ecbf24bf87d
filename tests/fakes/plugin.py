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


def hanging_plugin(folder: Path) -> Path:
    """An installed distribution with a converter that hangs; asked before the built-in ones."""
    information = folder / "hanging-1.0.dist-info"
    information.mkdir(parents=True)
    (folder / "hanging.py").write_text(HANGING)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: hanging\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(
        "[auskunft.converters]\nabsent = hanging:HangingConverter\n"
    )
    return folder
