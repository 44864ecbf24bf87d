"""Random choices that can be repeated: their seed is ``AUSKUNFT_FAULT_SEED``, else the commit."""

import os
import subprocess
from pathlib import Path
from random import Random


def fault_seed() -> str:
    """The seed of this run."""
    return os.environ.get("AUSKUNFT_FAULT_SEED") or _commit()


def seeded(name: str) -> Random:
    """Choices that belong to ``name`` alone. How to repeat them is printed, to be seen after a failure."""
    seed = fault_seed()
    print(f"AUSKUNFT_FAULT_SEED={seed}")  # noqa: T201
    return Random(f"{seed} {name}")


def _commit() -> str:
    """The commit checked out; without a repository always the same."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "none"
