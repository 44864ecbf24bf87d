"""``auskunft evaluate``."""

import json
from pathlib import Path

import pytest

from app.features.evaluation.metrics import ANSWER_FIGURES, PAGE_FIGURES
from tests.fakes.command import Command
from tests.fakes.rerank_server import FakeReranker

CONTEXT = ["context@2000", "context@4000", "context@8000", "context@16000"]
PAGES = ["questions", "answerable", *PAGE_FIGURES]
FIGURES = [*PAGES, "spans", *ANSWER_FIGURES, "seconds", "run"]
KEYS = [*FIGURES, "intervals"]
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
    assert list(document) == [*KEYS, "missing_gold", "by_place"]
    assert (document["questions"], document["answerable"], document["none"]) == (4, 3, 1.0)
    assert document["hit@1"] == document["mrr@10"] == 0.667
    assert (document["spans"], document["shown"], document["refused"], document["lost"]) == (
        0,
        None,
        1.0,
        0.0,
    )
    assert document["intervals"]["hit@1"] == [0.0, 1.0]
    assert document["seconds"] >= 0
    said = indexed.run("evaluate", pool, "--source", "town").out
    assert ["hit@1", "0.667", "0.000", "to", "1.000"] in [line.split() for line in said.splitlines()]


def test_answers_are_judged_by_gold_spans_of_the_pool_or_of_a_file(indexed: Command, tmp_path: Path) -> None:
    right = {"spans": [{"page": "pool.html", "text": "opens on Saturday at nine"}]}
    pool, spans = tmp_path / "pool.jsonl", tmp_path / "spans.jsonl"
    pool.write_text("\n".join(json.dumps({**line, **right}) for line in POOL[:1]))
    spans.write_text(json.dumps({"id": "q1", "must": ["opens on Sunday"]}))
    document = indexed.run("evaluate", pool, "--json").json()
    assert [document[name] for name in ("spans", "shown", *CONTEXT, "links")] == [1, 1, 1, 1, 1, 1, 1]
    assert 20 < document["shown_characters"] < 200
    document = indexed.run("evaluate", pool, "--spans", spans, "--json", "--show", "1").json()
    assert [document[name] for name in ("spans", "shown", *CONTEXT, "links")] == [1, 0, 0, 0, 0, 0, 1]
    [worst] = document["worst"]
    assert (worst["status"], worst["right"]) == ("extractive", False)
    assert "The swimming pool opens on Saturday" in worst["shown"]
    said = indexed.run("evaluate", pool, "--spans", spans, "--show", "1").out.split()
    assert "shown (extractive, not the answer) Swimming pool The swimming pool" in " ".join(said)


def test_spans_of_law_that_is_not_indexed_are_named(indexed: Command, tmp_path: Path) -> None:
    span = {"celex": "32022R2065", "unit": "art_20", "version": "2022-10-19", "language": "en"}
    pool = tmp_path / "pool.jsonl"
    pool.write_text(json.dumps({**POOL[0], "spans": [{**span, "start": 0, "end": 9}]}))
    document = indexed.run("evaluate", pool, "--json").json()
    assert (document["spans"], document["shown"]) == (0, None)
    missing = document["missing_spans"]
    assert (missing["spans"], missing["of"], missing["questions"]) == (1, 1, 1)
    assert (
        "1 of 1 spans of law are not in the index (32022R2065@2022-10-19/art_20 (en))" in missing["warning"]
    )
    assert f"warning: {missing['warning']}" in " ".join(indexed.run("evaluate", pool).out.split())


def test_a_malformed_file_of_spans_is_refused(indexed: Command, pool: Path, tmp_path: Path) -> None:
    spans = tmp_path / "spans.jsonl"
    spans.write_text('{"id": "q1", "spans": [{"page": "pool.html"}]}')
    said = indexed.run("evaluate", pool, "--spans", spans, "--json").complaint(2)
    assert said.startswith(f"auskunft: {spans} line 1: spans.0.page.text: field required (write ")
    said = indexed.run("evaluate", pool, "--spans", tmp_path / "none", "--json").complaint(2)
    assert "none cannot be read: No such file" in said


