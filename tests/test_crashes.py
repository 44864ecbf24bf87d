"""The run of tests itself."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CRASH = "import os\ndef test_crash(): os._exit(3)\ndef test_after(): pass\n"
PASS = "def test_one(): pass\n"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_crashed_worker_costs_its_test_alone(tmp_path: Path, workers: str) -> None:
    files = {f"test_{number}.py": PASS for number in range(9)} | {"test_4_crash.py": CRASH}
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    options = [
        "-p",
        "tests.crashes",
        "-p",
        "no:cacheprovider",
        "--dist",
        "loadfile",
        "--no-loadscope-reorder",
    ]
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            *options,
            "--numprocesses",
            workers,
            "--rootdir",
            tmp_path,
            tmp_path,
        ],
        env=os.environ | {"PYTHONPATH": str(Path.cwd())},
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert "1 failed, 10 passed" in ran.stdout
    assert "crashed while running 'test_4_crash.py::test_crash'" in ran.stdout
