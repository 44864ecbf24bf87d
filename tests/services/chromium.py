"""Debian's Chromium, driven by Playwright, and axe-core, which finds barriers in pages."""

import fcntl
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, sync_playwright

from tests.services import MissingServiceError

CACHE: Final = Path(__file__).parents[2] / ".services"
AXE_VERSION: Final = "4.14.1"
PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without windows. Raises ``MissingServiceError`` where none is installed."""
    program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        raise MissingServiceError("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()


def axe_script() -> str:
    """axe-core's source, from npm once. Raises ``MissingServiceError`` where it cannot be had."""
    path = CACHE / f"axe-core-{AXE_VERSION}.js"
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "axe-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            _download(path)
    return path.read_text("utf-8")


def _download(path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise MissingServiceError("axe-core cannot be downloaded, npm is not installed: apt-get install npm")
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        command = [npm, "pack", f"axe-core@{AXE_VERSION}", "--silent", "--pack-destination", folder]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise MissingServiceError(
                f"npm could not download axe-core, check the network: {done.stderr.strip()}"
            )
        archive = next(Path(folder).glob("*.tgz"))
        with tarfile.open(archive) as packed:
            script = packed.extractfile("package/axe.min.js")
            if script is None:
                raise MissingServiceError(f"axe-core {AXE_VERSION} has no axe.min.js: choose another version")
            unfinished = Path(folder) / "axe.js"
            unfinished.write_bytes(script.read())
        unfinished.rename(path)
