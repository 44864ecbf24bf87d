"""Compares outcomes in the console with grades of answers: ``python -m benchmarks.outcomes POOL [POOL ...]``.

Asks the questions of pools about the sample site by HTTP, as the widget does, each in a conversation with the
questions before it, without a model. Prints how many answers of each grade got each outcome, and the share
that agrees: good ones are answered, ok ones may be doubtful, bad ones and those to absent questions must not
count as answered. Requests for a person and greetings do not ask the pages.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Final

import click
import httpx
from sqlalchemy import select
from werkzeug.serving import make_server

from app import create_app
from app.chat.outcomes import OUTCOMES
from app.demo import site as sample_site
from app.features.evaluation.answers import answer_grade, text_of_html
from app.features.evaluation.pool import PoolQuestion
from app.features.evaluation.pool_file import load_pool
from app.features.evaluation.words import words
from app.monitoring.logging import configure_quiet_logging
from app.pages.database import reading
from app.pages.question_tables import questions
from app.services import Services
from app.settings.settings import load_settings
from app.settings.sites import SiteSettings
from benchmarks import pages

SOURCE: Final = "demo"
WEBSITE: Final = "https://www.otterfurt.example"
SITE: Final = SiteSettings(key="town", origins=[WEBSITE], sources=[SOURCE], questions_per_minute=100_000)
SECONDS: Final = 600.0
"""The most that an answer may take: the first one waits until the examples are embedded."""

GRADES: Final = ("good", "ok", "bad", "absent")
AGREES: Final = {
    "good": ("answered",),
    "ok": ("answered", "doubtful"),
    "bad": ("doubtful", "unanswered"),
    "absent": ("doubtful", "unanswered", "other"),
}
"""The outcomes that agree with each grade; ``absent``: no page answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question of a pool with its grade and its outcome. ``is_misled``: True if the first quote answers
    another case."""

    question: PoolQuestion
    grade: str
    outcome: str
    is_misled: bool

    @property
    def agrees(self) -> bool:
        """True if grade and outcome agree."""
        return self.outcome in AGREES[self.grade]


@dataclass(slots=True)
class Answer:
    """An answer as received. ``first``: the visible text up to the end of the first quote, or all of it."""

    id: str = ""
    conversation: str = ""
    status: str = ""
    first: str = ""
    text: str = ""


@click.command()
@click.argument(
    "pools", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--data", type=click.Path(file_okay=False, path_type=Path), help="Keeps the index there.")
@click.option("--list", "lists", is_flag=True, help="Print the questions whose outcome does not fit.")
def main(pools: Sequence[Path], data: Path | None, *, lists: bool) -> None:
    """Ask questions of pools, and compare the answers' outcomes in the console with their grades."""
    configure_quiet_logging()
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(data=data or Path(folder), embedder="e5", sites=[SITE])
        with Services(settings) as services:
            pages.index(services, sample_site(), SOURCE)
            with _chat(services) as chat:
                asked = [each for pool in pools for each in _asked(services, chat, load_pool(pool))]
    for line in table(asked):
        click.echo(line)
    for each in asked if lists else ():
        if not each.agrees or (each.is_misled and each.outcome == "answered"):
            click.echo(f"{each.grade:>6} {each.outcome:<10} {each.question.id}: {each.question.question}")


def table(asked: Sequence[Asked]) -> Iterator[str]:
    """Yield the confusion table in Markdown, the share that agrees, and the misled ones that count as
    answered."""
    counts = Counter((each.grade, each.outcome) for each in asked)
    yield f"| | {' | '.join(OUTCOMES)} |"
    yield "|---" * (1 + len(OUTCOMES)) + "|"
    for grade in GRADES:
        yield f"| {grade} | {' | '.join(str(counts[grade, outcome]) for outcome in OUTCOMES)} |"
    yield f"agree: {sum(each.agrees for each in asked)} of {len(asked)}"
    misled = [each for each in asked if each.is_misled]
    answered = sum(each.outcome == "answered" for each in misled)
    yield f"another case first: {len(misled)}, of these answered: {answered}"


@contextmanager
def _chat(services: Services) -> Iterator[httpx.Client]:
    """A client of a running service that asks like a browser on the website."""
    server = make_server("127.0.0.1", 0, create_app(services=services), threaded=True)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        address = f"http://127.0.0.1:{server.port}"
        with httpx.Client(base_url=address, headers={"Origin": WEBSITE}, timeout=SECONDS) as client:
            yield client
    finally:
        server.shutdown()
        thread.join()


def _asked(services: Services, chat: httpx.Client, pool: Sequence[PoolQuestion]) -> Iterator[Asked]:
    for question in pool:
        conversation, answer = "", Answer()
        for text in (*question.earlier, question.question):
            answer = _answered(chat, text, conversation)
            conversation = answer.conversation
        with reading(services.engine) as connection:
            found = select(questions.c.outcome).where(questions.c.answer == answer.id)
            outcome = connection.execute(found).scalar_one()
        first = words(answer.first)
        judged = answer_grade(question, answer.status, first, words(answer.text))
        has = [
            any(first.holds(words(text)) for text in texts) for texts in (question.must_not, question.must)
        ]
        yield Asked(
            question=question,
            grade=judged if question.gold else "absent",
            outcome=outcome,
            is_misled=has == [True, False],
        )


def _answered(chat: httpx.Client, question: str, conversation: str) -> Answer:
    body = {"question": question} | ({"conversation": conversation} if conversation else {})
    answer, event = Answer(), ""
    with chat.stream("POST", f"/api/chat?site={SITE.key}", json=body) as stream:
        stream.raise_for_status()
        for line in stream.iter_lines():
            name, _, value = line.partition(": ")
            if name == "event":
                event = value
            elif name == "data":
                _take(answer, event, json.loads(value))
    if not answer.status:
        raise click.ClickException(f"no end of the answer to {question!r}")
    answer.first = answer.first or answer.text
    return answer


def _take(answer: Answer, event: str, data: dict[str, str]) -> None:
    match event:
        case "started":
            answer.id, answer.conversation = data["answer"], data["conversation"]
        case "block":
            shown = text_of_html(data["html"].replace("<", " <"))
            answer.text = f"{answer.text} {shown}".strip()
            if not answer.first and "<blockquote>" in data["html"]:
                answer.first = answer.text
        case "done":
            answer.status = data["status"]


if __name__ == "__main__":
    main()
