"""Own time of questions, now and before: ``python -m benchmarks.own_time BEFORE [PAGES QUESTIONS]``.

BEFORE: a work tree of an earlier commit with its own ``.venv``. Each tree indexes PAGES (by default the
sample site) in a process of its own and answers QUESTIONS without a language model. They take turns, so that
other work on the machine lengthens both. Measured is the processor time of a whole answer, without the
embedder and the reader (a cross-encoder). Every question is asked once before, so that all caches are warm,
and its quickest round counts.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, Final

import click

from app.demo import question_pool, site
from benchmarks.figures import p95, percentiles, show

SCRIPT: Final = Path(__file__).parent / "peer_scripts" / "own_time.py"
ROUNDS: Final = 7

_FILE: Final = click.Path(exists=True, path_type=Path)


@click.command(help="Measure the own time of questions beside an earlier commit's.")
@click.argument("before", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("pages", type=_FILE, required=False)
@click.argument("questions", type=_FILE, required=False)
@click.option("--embedder", default="e5", show_default=True)
@click.option("--rounds", default=ROUNDS, show_default=True)
def main(before: Path, pages: Path | None, questions: Path | None, embedder: str, rounds: int) -> None:
    lines = (questions or question_pool()).read_text("utf-8").splitlines()
    told = {
        "pages": str((pages or site()).resolve()),
        "questions": [json.loads(line)["question"] for line in lines if line.strip()],
        "embedder": embedder,
    }
    with ExitStack() as stack:
        pythons = (before.resolve() / ".venv" / "bin" / "python", Path(sys.executable))
        asking = [stack.enter_context(tree(python, told)) for python in pythons]
        taken = [[next(seconds) for seconds in asking] for _ in range(rounds)]
    quickest = [[min(times) for times in zip(*each, strict=True)] for each in zip(*taken, strict=True)]
    for label, seconds in zip(("before", "now"), quickest, strict=True):
        show(f"{len(told['questions'])} questions, {label}", percentiles(seconds))
    show("now / before", ratios(*quickest))


def ratios(before: Sequence[float], now: Sequence[float]) -> str:
    """Return the ratios of the sums and of the 95th percentiles."""
    return f"{sum(now) / sum(before):.2f} x, p95 {p95(now) / p95(before):.2f} x"


@contextmanager
def tree(python: Path, told: dict[str, Any]) -> Iterator[Iterator[list[float]]]:
    """Yield an iterator of rounds: each asks all questions, with the code that this Python imports, and gives
    their seconds."""
    with subprocess.Popen(
        [python, SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        asking, answers = child.stdin, child.stdout
        assert asking is not None
        assert answers is not None
        asking.write(f"{json.dumps(told)}\n")
        yield rounds(asking, answers)
        asking.close()


def rounds(asking: IO[str], answers: IO[str]) -> Iterator[list[float]]:
    """Yield the seconds of all questions, for each round requested."""
    while True:
        asking.write("\n")
        asking.flush()
        if not (line := answers.readline()):
            raise click.ClickException("one of the trees cannot answer: what it said is above")
        yield json.loads(line)


if __name__ == "__main__":
    main()
