"""What the console says of answers, beside their grades: ``python -m benchmarks.outcomes POOL [POOL ...]``.

Asks the questions of pools about the sample site as the widget asks them, each in a conversation with the
questions before it, without a model. Prints how many answers of each grade got each outcome, and the share
that agrees: good ones are answered, ok ones may be doubtful, bad ones and those to questions that no page
answers must not count as answered. Who asks for a person, or is greeted, asks nothing of the pages.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
from sqlalchemy import select

from app.background.importer import Importer
from app.chat.events import DoneEvent
from app.chat.outcomes import OUTCOMES
from app.chat.service import VisitorQuestion
from app.demo import site as sample_site
from app.features.evaluation.answers import first_block, judged_answer, visible_text
from app.features.evaluation.pool import PoolQuestion, load_pool
from app.features.evaluation.words import words
from app.monitoring.logging import configure_quiet_logging
from app.pages.database import reading
from app.pages.question_tables import questions
from app.services import Services
from app.settings.settings import load_settings
from ingest import registry

SOURCE: Final = "demo"
GRADES: Final = ("good", "ok", "bad", "absent")
AGREES: Final = {
    "good": ("answered",),
    "ok": ("answered", "doubtful"),
    "bad": ("doubtful", "unanswered"),
    "absent": ("doubtful", "unanswered", "other"),
}
"""The outcomes that fit each grade; ``absent``: no page answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question of a pool with its grade and its outcome. ``is_misled``: another case comes first."""

    question: PoolQuestion
    grade: str
    outcome: str
    is_misled: bool

    @property
    def agrees(self) -> bool:
        """True if grade and outcome fit."""
        return self.outcome in AGREES[self.grade]


@click.command()
@click.argument(
    "pools", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--data", type=click.Path(file_okay=False, path_type=Path), help="Keeps the index there.")
@click.option("--list", "lists", is_flag=True, help="Print the questions whose outcome does not fit.")
def main(pools: Sequence[Path], data: Path | None, *, lists: bool) -> None:
    """Ask questions of pools, and compare what the console says of the answers with their grades."""
    configure_quiet_logging()
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(data=data or Path(folder), embedder="e5")
        with Services(settings) as services:
            _index(services)
            asked = [each for pool in pools for each in _asked(services, load_pool(pool))]
    for line in table(asked):
        click.echo(line)
    for each in asked if lists else ():
        if not each.agrees or (each.is_misled and each.outcome == "answered"):
            click.echo(f"{each.grade:>6} {each.outcome:<10} {each.question.id}: {each.question.question}")


def table(asked: Sequence[Asked]) -> Iterator[str]:
    """The confusion table in Markdown, the share that agrees, and how many misled ones count as answered."""
    counts = Counter((each.grade, each.outcome) for each in asked)
    yield f"| | {' | '.join(OUTCOMES)} |"
    yield "|---" * (1 + len(OUTCOMES)) + "|"
    for grade in GRADES:
        yield f"| {grade} | {' | '.join(str(counts[grade, outcome]) for outcome in OUTCOMES)} |"
    yield f"agree: {sum(each.agrees for each in asked)} of {len(asked)}"
    misled = [each for each in asked if each.is_misled]
    answered = sum(each.outcome == "answered" for each in misled)
    yield f"another case first: {len(misled)}, of these answered: {answered}"


def _index(services: Services) -> None:
    source = registry.create("sources", "files", name=SOURCE, path=str(sample_site()))
    Importer(store=services.store, indexer=services.indexing.indexer, show=lambda *_: None).run(source)


def _asked(services: Services, pool: Sequence[PoolQuestion]) -> Iterator[Asked]:
    for question in pool:
        conversation = None
        for text in (*question.earlier, question.question):
            conversation, answer, done = _answered(services, text, conversation)
        with reading(services.engine) as connection:
            found = select(questions.c.outcome).where(questions.c.answer == answer)
            outcome = connection.execute(found).scalar_one()
        grade = judged_answer(question, done).grade if question.gold else "absent"
        first = words(visible_text(f"{done.card}\n\n{first_block(done.answer)}"))
        has = [
            any(first.holds(words(text)) for text in texts) for texts in (question.must_not, question.must)
        ]
        yield Asked(question=question, grade=grade or "bad", outcome=outcome, is_misled=has == [True, False])


def _answered(services: Services, text: str, conversation: str | None) -> tuple[str, str, DoneEvent]:
    """The conversation, the answer's id and its end."""
    site = services.chat.sites.all()[0]
    asked = VisitorQuestion(question=text, conversation=conversation, sources=frozenset({SOURCE}))
    exchange = services.chat.service.begin(site, asked)
    *_, done = exchange.events()
    exchange.close()
    if not isinstance(done, DoneEvent):
        raise click.ClickException(f"no end of the answer to {text!r}")
    return exchange.pending.conversation, exchange.pending.answer, done


if __name__ == "__main__":
    main()
