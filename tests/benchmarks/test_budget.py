"""What a model reads, beside a plain vector search over the same pages."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from app.background.importer import Importer
from app.services import Services
from app.settings.settings import load_settings
from benchmarks import budget
from benchmarks.plain_search import split
from ingest.sources.files import FilesSource

TEXTS = st.text(alphabet="ab .\n", max_size=600)


@given(TEXTS, st.integers(5, 60), st.integers(0, 30))
def test_pieces_leave_nothing_out_and_have_no_more_characters_than_they_may(
    text: str, characters: int, overlap: int
) -> None:
    pieces = split(text, characters, overlap)
    assert all(0 < len(piece) <= characters for piece in pieces)
    assert overlap or "".join("".join(pieces).split()) == "".join(text.split())


def test_a_piece_begins_with_the_end_of_the_one_before_it() -> None:
    text = "\n\n".join(f"Paragraph {number} is short." for number in range(10))
    first, second, *_ = split(text, 100, 40)
    assert first.endswith("Paragraph 3 is short.")
    assert second.startswith("Paragraph 3 is short.\n\nParagraph 4")


def test_a_long_paragraph_is_cut_between_sentences_and_a_long_sentence_between_words() -> None:
    assert split("The pool opens at nine. It closes at eight.", 25, 0) == [
        "The pool opens at nine.",
        "It closes at eight.",
    ]
    assert split("The pool opens at nine", 10, 0) == ["The pool", "opens at", "nine"]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of an installation with two pages."""
    monkeypatch.setenv("AUSKUNFT_EMBEDDER", "hashing")
    texts = {"pool": "The open-air pool opens at nine.", "bus": "The bus to the lake goes every hour."}
    records = [
        {"id": name, "url": f"https://town.example/{name}", "language": "en", "title": name, "markdown": text}
        for name, text in texts.items()
    ]
    file, folder = tmp_path / "pages.jsonl", tmp_path / "data"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    with Services(load_settings(data=folder)) as services:
        importer = Importer(store=services.store, indexer=services.indexing.indexer, show=lambda *_: None)
        assert importer.run(FilesSource("town", str(file))).failures == {}
    return folder


def test_both_ways_are_asked_every_question_whose_page_is_indexed(data: Path, tmp_path: Path) -> None:
    pool = tmp_path / "questions.jsonl"
    lines = [
        {"question": "When does the open-air pool open?", "gold": ["pool"], "must": ["at nine"]},
        {"question": "How often does the bus to the lake go?", "gold": ["bus"], "must": ["every minute"]},
        {"question": "Where is the town hall?", "gold": ["hall"], "must": ["market"]},
        {"question": "How deep is the sea?", "gold": []},
    ]
    pool.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    output = CliRunner().invoke(budget.main, [f"{pool}={data}:town", "--show"]).output
    assert "2 questions, 2 pages, 2 pieces" in output
    assert "| questions | 2 | 0.500, 0.500, +0.000 (+0.000 to +0.000) |" in output
    assert "neither: How often does the bus" in output
    hidden = CliRunner().invoke(budget.main, [f"{pool}={data}", "--half", "hidden"]).output
    assert "| questions | 1 | 0.000, 0.000" in hidden


def test_a_pool_without_an_installation_is_left_out(tmp_path: Path) -> None:
    result = CliRunner().invoke(budget.main, [f"{tmp_path}/none.jsonl={tmp_path}/none"])
    assert result.exit_code == 2
    assert "skipped" in result.output
