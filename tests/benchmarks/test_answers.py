"""Answers of a model beside those of other programs: what is asked, kept and counted."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.background.importer import Importer
from app.features.evaluation.pool import PoolQuestion
from app.services import Services
from app.settings.settings import load_settings
from benchmarks import answers
from benchmarks.answer_grades import Answer, grade, invented
from benchmarks.peers import SCRIPTS, Peer
from ingest.sources.files import FilesSource
from tests.fakes.llm import FakeLlm, Reply

ASKED = PoolQuestion.model_validate(
    {"question": "What does a day at the pool cost?", "gold": ["pool"], "must": ["5 euros", "cash"]}
)
ABSENT = PoolQuestion.model_validate({"question": "Is there a zoo?", "gold": []})


def answer(text: str, **given: object) -> Answer:
    return Answer(**{"way": "auskunft", "key": "pool/1", "text": text, **given})  # type: ignore[arg-type]


def figures(question: PoolQuestion, given: Answer) -> set[str]:
    """The figures of which the answer counts."""
    return {name for name, score in grade(question, given).items() if score.total}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 euros, in cash.", "right"),
        ("It costs 5 euros.", "partly"),
        ("Take a towel.", "wrong"),
        ("I don't know.", "refused"),
        ("Das weiß ich leider nicht.", "refused"),
        ("The text does not mention a price.", "refused"),
    ],
)
def test_an_answer_is_right_partly_right_wrong_or_a_refusal(text: str, expected: str) -> None:
    assert figures(ASKED, answer(text, read="5 euros")) == {expected}


def test_an_answer_that_hedges_is_honest_where_no_page_answers() -> None:
    assert figures(ABSENT, answer("There is a zoo.", hedged=True, refused=False)) == {"honest"}
    assert figures(ABSENT, answer("There is a zoo.", hedged=False, refused=False)) == set()


def test_a_figure_that_was_not_read_is_invented_unless_its_sentence_is_marked() -> None:
    told = answer("It costs 5 euros. Lockers cost 12 euros.", read="A day costs 5 euros.")
    assert invented(ASKED, told) == ["12"]
    assert invented(ASKED, answer(told.text, read=told.read, marked=("Lockers cost 12 euros.",))) == []


def test_a_cited_source_has_to_hold_a_part_of_the_answer() -> None:
    assert "cited" in figures(ASKED, answer("5 euros, cash", cited=("A day costs 5 euros.",)))
    assert "cited" not in figures(ASKED, answer("5 euros, cash", cited=("Take a towel.",)))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """An installation with two pages."""
    file, folder = tmp_path / "pages.jsonl", tmp_path / "data"
    records = [
        {"id": "pool", "title": "Pool", "language": "en", "markdown": "A day costs 5 euros, in cash."},
        {"id": "bus", "title": "Bus", "language": "en", "markdown": "The bus to the lake goes every hour."},
    ]
    file.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    with Services(load_settings(data=folder)) as services:
        importer = Importer(store=services.store, indexer=services.indexing.indexer, show=lambda *_: None)
        assert importer.run(FilesSource("town", str(file))).failures == {}
    return folder


def test_a_run_that_was_broken_off_goes_on_where_it_was(data: Path, tmp_path: Path) -> None:
    pool, kept = tmp_path / "questions.jsonl", tmp_path / "kept.jsonl"
    lines = [
        {"id": "1", "question": "What does a day at the pool cost?", "gold": ["pool"], "must": ["5 euros"]},
        {"id": "2", "question": "Is there a zoo?", "gold": []},
    ]
    pool.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    with FakeLlm() as llm:
        llm.default = Reply(deltas=("It costs ", "5 euros."), usage=(120, 0, 8))
        arguments = ["--base-url", llm.base_url, "--model", "fake", "--kept", str(kept), "--way", "nothing"]
        first = CliRunner().invoke(answers.main, [*arguments, "--way", "page", f"{pool}={data}"])
        assert first.exit_code == 0, first.output
        asked = len(llm.requests)
        again = CliRunner().invoke(answers.main, [*arguments, "--way", "quotes", f"{pool}={data}"])
        assert (len(llm.requests), again.exit_code) == (asked, 0), again.output
    rows = {line.split(" | ")[0]: line for line in again.output.splitlines() if line.startswith("| ")}
    assert rows.keys() >= {"| page", "| nothing", "| quotes"}
    assert rows["| page"].startswith("| page | 2 | 1.00 |")
    assert "120, 8 |" in rows["| page"]
    assert sum(json.loads(line)["way"] == "page" for line in kept.read_text("utf-8").splitlines()) == len(
        lines
    )


def test_a_pool_needs_an_installation(tmp_path: Path) -> None:
    arguments = ["--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--kept", str(tmp_path / "kept")]
    result = CliRunner().invoke(answers.main, [*arguments, f"{tmp_path}/none.jsonl={tmp_path}/none"])
    assert result.exit_code == 2
    assert "there is no data folder" in result.output


@pytest.mark.parametrize("peer", answers.PEERS.values(), ids=answers.PEERS)
def test_each_program_has_a_script_that_compiles(peer: Peer) -> None:
    script = SCRIPTS / peer.script
    compile(script.read_text("utf-8"), str(script), "exec")


def test_a_data_folder_without_pages_is_refused_with_what_to_give(tmp_path: Path) -> None:
    pool = tmp_path / "pool.jsonl"
    pool.write_text(json.dumps({"question": "Is there a zoo?", "gold": []}) + "\n")
    (tmp_path / "data").mkdir()
    command = [f"{pool}={tmp_path / 'data'}", "--base-url", "http://127.0.0.1:9/v1", "--model", "none"]
    run = CliRunner().invoke(answers.main, [*command, "--kept", str(tmp_path / "kept.jsonl")])
    assert run.exit_code == 2
    assert "no page is indexed there; give the data folder of an installation" in run.output
