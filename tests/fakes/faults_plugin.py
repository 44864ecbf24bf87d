"""A converter with the faults that parsers have, installed like any plugin: the text says which."""

from pathlib import Path
from typing import Final

CONVERTER: Final = '''
"""Takes its time, hangs, takes all memory, or kills the process that indexes."""

import os
import signal
import time


class FaultyConverter:
    version = "1"

    def accepts(self, field):
        return field.text.startswith("fault: ")

    def convert(self, field, url):
        match field.text.split()[1]:
            case "slow":
                time.sleep(0.1)
            case "hang":
                time.sleep(60)
            case "memory":
                return " ".join(["x" * 1_000_000] * 1_000_000)
            case "deadly":
                os.kill(os.getppid(), signal.SIGKILL)
        return field.text
'''


def faulty_plugin(folder: Path) -> Path:
    """An installed distribution with that converter; asked before the built-in ones."""
    information = folder / "faulty-1.0.dist-info"
    information.mkdir(parents=True)
    (folder / "faulty.py").write_text(CONVERTER)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[auskunft.converters]\nabsent = faulty:FaultyConverter\n")
    return folder
