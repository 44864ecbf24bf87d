"""A disk that can be full."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.services import MissingServiceError


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[None]:
    """A file system in memory at ``folder``, which is made. Raises ``MissingServiceError``."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise MissingServiceError(
            f"a small disk needs the right to mount one: run as root ({error})"
        ) from error
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Use up all the space; the file that does."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(65_536))
    return ballast
