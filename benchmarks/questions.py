"""Measures how fast visitors' questions are listed for editors: ``python -m benchmarks questions``.

A page store is filled with stored questions and answers: of two sites, in two languages, with all outcomes,
some rated, each answer with sources and a text of several kilobytes. Each query is repeated. Then the maximum
number of questions is grouped by meaning, and a pool of paraphrases and lookalikes.
"""

import json
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
from sqlalchemy import Engine, insert

from app.chat.outcomes import GAPS, OUTCOMES
from app.chat.reactions import SAME_MEANING
from app.features.questions.filter import QuestionFilter
from app.features.questions.groups import MOST, AskedQuestion, group
from app.features.questions.store import Questions
from app.pages.database import open_engine, sqlite_url, utc_now, writing
from app.pages.question_tables import answers, citations, conversations, feedback, questions
from app.presets.collection import Presets
from benchmarks import pages
from benchmarks.figures import Stopwatch, percentiles, show
from benchmarks.pages import read
from ingest import registry
from ingest.types import PageRef

ROUNDS: Final = 15
WRITTEN_AT_ONCE: Final = 5_000
START: Final = datetime(2026, 10, 1, tzinfo=UTC)
SUBJECTS: Final = 600
SITES: Final = ("town", "harbour")
DIMS: Final = 384
PARAPHRASES: Final = Path(__file__).with_name("pools") / "paraphrases.jsonl"
CITED: Final = 200
"""The number of cited pages, each of which equally many answers cite."""

RARE: Final = "rarissimum"

_STATUSES: Final = {
    "answered": "answered",
    "doubtful": "partly",
    "unanswered": "no_answer",
    "other": "greeting",
    "unfinished": "interrupted",
}