def test_the_worst_questions_are_shown_with_what_was_found_instead(indexed: Command, pool: Path) -> None:
    document = indexed.run("evaluate", pool, "--json", "--show", "1").json()
    assert list(document) == [*KEYS, "missing_gold", "by_place", "worst"]
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
        "(`auskunft pages` lists all). 1 questions have no other gold page and count as not found."
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
    assert ["by", "language", "de", "en"] in table
    assert ["hit@1", "0.0", "1.0"] in table
    assert [row[0] for row in table if len(row) == 3 and row[0] in FIGURES] == FIGURES[:-2]
    assert "by_kind" not in document
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


@pytest.fixture
def two_pages(tmp_path: Path) -> Path:
    """A question for which two pages are found."""
    path = tmp_path / "two.jsonl"
    question = "Is membership of the library free, or the swimming pool on Saturday?"
    path.write_text(json.dumps({"question": question, "gold": ["library.md"]}))
    return path


def test_another_reranker_is_judged_whatever_the_preset_says(indexed: Command, two_pages: Path) -> None:
    plain, reranked = (
        indexed.run("evaluate", two_pages, "--reranker", name, "--json").json()
        for name in ("none", "lexical-blocks")
    )
    assert list(plain) == list(reranked) == KEYS
    with FakeReranker() as server:
        url = server.base_url
        arguments = ("evaluate", two_pages, "--reranker", "endpoint", "--json")
        document = indexed.run(*arguments, rerankers__endpoint__base_url=url).json()
        assert list(document) == KEYS
        assert {len(request["documents"]) for request in server.requests} == {2}


def test_questions_that_were_not_reranked_are_told(indexed: Command, two_pages: Path) -> None:
    arguments = ("evaluate", two_pages, "--reranker", "endpoint", "--json")
    missing = json.loads(indexed.run(*arguments).out)["not_reranked"]
    assert missing["questions"] == 1
    assert missing["warning"].startswith("the reranker gave no scores for 1 questions")
    said = indexed.run("evaluate", two_pages, "--reranker", "nope", "--json").complaint(2)
    assert said.startswith("auskunft: unknown reranker 'nope'; known: ")


