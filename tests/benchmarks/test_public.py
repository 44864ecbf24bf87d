"""Test sets of others are read as they come, and their figures are those of the pages found."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.features.evaluation.pool import PoolQuestion
from benchmarks import __main__
from benchmarks.public_figures import Line, agreement, agreements, figures, table
from benchmarks.public_sets import (
    FILES,
    KnownFile,
    cranfield_pages,
    cranfield_questions,
    half,
    missing,
    xquad_pages,
    xquad_questions,
)

DOG_TAX = {
    "context": "The dog tax is 90 euros a year.",
    "qas": [{"id": "a", "question": "How high is the dog tax?"}],
}
LIBRARY = {
    "context": "The library opens at nine.",
    "qas": [
        {"id": "b", "question": "When does the library open?"},
        {"id": "c", "question": "What opens at nine in the morning?"},
    ],
}
SQUAD = json.dumps({"data": [{"title": "Town", "paragraphs": [DOG_TAX, LIBRARY]}]})
ABSTRACTS = """.I 1
.T
lift of
a wing .
.A
someone
.B
1958
.W
lift of a wing .
.W is no mark here
.I 2
.T
.W
"""
ASKED = """.I 007
.W
lift of
wings
.I 090
.W
heat
"""


def test_a_passage_is_a_page_and_answers_the_questions_asked_of_it() -> None:
    assert [(page["id"], page["language"]) for page in xquad_pages(SQUAD, "en")] == [
        ("passage-0", "en"),
        ("passage-1", "en"),
    ]
    asked = xquad_questions(SQUAD)
    assert [(each.id, each.gold) for each in asked] == [
        ("a", ("passage-0",)),
        ("b", ("passage-1",)),
        ("c", ("passage-1",)),
    ]


def test_an_abstract_has_a_title_and_its_text_and_an_empty_one_is_no_page() -> None:
    [page] = cranfield_pages(ABSTRACTS)
    assert (page["id"], page["title"]) == ("1", "lift of a wing .")
    assert page["text"].splitlines() == ["lift of a wing .", ".W is no mark here"]


def test_questions_are_judged_by_their_places_and_what_is_not_relevant_is_no_gold() -> None:
    first, second = cranfield_questions(ASKED, "1 1 2\n1 2 -1\n2 2 4 \n")
    assert (first.question, first.gold) == ("lift of wings", ("1",))
    assert second.gold == ("2",)


def test_a_file_that_is_missing_or_another_one_is_told_with_where_it_is_from(tmp_path: Path) -> None:
    assert "github.com/google-deepmind/xquad" in missing(tmp_path, "xquad-en")[0]
    (tmp_path / "xquad.en.json").write_text("{}")
    [line] = missing(tmp_path, "xquad-en")
    assert line.startswith(f"xquad.en.json: SHA-256 {sha256(b'{}').hexdigest()[:12]} instead of e4c57d1c9143")


def test_a_file_that_is_known_is_not_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(tmp_path, monkeypatch)
    assert missing(tmp_path, "xquad-en") == []


def test_a_questions_half_follows_from_its_id_and_both_halves_are_alike_in_size() -> None:
    halves = [half(PoolQuestion(id=str(number), question="?")) for number in range(400)]
    assert 160 < sum(halves) < 240
    assert halves == [half(PoolQuestion(id=str(number), question="other")) for number in range(400)]


def test_figures_count_where_the_gold_pages_are_among_those_found() -> None:
    asked = [
        PoolQuestion(id="1", question="?", gold=("a",)),
        PoolQuestion(id="2", question="?", gold=("b", "c")),
    ]
    every = figures(asked, [["a", "x"], ["x", "b"]])["all"]
    assert every["hit@1"].value == 0.5
    assert every["mrr@10"].value == 0.75
    assert every["recall@10"].value == 0.75
    assert every["ndcg@10"].value == pytest.approx((1 + 0.6309 / 1.6309) / 2, abs=1e-4)


def test_engines_agree_as_far_as_their_first_pages_are_the_same() -> None:
    shared = agreement([["a", "b"], ["a", "b"], []], [["a", "b"], ["b", "c"], []])
    assert shared.same == pytest.approx(2 / 3)
    assert shared.alike == pytest.approx(2 / 3)
    assert shared.overlap == pytest.approx(2.5 / 3)


def test_the_table_has_published_figures_before_our_own() -> None:
    asked = {"xquad-en": [PoolQuestion(id=str(n), question="?", gold=("a",)) for n in range(4)]}
    found = [["a"], ["a"], ["b", "a"], ["a"]]
    lines = [
        Line(name="xquad-en", way="default", engine=engine, found=found) for engine in ("embedded", "other")
    ]
    published, ours, _ = list(table(asked, lines))[2:]
    assert published == "| xquad-en | multilingual-e5-small, published | .975 | .966 |  |  | |"
    assert ours.startswith("| xquad-en | default, embedded | .908 (")
    assert list(agreements(lines))[-1] == "| xquad-en | default | other | 1.000 | 1.000 | 1.000 |"


def test_sets_in_the_folder_are_asked_and_others_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path, monkeypatch)
    arguments = [str(tmp_path), "--set", "xquad-en", "--set", "cranfield", "--embedder", "hashing"]
    kept = ["--data", str(tmp_path / "data"), "--json", str(tmp_path / "found.json")]
    result = CliRunner().invoke(__main__.main, ["public", *arguments, *kept], catch_exceptions=False)
    assert "cranfield is left out: cran.all.1400: No such file" in result.output
    assert "| xquad-en | words alone, embedded | 1.000 (1.000 to 1.000)" in result.output
    lines = json.loads((tmp_path / "found.json").read_text())
    assert [line["way"] for line in lines] == ["default", "words alone", "vectors alone", "egocms"]
    assert lines[0]["found"]["a"][0] == "passage-0"


def _write(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a small file of our own the known one."""
    (folder / "xquad.en.json").write_text(SQUAD)
    known = KnownFile(sha256(SQUAD.encode()).hexdigest(), "here")
    monkeypatch.setitem(FILES, "xquad.en.json", known)
