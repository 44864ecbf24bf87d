"""Which Java Development Kits are installed."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.services import MissingServiceError

FOLDER: Final = Path("/usr/lib/jvm")
_MAJOR = re.compile(r'^JAVA_VERSION="(?:1\.)?(\d+)', re.MULTILINE)


def lowest(minimum: int) -> Path:
    """The home of the lowest installed JDK whose major version is at least ``minimum``."""
    return _installed(minimum)[0]


def highest(minimum: int) -> Path:
    """The home of the highest one, which is nearest to the one that a server is delivered with."""
    return _installed(minimum)[-1]


def _installed(minimum: int) -> list[Path]:
    found = sorted((major, home) for home in _homes() if (major := _major(home)) >= minimum)
    if not found:
        raise MissingServiceError(
            f"no JDK {minimum} or higher is installed: apt-get install openjdk-{minimum}-jdk-headless"
        )
    return [home for _, home in found]


def _homes() -> Iterator[Path]:
    """Folders with a compiler, so not mere runtimes."""
    candidates = sorted(FOLDER.glob("*"))
    if home := os.environ.get("JAVA_HOME"):
        candidates.append(Path(home))
    if compiler := shutil.which("javac"):
        candidates.append(Path(compiler).resolve().parent.parent)
    yield from {home.resolve() for home in candidates if (home / "bin/javac").exists()}


def _major(home: Path) -> int:
    try:
        match = _MAJOR.search((home / "release").read_text("utf-8"))
    except OSError:
        return 0
    return int(match[1]) if match else 0
