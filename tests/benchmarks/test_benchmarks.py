"""Every benchmark runs at its smallest size and prints its figures; how fast is not asserted."""

import re
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from app.services import Services
from app.settings.settings import load_settings
from benchmarks import (
    __main__,
    acceptance,
    console,
    conversion,
    elastic_index,
    elastic_scale,
    embedded_index,
    extraction,
    imports,
    ingest,
    judge,
    large_site,
    own_time,
    pages,
    parity,
    question,
    questions,
    rebuild,
    searchable,
    workers,
)
from ingest.types import Save
from tests.fakes.world import raw_page


def printed(command: click.Command, *arguments: str) -> str:
    """The output of a run that must succeed."""
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def few_pages(tmp_path: Path) -> Path:
    """A file with three generated pages."""
    path = tmp_path / "pages.jsonl"
    pages.write(path, (pages.page(number) for number in range(3)))
    return path


def test_ingest_embeds_nothing_twice_and_nothing_before_an_edit() -> None:
    output = printed(ingest.main, "--embedder", "hashing", "--limit", "2")
    assert re.search(r"own time in it +[\d.]+ s: [\d.]+ x", output)
    assert re.search(r"conversion alone +[\d.]+ MB/s", output)
    assert re.search(r"second index, unchanged.* x faster", output)
    assert re.search(r"windows embedded in it +0$", output, re.MULTILINE)
    edited = re.search(r"edited page +(\d+), (\d+) before the edit\n.*again +(\d+), 0 of those", output)
    assert edited is not None
    total, before, again = map(int, edited.groups())
    assert 0 < before < total
    assert 0 < again <= total + 1 - before


def test_conversion_is_measured_here_and_in_the_child(few_pages: Path) -> None:
    output = printed(conversion.main, str(few_pages))
    assert re.search(r"through the child +[\d.]+ MB/s", output)


def test_main_content_is_compared_with_what_is_expected(few_pages: Path, tmp_path: Path) -> None:
    expected = "<h1>Dog tax</h1><p>" + "The first dog costs 96 euros a year. " * 30 + "</p>"
    (tmp_path / "town").mkdir()
    (tmp_path / "town" / "expected.html").write_text(expected)
    (tmp_path / "town" / "source.html").write_text(f"<html><body><nav>Menu</nav>{expected}<footer>Imprint")
    output = printed(extraction.main, str(tmp_path), "--alone", "--content", str(few_pages))
    rows = [line.split(" | ") for line in output.splitlines()[2:]]
    assert rows[2][:6] == ["| without either, 1", "Auskunft", "1.000", "1.000", "1.000", "1.000"]
    assert [row[0] for row in rows if row[1] == "Auskunft"][1:] == [
        f"| {layout}, 3" for layout in ("HTML5", "class names", "tables", "divisions")
    ]


def test_acceptance_is_measured_one_by_one_and_in_batches_against_bare_inserts() -> None:
    output = printed(acceptance.main, "--single", "2", "--batches", "1", "--size", "3", "--profile")
    assert len(re.findall(r"^SQLite, .* events/s: [\d.]+ x; .* [\d.]+ x$", output, re.MULTILINE)) == 2
    assert re.search(r"^PostgreSQL, batches of 3 .* x$|^PostgreSQL +not measured: ", output, re.MULTILINE)
    assert "tottime" in output


def test_a_saved_page_is_found_in_both_kinds_of_installation_at_rest_and_during_a_rebuild() -> None:
    output = printed(searchable.main, "--pages", "3", "--samples", "1")
    assert len(re.findall(r"^thread of the server: .* p50 [\d.]+ ms", output, re.MULTILINE)) == 2
    found = re.findall(r"^Redis, one worker: .* p50 [\d.]+ ms", output, re.MULTILINE)
    assert len(found) == 2 or re.search(r"^Redis, one worker +not measured: ", output, re.MULTILINE)
    assert re.search(r"0 failed in .* generation 2 is live", output)


