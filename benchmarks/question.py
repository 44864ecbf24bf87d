"""Measures our own time for a question, without models: ``python -m benchmarks question [--profile]``.

Pages are retrieved, the context is planned and sources are described, as before every answer. The embedding
of the question and the matrix products are timed inside that call and subtracted. The rest is the
application's own time: wall-clock and processor time. Every question is asked several times and the quickest
counts, because other work on the machine lengthens the others. On the sample site and a larger generated one.
"""

import cProfile
import io
import pstats
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from app.chat.context import plan_context
from app.chat.documents import SourceDocument
from app.demo import question_pool, site
from app.features.evaluation.pool_file import load_pool
from app.monitoring.logging import configure_quiet_logging
from app.search.embedded.vectors import FieldMatrix
from app.services import Services
from app.settings.settings import load_settings
from benchmarks import pages
from benchmarks.figures import Clock, Stopwatch, percentiles, show, watched

QUESTIONS: Final = 60
PROFILED_FUNCTIONS: Final = 10


@click.command(help="Measure the application's own time for a question.")
@click.option("--large", default=5_000, show_default=True, help="Pages of the generated site.")
@click.option("--embedder", default="e5", show_default=True, help="Embedder of the sample site.")
@click.option("--rounds", default=5, show_default=True, help="Times that each question is asked.")
@click.option("--profile", is_flag=True, help="Print where the time goes.")
def main(large: int, embedder: str, rounds: int, profile: bool) -> None:
    configure_quiet_logging()
    asked = [question.question for question in load_pool(question_pool())]
    measure("sample site", site(), embedder, asked, rounds=rounds, profile=profile)
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "pages.jsonl"
        pages.write(file, (pages.page(number) for number in range(large)))
        measure(
            f"{large:,} pages", file, "hashing", pages.questions(QUESTIONS), rounds=rounds, profile=profile
        )


def measure(
    label: str, path: Path, embedder: str, questions: Sequence[str], *, rounds: int, profile: bool
) -> None:
    """Index ``path``, ask the questions, and print the times."""
    with tempfile.TemporaryDirectory() as data:
        settings = load_settings(data=Path(data), embedder=embedder)
        with Services(settings) as services:
            pages.index(services, path)
            ask(services, questions[0])  # loads the vectors
            for clock, kind in ((time.perf_counter, "time"), (time.thread_time, "processor time")):
                times = [own_times(services, questions, clock) for _ in range(rounds)]
                quickest = [min(own) for own in zip(*times, strict=True)]
                show(f"{label}: own {kind}", percentiles(quickest))
            if profile:
                click.echo(profiled(services, questions))


def own_times(services: Services, questions: Sequence[str], clock: Clock) -> list[float]:
    """Return each question's seconds without the embedder and the matrix products."""
    own = []
    for question in questions:
        with (
            watched(services.indexing.embedder, "embed_query", clock) as embedding,
            watched(FieldMatrix, "_scores", clock) as products,
        ):
            asking = Stopwatch(clock=clock)
            asking.timed(ask)(services, question)
        own.append(asking.seconds - embedding.seconds - products.seconds)
    return own


def ask(services: Services, question: str) -> None:
    """Do all that happens before the answer's first word, except rephrasing."""
    retrieval = services.chat.default.retriever.retrieve(question, sources=frozenset((pages.SOURCE,)))
    context = plan_context(retrieval.hits, services.preset.question.budget_tokens)
    for source in context.sources:
        SourceDocument.of(source, question)


def profiled(services: Services, questions: Sequence[str]) -> str:
    """Return a profile of the functions with the most own time over all questions."""
    profile, text = cProfile.Profile(), io.StringIO()
    for question in questions:
        profile.runcall(ask, services, question)
    pstats.Stats(profile, stream=text).strip_dirs().sort_stats("tottime").print_stats(PROFILED_FUNCTIONS)
    return text.getvalue().strip()


if __name__ == "__main__":
    main()