@click.command(help="Measure how fast visitors' questions are listed, filtered and counted.")
@click.option("--count", default=50_000, show_default=True, help="Questions.")
@click.option("--grouped", default=MOST, show_default=True, help="Questions that are grouped.")
@click.option("--embedder", default="e5", show_default=True, help="Of the paraphrases.")
def main(count: int, grouped: int, embedder: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        engine = open_engine(sqlite_url(Path(folder) / "pages.sqlite"))
        fill(engine, count)
        for label, read in reads(Questions(engine, utc_now)):
            stopwatch = Stopwatch()
            for _ in range(ROUNDS):
                stopwatch.timed(read)()
            show(f"{count:,} questions: {label}", percentiles(stopwatch.laps))
        engine.dispose()
    group_alike(grouped)
    group_paraphrases(embedder)


def group_alike(count: int) -> None:
    """Group vectors of questions: first about as many subjects as a town has, then so alike that all are
    compared."""
    chance = np.random.default_rng(0)
    subjects = chance.normal(size=(SUBJECTS, DIMS))
    for label, noise, least in (("apart", 0.5, 0.7), ("all alike", 2.0, 0.05)):
        vectors = subjects[chance.integers(0, SUBJECTS, count)] + noise * chance.normal(size=(count, DIMS))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        asked = [
            AskedQuestion(answer=str(number), site="town", vector=vector.astype(np.float32))
            for number, vector in enumerate(vectors)
        ]
        stopwatch = Stopwatch()
        found = stopwatch.timed(group)(asked, least)
        groups = len({number for number, _ in found.values()})
        show(f"{count:,} questions grouped, {label}", f"{stopwatch.seconds:.1f} s, {groups:,} groups")


def group_paraphrases(name: str) -> None:
    """Group the pool of paraphrases. Purity: the share of questions whose group is mostly of their meaning;
    recall: the share of pairs that mean the same, in one language, and are in one group."""
    pool = read(PARAPHRASES)
    embedder = registry.create("embedders", name)
    thresholds = Presets(None).load("default").thresholds(embedder.recipe)
    asked = [
        AskedQuestion(answer=each["question"], site="town", vector=embedder.embed_query(each["question"]))
        for each in pool
    ]
    found = group(asked, thresholds.base + SAME_MEANING * (1 - thresholds.base))
    members: dict[int, Counter[str]] = defaultdict(Counter)
    for each in pool:
        members[found[each["question"]][0]][each["group"]] += 1
    pure = sum(max(meanings.values()) for meanings in members.values())
    alike = [
        found[one["question"]][0] == found[other["question"]][0]
        for one, other in combinations(pool, 2)
        if (one["group"], one["language"]) == (other["group"], other["language"])
    ]
    show(
        f"{len(pool)} paraphrases of {len({each['group'] for each in pool})} questions",
        f"{len(members)} groups, purity {pure / len(pool):.2f}, recall {sum(alike) / len(alike):.2f}",
    )


def reads(stored: Questions) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the queries of the list of questions, with labels."""
    cursor: str | None = None
    for _ in range(100):
        cursor = stored.newest(after=cursor).next or cursor
    filters = {
        "all": QuestionFilter(),
        "unanswered": QuestionFilter(outcomes=GAPS),
        "of a site": QuestionFilter(site="harbour"),
        "rated": QuestionFilter(rating="down"),
        "not rated": QuestionFilter(rating="none"),
        "a day": QuestionFilter(since=START + timedelta(days=9), until=START + timedelta(days=10)),
        "in German": QuestionFilter(language="de", sites=["town"]),
        "a rare word": QuestionFilter(text=RARE),
        "citing a page": QuestionFilter(cited=PageRef(source="town", id="page-0", language="de")),
    }
    for label, chosen in filters.items():
        yield f"a page, {label}", partial(stored.newest, chosen)
        yield f"counts, {label}", partial(stored.counts, chosen)
    yield "a page, the 101st", partial(stored.newest, after=cursor)


def fill(engine: Engine, count: int, first: datetime = START) -> None:
    """Store ``count`` questions, each in a conversation of its own, a minute apart."""
    for start in range(0, count, WRITTEN_AT_ONCE):
        rows = [_rows(number, first) for number in range(start, min(start + WRITTEN_AT_ONCE, count))]
        with writing(engine) as connection:
            for table, written in zip(
                (conversations, answers, questions, citations), zip(*rows, strict=True), strict=False
            ):
                connection.execute(insert(table), list(written))
            rated = [
                {"answer": f"a{number}", "rating": "down", "comment": "Falsch.", "given_at": START}
                for number in range(start, min(start + WRITTEN_AT_ONCE, count))
                if number % 20 == 0
            ]
            connection.execute(insert(feedback), rated)


def _rows(number: int, first: datetime) -> tuple[dict[str, Any], ...]:
    """The rows of a question in each table."""
    chance = random.Random(number)
    site, language = chance.choice(SITES), chance.choice(("de", "en"))
    outcome = chance.choice(OUTCOMES)
    [question] = pages.questions(1)
    question = f"{question} {number}" + (f" {RARE}" if number == 7 else "")
    moment = first + timedelta(minutes=number)
    source = {"id": "x", "title": "Title " * 5, "snippet": "words " * 60, "used": True, "similarity": 0.9}
    document = {
        "question": question,
        "answer": "An answer of several sentences with figures. " * chance.randrange(10, 60),
        "status": _STATUSES[outcome],
        "degraded": [],
        "sources": [source | {"number": n, "url": f"https://town.example/{number}/{n}"} for n in range(1, 8)],
        "citations": [1, 2],
    }
    answer = {
        "id": f"a{number}",
        "conversation": f"c{number}",
        "number": 0,
        "question": question,
        "document": json.dumps(document),
        "status": document["status"],
        "started_at": moment,
        "finished_at": moment,
    }
    asked = {
        "answer": f"a{number}",
        "site": site,
        "asked_at": moment,
        "outcome": outcome,
        "language": language,
        "words": question.casefold(),
    }
    cited = {"answer": f"a{number}", "source": "town", "id": f"page-{number % CITED}", "language": "de"}
    return {"id": f"c{number}", "site": site, "used_at": moment}, answer, asked, cited


if __name__ == "__main__":
    main()