def test_questions_and_saved_pages_are_timed_beside_an_import_and_with_one_in_the_server() -> None:
    sizes = ("--pages", "3", "--imported", "4", "--visitors", "2", "--pause", "0.05", "--seconds", "0.5")
    output = printed(imports.main, *sizes, "--embedder", "hashing")
    for figure in ("a question", "a saved page"):
        found = re.findall(rf": {figure} +p50 [\d.]+ ms, p95 [\d.]+ ms \(\d+\)$", output, re.MULTILINE)
        assert len(found) == 3


def test_a_rebuild_is_timed_with_one_and_with_two_workers() -> None:
    output = printed(rebuild.main, "--pages", "3", "--rounds", "1")
    found = re.findall(r"^(\w+) workers? +[\d,]+ pages/s: [\d.]+ x$", output, re.MULTILINE)
    assert found == ["one", "two"] or "not measured: " in output


def test_a_question_is_timed_on_both_sites_and_profiled() -> None:
    output = printed(question.main, "--embedder", "hashing", "--large", "4", "--rounds", "1", "--profile")
    assert len(re.findall(r"p50 [\d.]+ ms, p95 [\d.]+ ms", output)) == 4
    assert "tottime" in output


def test_the_embedded_index_is_measured_against_bare_numpy() -> None:
    output = printed(embedded_index.main, "--vectors", "200", "--dims", "16")
    assert re.search(r"10 nearest pages +p50 [\d.]+ ms, p95 [\d.]+ ms: [\d.]+ x", output)


def test_a_large_site_is_searched_looked_at_and_emptied() -> None:
    output = printed(large_site.main, "--pages", "12", "--questions", "4", "--saves", "4", "--dims", "16")
    for label in ("search", "search right after a save"):
        assert re.search(rf"^{label} +p50 [\d.]+ ms, p95 [\d.]+ ms$", output, re.MULTILINE)
    once = ("indexing 12 pages", "first search of a process", "checks of the status", "deleting 9 pages")
    for label in once:
        assert re.search(rf"^{label} +[\d.]+ s$", output, re.MULTILINE)
        assert re.search(rf"^{label}, processor time +[\d.]+ s$", output, re.MULTILINE)
    assert re.search(r"^memory above an empty installation's +-?\d+ MB$", output, re.MULTILINE)


def test_workers_are_compared_with_one_at_the_embedder_and_at_an_endpoint() -> None:
    output = printed(workers.main, "--pages", "3", "--workers", "1", "--workers", "2", "--seconds", "0")
    for label in ("hashing, workers: [12]", "endpoint, workers: [12]"):
        found = re.findall(rf"^{label} +[\d.]+ pages/s: ([\d.]+) x; claiming \d+%.*$", output, re.MULTILINE)
        assert (len(found), found[0]) == (2, "1.00")


def test_many_chunks_are_searched_as_written_and_merged_and_compared_with_exact_search(
    elasticsearch: str,
) -> None:
    sizes = ("--chunks", "300", "--dimensions", "64", "--questions", "3", "--embedder", "hashing")
    output = printed(elastic_scale.main, *sizes, "--kind", "bbq_hnsw", "--url", elasticsearch)
    assert re.search(r"^chunks written +300 of 300 in 30 pages$", output, re.MULTILINE)
    for state in ("as written", "merged"):
        assert re.search(rf"^recall@10, {state} +[01]\.\d{{3}}$", output, re.MULTILINE)
        assert re.search(rf"^plain kNN, {state} +p50 [\d.]+ ms, p95 [\d.]+ ms, 1.0 x; ", output, re.MULTILINE)
        for kind in ("page search", "chunk search", "cosines of 20 pages"):
            assert re.search(rf"^{kind}, {state} .* x; .* the requests$", output, re.MULTILINE)
    assert re.search(r"^page search beside writing +p50 .* ms; [\d,]+ chunks/s$", output, re.MULTILINE)


def test_the_writing_of_many_chunks_ends_in_time(elasticsearch: str) -> None:
    sizes = ("--chunks", "2000", "--dimensions", "64", "--questions", "1", "--embedder", "hashing")
    output = printed(elastic_scale.main, *sizes, "--minutes", "0.0001", "--url", elasticsearch)
    assert re.search(r"^chunks written +640 of 2,000 in 64 pages$", output, re.MULTILINE)


