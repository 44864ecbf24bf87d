"""``auskunft pool``."""

import json
from pathlib import Path

from tests.fakes.command import Command

ASKED = {"question": "When does the swimming pool open?", "language": "en", "kind": "lookup"}
GOOD = {**ASKED, "id": "q1", "gold": ["pool.html"]}


def pool_of(folder: Path, *lines: object, name: str = "pool.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


def test_a_good_pool_is_found_good(indexed: Command, tmp_path: Path) -> None:
    span = {"page": "pool.html", "text": "opens on Saturday at nine"}
    other = {"id": "q2", "question": "Who?", "language": "de", "kind": "unanswerable", "gold": []}
    path = pool_of(tmp_path, {**GOOD, "spans": [span]}, "", other)
    document = indexed.run("pool", "check", path, "--json").json()
    assert (document["questions"], document["answerable"], document["with_text"]) == (2, 1, 1)
    assert (document["by_language"], document["by_kind"]) == (
        {"en": 1, "de": 1},
        {"lookup": 1, "unanswerable": 1},
    )
    assert (document["errors"], document["notes"]) == ([], [])


def test_everything_that_is_wrong_is_told_with_its_line(indexed: Command, tmp_path: Path) -> None:
    path = pool_of(
        tmp_path,
        GOOD,
        "oops",
        {"id": "q3"},
        {**GOOD, "question": "when does  the swimming pool open?"},
        {"question": "Another one?"},
        {
            **GOOD,
            "id": "q6",
            "question": "Where?",
            "gold": ["pool.html", "gone", {"celex": "3", "unit": "4"}],
        },
        {
            **GOOD,
            "id": "q7",
            "question": "How?",
            "spans": [{"page": "pool.html", "text": "opens on Sunday"}, {"page": "x", "text": "it"}],
        },
        {**GOOD, "id": "q8", "question": "Why?", "draft": True},
    )
    done = indexed.run("pool", "check", path, "--json")
    document = json.loads(done.out)
    assert (done.code, done.err) == (2, "")
    errors = [(each["line"], each["message"]) for each in document["errors"]]
    assert errors[0][0] == 2
    assert errors[0][1].startswith("is not JSON")
    assert errors[1:] == [
        (3, "question: field required"),
        (4, "id 'q1' is also on line 1"),
        (4, "the same question is on line 1"),
        (6, "gold page 'gone' is not indexed"),
        (6, "gold page '3/4' is not indexed"),
        (7, "a span is not on its page 'pool.html' word for word: 'opens on Sunday'"),
        (7, "page 'x' of a span is not indexed"),
        (8, errors[-1][1]),
    ]
    assert errors[-1][1].startswith("a draft that nobody has accepted: look at each")
    assert document["notes"] == [{"line": 5, "message": "without id, language, kind, gold"}]
    said = indexed.run("pool", "check", path).out
    assert "error: line 3: question: field required" in said
    assert "6 questions, 5 of them answerable, 1 say where the answer stands: 9 errors, 1 notes" in said


def test_an_empty_pool_and_one_that_is_not_there_are_refused(indexed: Command, tmp_path: Path) -> None:
    for command in ("check", "split"):
        assert "holds no question" in indexed.run("pool", command, pool_of(tmp_path)).complaint(2)
        assert "cannot be read" in indexed.run("pool", command, tmp_path / "none").complaint(2)


def test_a_pool_is_split_by_its_ids_and_a_question_stays_in_its_half(
    indexed: Command, tmp_path: Path
) -> None:
    lines = [{"id": f"q{n}", "question": f"Nr. {n}?", "more": "ü"} for n in range(40)]
    path = pool_of(tmp_path, *lines)
    assert indexed.run("pool", "split", path).code == 0
    halves = [tmp_path / f"pool.{name}.jsonl" for name in ("open", "hidden")]
    before = [half.read_text("utf-8").splitlines() for half in halves]
    assert sorted(map(len, before))[0] >= 10
    assert sorted(before[0] + before[1]) == sorted(path.read_text("utf-8").splitlines())
    path = pool_of(tmp_path, {"id": "new", "question": "Neu?"}, *reversed(lines))
    assert indexed.run("pool", "split", path).code == 0
    after = [half.read_text("utf-8").splitlines() for half in halves]
    assert all(set(old) <= set(new) for old, new in zip(before, after, strict=True))


def test_nothing_is_split_of_a_pool_with_a_broken_line(indexed: Command, tmp_path: Path) -> None:
    path = pool_of(tmp_path, GOOD, "oops")
    assert "line 2 is not JSON" in indexed.run("pool", "split", path).complaint(2)
    assert [each.name for each in tmp_path.iterdir()] == ["pool.jsonl"]


def test_drafts_that_nobody_accepted_measure_nothing(indexed: Command, tmp_path: Path) -> None:
    path = pool_of(tmp_path, {**GOOD, "draft": False}, {**GOOD, "draft": True}, {**GOOD, "draft": True})
    said = indexed.run("evaluate", path).complaint(2)
    assert f"{path} line 2 is a draft that nobody has accepted, and so are 1 others" in said
