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
