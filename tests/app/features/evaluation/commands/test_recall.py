"""``auskunft recall``."""

import json
from pathlib import Path

from tests.fakes.command import Command


def pool(folder: Path, *lines: object) -> Path:
    path = folder / "pool.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def question(text: str, span: str) -> dict[str, object]:
    return {"question": text, "gold": ["pool.html"], "spans": [{"page": "pool.html", "text": span}]}


def test_every_way_to_rank_is_measured_for_plain_chunks_and_with_contexts(
    indexed: Command, tmp_path: Path
) -> None:
    there = question("When does the swimming pool open?", "pool")
    nowhere = question("When does the swimming pool open?", "no page says this")
    found = indexed.run("recall", pool(tmp_path, there, nowhere), "--json").json()
    assert list(found) == [
        f"{chunks}: {ranking}"
        for chunks in ("plain", "contextual")
        for ranking in ("words", "vectors", "vectors + words", "vectors + words, reranked")
    ]
    assert {tuple(misses.items()) for misses in found.values()} == {(("@5", 0.5), ("@10", 0.5), ("@20", 0.5))}


def test_a_pool_whose_answers_are_not_known_is_refused(indexed: Command, tmp_path: Path) -> None:
    asked = {"question": "When does the swimming pool open?", "gold": ["pool.html"]}
    said = indexed.run("recall", pool(tmp_path, asked)).complaint(2)
    assert "no question says where its answer is" in said