def test_a_malformed_pool_is_refused(indexed: Command, tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    path.write_text('{"question": "a"}\noops\n')
    said = indexed.run("evaluate", path, "--json").complaint(2)
    assert said.startswith(f"auskunft: {path} line 2 is not JSON")


def test_presets_runs_and_settings_files_are_compared(town: Command, pool: Path) -> None:
    run = town.run("evaluate", pool, "--json").json()["run"]
    other = town.folder / "other.toml"
    other.write_text("[chat]\nanswer_tokens = 300\n[thresholds.hashing]\ncontent = 0.99\nbase = 0.9\n")
    found = town.run("evaluate", pool, "--compare", "default", str(run), "egocms", other, "--json")
    assert "note: preset 'egocms' cuts pages otherwise than the index" in found.err
    document = json.loads(found.out)
    labels = ["default", f"default (run {run})", "egocms", str(other)]
    assert [each["label"] for each in document["runs"]] == labels
    live, own = "the live index (generation 1)", "an index of its own, made for this evaluation"
    assert [each["index"] for each in document["runs"]] == [live, live, own, live]
    assert document["questions"] == 4
    assert document["runs"][0]["figures"]["hit@1"] == {"value": 0.667, "interval": [0.0, 1.0], "count": 3}
    assert [(each["first"], each["second"]) for each in document["comparisons"]] == [
        ("default", label) for label in labels[1:]
    ]
    same = document["comparisons"][0]
    assert same["differences"]["hit@1"] == {"difference": 0.0, "interval": [0.0, 0.0], "p": 1.0}
    assert (same["won"], same["mixed"], same["lost"]) == ([], [], [])
    assert [each["run"] for each in document["runs"]] == [run + 1, run, run + 2, run + 3]


def test_a_comparison_names_the_questions_that_changed(town: Command, two_pages: Path) -> None:
    strict = town.folder / "strict.toml"
    strict.write_text("[thresholds.hashing]\nanswer = 0.999\n")
    document = town.run("evaluate", two_pages, "--compare", "default", strict, "--json").json()
    [pair] = document["comparisons"]
    [lost] = pair["lost"]
    assert (lost["question"], lost["status"]) == (
        "Is membership of the library free, or the swimming pool on Saturday?",
        ["extractive", "no_answer"],
    )
    assert pair["differences"]["lost"]["difference"] == 1.0
    said = town.run("evaluate", two_pages, "--compare", "default", strict).out
    assert f"{strict}: the live index (generation 1)" in said
    assert ["lost", "0.0", "1.0"] in [line.split() for line in said.splitlines()]
    assert "lost: 1 questions" in said
    assert "extractive to no_answer" in " ".join(said.split())


def test_what_cannot_be_compared_is_refused_before_anything_is_measured(town: Command, pool: Path) -> None:
    before = town.run("runs", "--json").json()
    wrong, missing = town.folder / "wrong.toml", town.folder / "missing.toml"
    wrong.write_text("no_setting = 1\n")
    for others, complaint in {
        ("default", "nope"): "unknown preset 'nope'; known:",
        ("default", "77"): "there is no run 77: `auskunft runs` lists",
        ("default", str(wrong)): "no_setting",
        ("default", str(missing)): f"settings file {missing} does not exist",
        ("default",): "--compare takes two or more",
    }.items():
        assert complaint in town.run("evaluate", pool, "--compare", *others).complaint(2)
    assert "Put --compare before 'rtr'" in town.run("evaluate", pool, "rtr").complaint(2)
    said = town.run("evaluate", pool, "--compare", "a", "b", "--preset", "rtr").complaint(2)
    assert "after --compare" in said
    assert town.run("runs", "--json").json() == before


def test_a_run_of_other_questions_is_not_compared(town: Command, pool: Path, two_pages: Path) -> None:
    run = town.run("evaluate", two_pages, "--json").json()["run"]
    said = town.run("evaluate", pool, "--compare", str(run), str(run)).complaint(2)
    assert "have no question with the same gold in common" in said


def test_a_report_is_a_page_of_its_own(town: Command, pool: Path) -> None:
    path = town.folder / "report.html"
    town.run("evaluate", pool, "--report", path, "--language", "de", "--json").json()
    html = path.read_text("utf-8")
    assert html.startswith('<!DOCTYPE html>\n<html lang="de">')
    assert "Die schlechtesten Fragen" in html
    assert "1 von 3 richtigen Seiten sind nicht im Index" in html
    town.run("evaluate", pool, "--compare", "default", "default", "--report", path, "--json").json()
    assert "default against default" in path.read_text("utf-8")
    assert not list(town.folder.glob(".report*"))


def test_a_report_that_cannot_be_written_is_refused_before_anything_is_measured(
    town: Command, pool: Path
) -> None:
    before = town.run("runs", "--json").json()
    said = town.run("evaluate", pool, "--report", town.folder / "no" / "report.html").complaint(2)
    assert said.endswith("report.html cannot be written: No such file or directory")
    assert "is a directory" in town.run("evaluate", pool, "--report", town.folder).complaint(2)
    assert town.run("runs", "--json").json() == before


def test_nothing_is_left_of_a_report_about_an_evaluation_that_failed(town: Command, tmp_path: Path) -> None:
    elsewhere, report = tmp_path / "elsewhere.jsonl", town.folder / "report.html"
    elsewhere.write_text(json.dumps({"question": "Where?", "gold": ["no-such-page"]}))
    report.write_text("the last one")
    assert "none of its gold pages" in town.run("evaluate", elsewhere, "--report", report).complaint(2)
    assert report.read_text() == "the last one"
    assert not list(town.folder.glob(".report*"))
