"""``auskunft pool``."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.command import Command
from tests.fakes.llm import FakeLlm, Reply

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
    assert errors[-1][1].startswith("a draft that nobody has accepted: check each")
    assert document["notes"] == [{"line": 5, "message": "without id, language, kind, gold"}]
    said = indexed.run("pool", "check", path).out
    assert "error: line 3: question: field required" in said
    assert "6 questions, 5 of them answerable, 1 say where the answer stands: 9 errors, 1 notes" in said


def test_an_empty_pool_and_one_that_is_not_there_are_refused(indexed: Command, tmp_path: Path) -> None:
    for command in ("check", "split"):
        assert "contains no questions" in indexed.run("pool", command, pool_of(tmp_path)).complaint(2)
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


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        yield fake


@pytest.fixture
def site(tmp_path: Path) -> Command:
    """Six pages in two languages, each long enough to ask about."""
    folder = tmp_path / "site"
    folder.mkdir()
    for number in range(3):
        (folder / f"en{number}.md").write_text(
            f"# Dogs {number}\n\n" + "The tax of a dog is due in spring. " * 9
        )
        (folder / f"de{number}.md").write_text(f"# Hunde {number}\n\n" + "Die Hundesteuer ist fällig. " * 9)
    command = Command(tmp_path)
    assert command.run("index", "site", "--source", "town").code == 0
    return command


def asks(*quotes: str) -> Any:
    """A model that asks about the page, and quotes it, or what it is told to."""
    numbers = count()

    def answer(request: dict[str, Any]) -> Reply:
        said = request["messages"][-1]["content"]
        own = quotes or ["Die Hundesteuer ist" if "Hundesteuer" in said else "tax of a dog is due"]
        line = {"question": f"Frage {next(numbers)}?", "answer": "Bald.", "quotes": own}
        return Reply(deltas=(f"```json\n{json.dumps(line)}\n```",))

    return answer


def drafted(site: Command, llm: FakeLlm, *arguments: str, out: str = "drafts.jsonl") -> Any:
    model: dict[str, Any] = {"chat__model": "fake", "chat__base_url": llm.base_url}
    return site.run("pool", "draft", "--out", out, *arguments, **model)


def test_questions_of_all_kinds_are_drafted_from_all_languages(site: Command, llm: FakeLlm) -> None:
    llm.answer = asks()
    done = drafted(site, llm, "--source", "town", "--count", "5")
    assert (done.code, done.err) == (0, "")
    assert "5 of 5 drafts in drafts.jsonl; replies of no use: none" in done.out
    lines = [json.loads(line) for line in (site.folder / "drafts.jsonl").read_text("utf-8").splitlines()]
    assert {line["kind"] for line in lines} == {
        "lookup",
        "yes-no",
        "hypothetical",
        "complex",
        "unanswerable",
    }
    assert sorted(line["language"] for line in lines[:4]) == ["de", "de", "en", "en"]
    assert all(line["draft"] is True for line in lines)
    assert [line["kind"] for line in lines if not line["gold"]] == ["unanswerable"]
    out = site.folder / "drafts.jsonl"
    assert "is a draft that nobody has accepted" in site.run("evaluate", out).complaint(2)
    accepted = out.read_text("utf-8").replace('"draft": true', '"draft": false')
    out.write_text(accepted, "utf-8")
    assert site.run("pool", "check", out, "--json").json()["errors"] == []
    assert site.run("evaluate", out, "--json").json()["questions"] == 5


def test_a_drafted_answer_of_several_pieces_has_them_all_from_the_page(site: Command, llm: FakeLlm) -> None:
    pieces = ["The tax of a dog", "is due in spring"]
    llm.answer = asks(*pieces)
    assert "1 of 1 drafts" in drafted(site, llm, "--count", "1").out
    line = json.loads((site.folder / "drafts.jsonl").read_text("utf-8"))
    assert line["must"] == [span["text"] for span in line["spans"]] == pieces
    assert [span["partial"] for span in line["spans"]] == [True, True]
    llm.answer = asks(*pieces, "of which the page says nothing")
    said = drafted(site, llm, "--count", "1", out="more.jsonl").complaint(2)
    assert "quote is not on the page" in said


def test_replies_of_no_use_are_asked_for_again_and_counted(site: Command, llm: FakeLlm) -> None:
    llm.answer = asks()
    llm.script(Reply(deltas=("Gern!",)), Reply(deltas=('{"question": ""}',)))
    done = drafted(site, llm, "--count", "2")
    assert "2 of 2 drafts" in done.out
    assert "replies of no use: no JSON (1), no question (1)" in done.out
    llm.answer = asks("of which the page says nothing")
    said = drafted(site, llm, "--count", "2", out="more.jsonl").complaint(2)
    assert said.startswith("auskunft: no question was drafted: quote is not on the page (")
    assert not (site.folder / "more.jsonl").exists()


def test_what_was_drafted_before_the_model_went_away_is_kept(site: Command, llm: FakeLlm) -> None:
    llm.default = Reply(status=500)
    said = drafted(site, llm, "--count", "2").complaint(1)
    assert "language model 'fake'" in said
    assert not (site.folder / "drafts.jsonl").exists()
    for quote in ("Die Hundesteuer ist", "tax of a dog is due"):
        llm.script(Reply(deltas=(json.dumps({"question": "Frage?", "quotes": [quote]}),)))
    done = drafted(site, llm, "--count", "3")
    assert done.code == 1
    assert "1 of 3 drafts in drafts.jsonl" in done.out


def test_drafting_without_a_model_or_into_a_file_that_exists_is_refused(site: Command, llm: FakeLlm) -> None:
    assert "no language model is set" in site.run("pool", "draft", "--out", "x.jsonl").complaint(2)
    (site.folder / "there.jsonl").write_text("mine")
    said = drafted(site, llm, out="there.jsonl").complaint(2)
    assert said == "auskunft: there.jsonl already exists: choose a new file, so that no question is lost"
    assert "cannot be written" in drafted(site, llm, out="no/there.jsonl").complaint(2)
    assert not list(site.folder.glob("*x.jsonl*"))
