"""``auskunft calibrate``."""

import json
import tomllib
from pathlib import Path

from tests.fakes.command import Command

OTHERS = ({"question": "Who wrote the play Hamlet?"}, {"question": "Tell me a secret about yourself"})


def pool(folder: Path, answerable: int = 20) -> Path:
    asked = [
        {"question": f"When does the swimming pool open on day {number}?", "gold": ["pool.html"]}
        for number in range(answerable)
    ]
    path = folder / "pool.jsonl"
    path.write_text("\n".join(map(json.dumps, [*asked, *OTHERS])))
    return path


def test_the_proposed_table_is_one_that_the_settings_take(indexed: Command, tmp_path: Path) -> None:
    said = indexed.run("calibrate", pool(tmp_path)).out
    [(model, table)] = tomllib.loads(said)["thresholds"].items()
    assert model == "hashing"
    assert set(table) == {"base", "name", "title", "description", "keywords", "content", "answer"}
    document = indexed.run("calibrate", pool(tmp_path), "--json").json()
    assert document["thresholds"] == table
    assert document["lost"] == 0
    assert 0 <= document["refused"] <= 1
    settings = {f"thresholds__hashing__{name}": value for name, value in table.items()}
    figures = indexed.run("evaluate", pool(tmp_path), "--json", **settings).json()
    assert (figures["hit@1"], figures["lost"]) == (1, 0)


def test_a_pool_of_too_few_questions_is_refused(indexed: Command, tmp_path: Path) -> None:
    said = indexed.run("calibrate", pool(tmp_path, answerable=3)).complaint(2)
    assert "3 answerable questions of three words and more: 20 or more are needed" in said


def test_a_page_shows_how_right_and_wrong_hits_are_distributed(indexed: Command, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    done = indexed.run("calibrate", pool(tmp_path), "--report", report, "--language", "de")
    assert done.code == 0
    html = report.read_text("utf-8")
    assert "[thresholds.hashing]" in html
    assert "Inhalt: Schwelle" in html
    assert 'class="right"' in html
    missing = indexed.run("calibrate", pool(tmp_path), "--report", tmp_path / "no" / "report.html")
    assert "cannot be written" in missing.complaint(2)
    few = indexed.run("calibrate", pool(tmp_path, answerable=3), "--report", tmp_path / "few.html")
    assert (few.code, sorted(path.name for path in tmp_path.glob("*.html"))) == (2, ["report.html"])


def test_a_pool_whose_pages_are_not_indexed_proposes_nothing_and_of_some_says_so(
    indexed: Command, tmp_path: Path
) -> None:
    path = pool(tmp_path)
    own = path.read_text()
    path.write_text(own.replace("pool.html", "gone.html"))
    said = indexed.run("calibrate", path).complaint(2)
    assert "none of its gold pages is indexed (gone.html)" in said
    path.write_text(own + '\n{"question": "Who lends many good books?", "gold": ["gone.html"]}')
    done = indexed.run("calibrate", path)
    assert (done.code, "1 of 2 gold pages are not indexed (gone.html)" in done.err) == (0, True)
