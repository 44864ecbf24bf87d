"""``auskunft search`` and ``auskunft ask``."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from app.cli.ask import MOST_OTHERS
from tests.fakes.command import PROGRAM, Command
from tests.fakes.llm import FakeLlm, Reply

HIT = {
    "rank": int,
    "id": str,
    "source": str,
    "language": str,
    "url": str,
    "href": str,
    "title": str,
    "heading": str,
    "lines": list,
    "score": float,
    "coverage": float,
    "similarity": dict,
    "passages": list,
}
PASSAGE = {"field": str, "start": int, "end": int, "text": str}
ANSWER = {
    "question": str,
    "answer": str,
    "status": str,
    "mode": str,
    "degraded": list,
    "sources": list,
    "citations": list,
    "probable": list,
    "unsupported": list,
    "certainty": str,
    "unhelped": bool,
    "suggestions": list,
    "other_readings": list,
}
SOURCE = {
    "number": int,
    "id": str,
    "url": str,
    "href": str,
    "title": str,
    "path": str,
    "field": str,
    "snippet": str,
    "similarity": float,
    "used": bool,
}


def shape(document: dict[str, Any]) -> dict[str, type]:
    return {key: type(value) for key, value in document.items()}


@pytest.mark.parametrize("asked", [["ask"], ["search"], ["explain"], ["ask", "--source", "town"]])
def test_a_question_where_nothing_is_indexed_says_so_and_where_it_looked(
    tmp_path: Path, asked: list[str]
) -> None:
    command = Command(tmp_path)
    told = command.run(*asked, "When does the swimming pool open?").complaint(2)
    assert f"nothing is indexed here: {command.data} has no pages" in told
    assert "auskunft index" in told
    assert "AUSKUNFT_DATA" in told


def test_search_prints_the_documented_json(indexed: Command) -> None:
    document = indexed.run("search", "When does the swimming pool open?", "--json").json()
    assert {key: document[key] for key in ("question", "mode", "degraded")} == {
        "question": "When does the swimming pool open?",
        "mode": "semantic",
        "degraded": [],
    }
    assert set(document) == {"question", "mode", "degraded", "hits"}
    first = document["hits"][0]
    assert shape(first) == HIT
    assert (first["rank"], first["id"], first["source"], first["language"]) == (1, "pool.html", "town", "en")
    assert first["url"] == "https://town.example/pool"
    assert 0 < first["similarity"]["content"] <= 1
    assert [shape(passage) for passage in first["passages"]] == [PASSAGE] * len(first["passages"])
    [content] = [passage for passage in first["passages"] if passage["field"] == "content"]
    assert "opens on Saturday" in content["text"]


def test_ask_prints_the_documented_json(indexed: Command) -> None:
    question = "When does the swimming pool open?"
    document = indexed.run("ask", question, "--json").json()
    assert shape(document) == ANSWER | {"model": type(None)}
    assert (document["question"], document["status"], document["mode"]) == (
        question,
        "extractive",
        "semantic",
    )
    assert "opens on Saturday" in document["answer"]
    first = document["sources"][0]
    assert shape(first) == SOURCE
    assert (first["number"], first["id"], first["used"]) == (1, "pool.html", True)
    assert first["href"].startswith("https://town.example/pool#:~:text=")
    assert first["path"] == "town.example › pool"
    assert "opens on Saturday" in first["snippet"]
    assert 1 in document["citations"]
    assert "[1]" in document["answer"]


def test_an_answer_for_people_ends_with_numbered_sources(indexed: Command) -> None:
    result = indexed.run("ask", "When does the swimming pool open?")
    assert (result.code, result.err) == (0, "")
    assert "opens on Saturday" in result.out
    assert "[1] Swimming pool :smile: [/] [red] - https://town.example/pool" in result.out.splitlines()


def test_what_else_the_page_says_is_told_of_and_shown_on_demand(tmp_path: Path) -> None:
    command = Command(tmp_path)
    (tmp_path / "site").mkdir()
    parts = (f"## Tarif {name}\n\nEintritt {name}: {name} Euro." for name in "ABCDEFGH")
    (tmp_path / "site/bad.md").write_text("# Eintritt\n\n" + "\n\n".join(parts), "utf-8")
    assert command.run("index", "site", "--source", "town").code == 0
    question = "Was kostet der Eintritt?"
    told, shown = command.run("ask", question).out, command.run("ask", question, "--more").out
    more = command.run("ask", question, "--json").json()["more"]
    assert f"Mehr von dieser Seite ({len(more)}): auskunft ask --more …" in told
    assert more[0] not in told
    assert "Mehr von dieser Seite:\n" in shown
    assert all(quote in shown for quote in more)


def test_few_other_pages_are_named_behind_an_answer_in_its_language(tmp_path: Path) -> None:
    command = Command(tmp_path)
    (tmp_path / "site").mkdir()
    for number in range(8):
        text = f"# Gebühr {number}\n\nDie Gebühr für den Hund im Ortsteil {number} beträgt {number} Euro."
        (tmp_path / "site" / f"{number}.md").write_text(text, "utf-8")
    assert command.run("index", "site", "--source", "town").code == 0
    said = command.run("ask", "Wie hoch ist die Gebühr für den Hund im Ortsteil 3?").out.splitlines()
    others = said[said.index("Siehe auch:") + 1 :]
    assert 0 < len(others) <= MOST_OTHERS


def test_how_near_a_source_is_only_a_preset_that_lists_cosines_tells(indexed: Command) -> None:
    question = "When does the swimming pool open?"
    assert "%" not in indexed.run("ask", question).out
    assert "(cosine " in indexed.run("ask", question, "--preset", "rtr").out


def test_hits_for_people_stand_on_whole_lines_in_a_narrow_terminal(indexed: Command) -> None:
    result = indexed.run("search", "swimming pool", extra={"COLUMNS": "20"})
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[0] == "1. Swimming pool :smile: [/] [red] - https://town.example/pool"


def test_a_model_writes_the_answer_and_is_named(indexed: Command) -> None:
    written = Reply(deltas=("On Saturday ", "[1]."))
    with FakeLlm() as llm:
        llm.script(written, written)
        settings: dict[str, Any] = {
            "chat__base_url": llm.base_url,
            "chat__model": "tiny",
            "chat__api_key": "hush",
        }
        question = "When does the swimming pool open?"
        document = indexed.run("ask", question, "--json", **settings).json()
        shown = indexed.run("ask", question, **settings)
    assert (document["status"], document["model"], document["answer"]) == (
        "answered",
        "tiny",
        "On Saturday [1].",
    )
    assert document["citations"] == [1]
    assert shown.out.startswith("On Saturday [1].\n")


@pytest.mark.parametrize("command", ["search", "ask"])
def test_an_unknown_source_names_the_known_ones(indexed: Command, command: str) -> None:
    result = indexed.run(command, "swimming pool", "--source", "nope")
    assert result.complaint(2) == "auskunft: unknown source 'nope'; known: town"


def test_a_source_narrows_the_search(town: Command) -> None:
    (town.folder / "other").mkdir()
    (town.folder / "other" / "a.txt").write_text("Another swimming pool for the whole town to swim in.\n")
    assert town.run("index", "other", "--source", "other").code == 0
    hits = town.run("search", "swimming pool", "--source", "other", "--json").json()["hits"]
    assert {hit["source"] for hit in hits} == {"other"}


@pytest.mark.parametrize(
    "locale",
    [
        {"LANG": "C"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
)
def test_umlauts_pass_in_every_locale(indexed: Command, locale: dict[str, str]) -> None:
    document = indexed.run("search", "Müllabfuhr", "--json", extra=locale).json()
    assert (document["question"], document["hits"][0]["title"]) == ("Müllabfuhr", "Müllabfuhr")
    process = indexed.start("search", "Müllabfuhr", extra=locale)
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert out.startswith(b"1. M")


def test_bytes_that_are_no_text_find_nothing(indexed: Command) -> None:
    result = indexed.run("search", b"\xff\xfe")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("No page matches.")


def test_a_reader_that_leaves_ends_the_command_quietly(indexed: Command) -> None:
    process = subprocess.Popen(
        ["sh", "-c", '"$0" pages --json; echo $? >&2', PROGRAM],
        cwd=indexed.folder,
        env=indexed.environment() | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout and process.stderr
    process.stdout.close()
    with process.stderr:
        assert process.stderr.read() == b"1\n"
    process.wait()


OFFICES = {"registry": "office: Registry\nyear: 2024", "building": "office: [Building, Registry]"}
"""Of two pages the front matter."""


@pytest.fixture(scope="module")
def offices(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """A site whose pages have fields that are declared."""
    command = Command(tmp_path_factory.mktemp("offices"))
    (command.folder / "auskunft.toml").write_text('[fields]\noffice = "keyword"\nyear = "number"\n', "utf-8")
    (command.folder / "site").mkdir()
    for name, fields in OFFICES.items():
        text = f"---\n{fields}\n---\nThe {name} form is due in May."
        (command.folder / f"site/{name}.md").write_text(text, "utf-8")
    assert command.run("index", "site", "--source", "town").code == 0
    return command


def test_search_and_ask_take_filters_and_search_prints_facets(offices: Command) -> None:
    building = offices.run("search", "form", "--filter", "office=Building", "--json").json()
    assert [hit["id"] for hit in building["hits"]] == ["building.md"]
    assert [facet["field"] for facet in building["facets"]] == ["office"]
    either = offices.run(
        "search", "form", "--filter", "office=Building", "--filter", "office=Registry", "--json"
    )
    assert len(either.json()["hits"]) == 2
    answer = offices.run("ask", "When is the form due?", "--filter", "year.from=2024", "--json").json()
    assert {source["id"] for source in answer["sources"]} == {"registry.md"}
    shown = offices.run(
        "explain", "When is the form due?", "--page", "registry.md", "--filter", "office=Building"
    )
    assert "The page does not match the filter of the search." in shown.out


@pytest.mark.parametrize(
    ("filtered", "problem"),
    [
        ("colour=red", "unknown field 'colour'; known: office, year"),
        ("year=soon", "'soon' is not a number"),
        ("office", "has no value: add one, such as office=Registry"),
    ],
)
def test_a_wrong_filter_is_told_in_a_line(offices: Command, filtered: str, problem: str) -> None:
    assert problem in offices.run("search", "form", "--filter", filtered).complaint(2)
