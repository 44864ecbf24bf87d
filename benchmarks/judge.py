"""Measures how well a judge's requests overlap: ``python -m benchmarks judge``.

Answers are graded by an endpoint on loopback, in a process of its own, that replies after a fixed time. Only
the run is measured, from its first request to its last grade; the ideal is answers x reply / parallel.
"""

import asyncio
import json
import multiprocessing
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import click

from app.chat.model.prompts import PACKAGE_PROMPTS
from app.features.evaluation.grades import grade_file
from app.features.evaluation.grading import GradingRun
from app.features.evaluation.judge import CriteriaGrader
from app.features.evaluation.judge_model import make_judge
from app.features.evaluation.rubric import CRITERIA, NO_EXAMPLES, Scale
from app.features.evaluation.sheets import AnswerSheet
from app.settings.settings import load_settings
from benchmarks.figures import show
from benchmarks.paced_model import END, HEAD, HOST, event, request

TARGET = 1.3
CONTEXT = "The swimming pool opens on Saturday at nine. Bring a towel. " * 20


@click.command(help="Measure how well a judge's requests overlap.")
@click.option("--answers", default=1_000, show_default=True, help="Answers that are graded.")
@click.option("--reply", default=0.2, show_default=True, help="Seconds until the judge replies.")
@click.option("--parallel", default=4, show_default=True, help="Requests at once.")
def main(answers: int, reply: float, parallel: int) -> None:
    sheets = [
        AnswerSheet(question=f"When does pool {number} open?", answer="At nine [1].", context=(CONTEXT,))
        for number in range(answers)
    ]
    with replying(reply) as base_url, tempfile.TemporaryDirectory() as folder:
        judge = make_judge(load_settings(judge={"model": "paced", "base_url": base_url}))
        assert judge is not None
        grader = CriteriaGrader(prompts_of=PACKAGE_PROMPTS, scale_of=Scale(0, 3), rubric=NO_EXAMPLES)
        run = GradingRun(judge=judge, grader=grader, parallel=parallel)
        file = grade_file(Path(folder) / "grades.jsonl")
        graded = 0
        started = time.perf_counter()
        with file.appending() as writer:
            for grade in run.grades(sheets):
                writer.append(grade)
                graded += not grade.ungraded
        seconds = time.perf_counter() - started
    ideal = answers * reply / parallel
    show("graded", f"{graded:,} of {answers:,}")
    show(f"ideal with {parallel} at once", f"{ideal:.1f} s")
    show("the run", f"{seconds:.1f} s: {seconds / ideal:.2f} x the ideal (target {TARGET})")


@contextmanager
def replying(seconds: float) -> Iterator[str]:
    """Yield the base URL of a judge that replies after ``seconds``."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(there, seconds), daemon=True)
    process.start()
    try:
        yield f"http://{HOST}:{here.recv()}/v1"
    finally:
        process.terminate()
        process.join()


def _serve(parent: Connection, seconds: float) -> None:
    asyncio.run(_judge(parent, seconds))


async def _judge(parent: Connection, seconds: float) -> None:
    said = {f"{name}_reason": "As the page says." for name in CRITERIA} | dict.fromkeys(CRITERIA, 3)
    body = HEAD + event(json.dumps(said)) + END

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if await request(reader) is not None:
            await asyncio.sleep(seconds)
            writer.write(body)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(reply, HOST, 0)
    parent.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.judge")
