"""``auskunft questions``."""

import csv
import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.chat.conversations import Conversations
from app.chat.feedback import Feedback
from app.features.questions.store import COLUMNS
from app.pages.database import open_engine, sqlite_url
from tests.fakes.command import Command

# Groups are counted by the week before the clock of the command, which is the real one.
EVENING = datetime.now(UTC).replace(hour=23, minute=59, second=59) - timedelta(days=1)
DAY, NEXT = EVENING.date(), EVENING.date() + timedelta(days=1)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Two questions on two sites; to be read only."""
    command = Command(tmp_path_factory.mktemp("asked"))
    command.data.mkdir()
    engine = open_engine(sqlite_url(Path(command.data) / "pages.sqlite"))
    kept, given = Conversations(engine, lambda: EVENING), Feedback(engine, lambda: EVENING)
    for site, question, status in (
        ("town", "=1+1, otter?", "no_answer"),
        ("harbour", "Dues?\nÜ", "answered"),
    ):
        started = kept.begin(site, question)
        kept.finish(started.answer, {"answer": "A.", "status": status, "sources": [], "citations": []})
    given.give("harbour", started.answer, "up", "Danke")
    engine.dispose()
    return command


def test_questions_are_listed_for_people_a_line_each(asked: Command) -> None:
    result = asked.run("questions")
    assert (result.code, result.err) == (0, "")
    header, first, second = result.out.splitlines()
    assert header.split() == ["asked_at", "site", "outcome", "rating", "question", "comment"]
    assert ("=1+1, otter?" in first + second, "Dues? Ü" in first + second) == (True, True)


def test_questions_are_listed_for_programs(asked: Command) -> None:
    rows = asked.run("questions", "--rated", "--json").json()
    assert [list(row) for row in rows] == [list(COLUMNS)]
    assert (rows[0]["question"], rows[0]["rating"], rows[0]["comment"]) == ("Dues?\nÜ", "up", "Danke")


def test_questions_are_listed_for_spreadsheets_without_formulas(asked: Command) -> None:
    result = asked.run("questions", "--unanswered", "--csv")
    assert (result.code, result.err) == (0, "")
    [row] = list(csv.DictReader(io.StringIO(result.out, "")))
    assert (row["question"], row["status"]) == ("'=1+1, otter?", "no_answer")


def test_questions_are_chosen_by_site_and_day(asked: Command) -> None:
    assert [row["site"] for row in asked.run("questions", "--site", "town", "--json").json()] == ["town"]
    assert len(asked.run("questions", "--since", str(DAY), "--json").json()) == 2
    assert asked.run("questions", "--since", str(NEXT), "--json").json() == []
    assert asked.run("questions", "--since", str(NEXT)).out == "no questions\n"


def test_questions_are_counted(asked: Command) -> None:
    assert asked.run("questions", "--counts", "--unanswered", "--json").json()["total"] == 1
    assert asked.run("questions", "--counts").out.splitlines()[:2] == [
        "2 questions",
        "sites: harbour 1, town 1",
    ]


def test_questions_are_grouped_now(asked: Command) -> None:
    assert asked.run("question-groups").out == "no groups: --now makes them\n"
    result = asked.run("question-groups", "--now", "--site", "town")
    assert result.out.splitlines()[0].split() == [
        *("questions", "unanswered", "doubtful", "week", "site", "such", "as", "missing", "page"),
    ]
    assert "0 → 1" in result.out
    assert asked.run("question-groups", "--state", "done").out == "no groups: --now makes them\n"
    assert len(asked.run("question-groups", "--json").json()["groups"]) == 2


def test_a_table_tells_how_many_more_there_are(asked: Command) -> None:
    result = asked.run("questions", "--limit", "1")
    assert (len(result.out.splitlines()), result.err) == (2, "1 more: --limit 2\n")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--site", "nobody"], "unknown site 'nobody': use one of harbour, town"),
        (["--unanswered", "--rated"], "Use --unanswered or --rated, not both."),
        (["--csv", "--json"], "Use only one of --csv, --json and --jsonl."),
        (["--since", "yesterday"], "'yesterday' is not a day: use one such as 2023-01-31."),
        (["town"], "Got unexpected extra argument (town)"),
    ],
)
def test_a_wrong_call_is_told(asked: Command, arguments: list[str], complaint: str) -> None:
    assert complaint in asked.run("questions", *arguments).complaint(2)
