"""``auskunft evaluate``."""

import json
from pathlib import Path

import pytest

from tests.fakes.command import Command

FIGURES = ["questions", "answerable", "hit@1", "hit@5", "hit@10", "recall@20", "mrr@10", "none", "seconds"]
POOL = (
    {"id": "q1", "question": "When does the swimming pool open?", "gold": ["pool.html"]},
    {
        "question": "And for how long?",
        "gold": ["library.md"],
        "history": [{"role": "user", "content": "Does the library lend books for some weeks?"}],
    },
    {"id": "q3", "question": "Who lends books?", "gold": ["no-such-page"]},
    {"id": "q4", "question": "Xylophon", "gold": []},
)


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    path = tmp_path / "pool.jsonl"
    path.write_text("\n".join(map(json.dumps, POOL)))
    return path


def test_evaluate_prints_the_documented_figures(indexed: Command, pool: Path) -> None:
    document = indexed.run("evaluate", pool, "--source", "town", "--json").json()
    assert list(document) == [*FIGURES, "missing_gold"]
    assert (document["questions"], document["answerable"], document["none"]) == (4, 3, 1.0)
    assert document["hit@1"] == document["mrr@10"] == 0.667
    assert document["seconds"] >= 0


def test_the_worst_questions_are_shown_with_what_was_found_instead(indexed: Command, pool: Path) -> None:
    document = indexed.run("evaluate", pool, "--json", "--show", "1").json()
    assert list(document) == [*FIGURES, "missing_gold", "worst"]
    [worst] = document["worst"]
    assert (worst["id"], worst["gold"], worst["rank"]) == ("q3", ["no-such-page"], None)
    result = indexed.run("evaluate", pool, "--show", "1")
    assert (result.code, result.err) == (0, "")
    assert "wanted no-such-page; rank None" in result.out


def test_gold_that_is_not_indexed_is_named_and_its_questions_count_as_not_found(
    indexed: Command, pool: Path
) -> None:
    missing = indexed.run("evaluate", pool, "--json").json()["missing_gold"]
    warning = (
        "1 of 3 gold pages are not indexed (no-such-page): index them, or correct their ids "
        "(auskunft pages lists all). 1 questions have no other gold page and count as not found."
    )
    expected = {"pages": 1, "of": 3, "questions": 1, "first": ["no-such-page"], "warning": warning}
    assert missing == expected
    said = indexed.run("evaluate", pool)
    assert (said.code, said.err) == (0, "")
    assert f"warning: {warning}" in " ".join(said.out.split())


def test_a_pool_of_which_no_gold_is_indexed_is_refused(indexed: Command, tmp_path: Path) -> None:
    path = tmp_path / "elsewhere.jsonl"
    lines = [{"question": f"Question {n}?", "gold": [f"page-{n}"]} for n in range(5)]
    path.write_text("\n".join(map(json.dumps, [*lines, {"question": "Xylophon", "gold": []}])))
    said = indexed.run("evaluate", path, "--json").complaint(2)
    assert said.startswith(
        f"auskunft: {path}: none of its gold pages is indexed (page-0, page-1, page-2, …): index them"
    )


def test_figures_are_told_by_language_where_the_pool_has_several(indexed: Command, tmp_path: Path) -> None:
    path = tmp_path / "languages.jsonl"
    unit = {"celex": "32024R1689", "unit": "art_6"}
    pool = ({**POOL[0], "language": "en"}, {"question": "Wer liest hier?", "language": "de", "gold": [unit]})
    path.write_text("\n".join(map(json.dumps, pool)))
    document = indexed.run("evaluate", path, "--json", "--show", "1").json()
    assert {name: each["hit@1"] for name, each in document["by_language"].items()} == {"de": 0.0, "en": 1.0}
    assert document["worst"][0]["gold"] == ["32024R1689/art_6"]
    said = indexed.run("evaluate", path, "--show", "1").out
    table = [line.split() for line in said.splitlines()]
    assert ["language", *FIGURES[:-1]] in table
    assert ["en", "1", "1", "1.0", "1.0", "1.0", "1.0", "1.0", "-"] in table
    assert "wanted 32024R1689/art_6; rank None" in said


def test_a_preset_that_cuts_pages_otherwise_is_judged_on_an_index_of_its_own(
    indexed: Command, pool: Path
) -> None:
    before = {path.name for path in indexed.data.iterdir()}
    first = indexed.run("evaluate", pool, "--preset", "rtr", "--json")
    assert "preset 'rtr' cuts pages otherwise than the index" in first.err
    assert (first.code, json.loads(first.out)["hit@1"]) == (0, 0.667)
    assert {path.name for path in indexed.data.iterdir()} == before
    assert indexed.run("evaluate", pool, "--preset", "default").err == ""
    assert indexed.run("search", "When does the swimming pool open?", "--json").json()["hits"]


def test_a_malformed_pool_is_refused(indexed: Command, tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    path.write_text('{"question": "a"}\noops\n')
    said = indexed.run("evaluate", path, "--json").complaint(2)
    assert said.startswith(f"auskunft: {path} line 2 is not JSON")