def test_elasticsearch_is_measured_against_bare_requests_and_exact_search(elasticsearch: str) -> None:
    output = printed(elastic_index.main, "--vectors", "200", "--dims", "16", "--url", elasticsearch)
    assert len(re.findall(r"speed against streaming_bulk +[\d.]+ x", output)) == 3
    assert len(re.findall(r"retrieval around it +p50", output)) == 3


def test_both_indices_find_the_same(
    elasticsearch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUSKUNFT_EMBEDDER", "hashing")
    with Services(load_settings(data=tmp_path / "data")) as services:
        services.store.accept([Save(page=raw_page("pool", {"content": "The pool opens at nine."}))])
        services.indexing.indexer.sync_pages()
    pool = tmp_path / "pool.jsonl"
    pool.write_text('{"question": "When does the pool open?", "gold": ["pool"]}')
    output = printed(parity.main, str(tmp_path / "data"), str(pool), "--url", elasticsearch)
    assert "overlap of the first 5                       100.0%" in output
    assert re.search(r"hit@1, embedded and Elasticsearch +1.0 and 1.0", output)


def test_reads_of_what_visitors_asked_are_timed() -> None:
    output = printed(questions.main, "--count", "60", "--grouped", "50", "--embedder", "hashing")
    assert re.search(r"60 questions: counts, a rare word +p50 [\d.]+ ms", output)
    assert re.search(r"50 questions grouped, apart +[\d.]+ s", output)
    assert re.search(r"104 paraphrases of 27 questions +\d+ groups, purity [\d.]+, recall", output)


def test_every_page_of_the_console_is_opened() -> None:
    sizes = ("--pages", "12", "--questions", "30", "--entries", "10", "--rounds", "2")
    output = printed(console.main, *sizes)
    for label in ("overview", "a page", "a question", "units of law", "changes"):
        assert re.search(rf"^{label} +\d+ ms, processor \d+, worst \d+, first \d+; [\d.]+ kB$", output, re.M)
    assert re.search(r"^larger than 60 kB +none$", output, re.M)


def test_all_benchmarks_are_listed_and_a_named_one_runs_on_the_given_pages(
    few_pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []

    @click.command(help="Count pages.")
    @click.argument("path", type=click.Path(path_type=Path))
    def count(path: Path) -> None:
        given.append(path)

    monkeypatch.setitem(__main__.BENCHMARKS, "ingest", count)
    assert "question" in printed(__main__.main, "--help")
    assert "ingest: Count pages." in printed(__main__.main, "ingest", "--pages", str(few_pages))
    assert given == [few_pages]


def test_an_unknown_benchmark_is_answered_with_the_known_ones() -> None:
    result = CliRunner().invoke(__main__.main, ["speed"])
    assert result.exit_code == 2
    assert "'conversion', 'ingest', 'imports', 'question'" in result.output


def test_generated_pages_are_the_same_every_time_and_differ_from_each_other() -> None:
    assert pages.page(7) == pages.page(7)
    assert len({pages.page(number)["html"] for number in range(50)}) == 50
    assert {pages.page(number)["language"] for number in range(2)} == {"de", "en"}


def test_a_judges_requests_overlap() -> None:
    output = printed(judge.main, "--answers", "8", "--reply", "0.01")
    assert re.search(r"graded +8 of 8\n.*\nthe run +[\d.]+ s: [\d.]+ x the ideal", output)


def test_own_times_are_taken_in_turns_of_the_code_of_two_trees(tmp_path: Path, few_pages: Path) -> None:
    before, asked = tmp_path / "before", tmp_path / "questions.jsonl"
    before.mkdir()
    (before / ".venv").symlink_to(sys.prefix)
    asked.write_text('{"question": "When does the swimming pool open?"}\n', "utf-8")
    output = printed(
        own_time.main, str(before), str(few_pages), str(asked), "--embedder", "hashing", "--rounds", "2"
    )
    assert re.search(r"^1 questions, before +p50 [\d.]+ ms", output, re.MULTILINE)
    assert re.search(r"^now / before +[\d.]+ x, p95 [\d.]+ x$", output, re.MULTILINE)
