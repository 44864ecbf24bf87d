"""Measures how soon the model stops working when a visitor leaves: ``python -m benchmarks leavers``.

Visitors ask ``auskunft serve`` over the sample site and close their connection at a random moment: while the
question is rephrased, before the answer's first token, or in the middle of the answer. Measured is the time
until the last connection to the model is closed, after which none may be opened. Then it checks the status of
the stored answers, and that as many visitors as may ask at once are answered again.
"""

import asyncio
import random
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
import httpx

from app.api.pings import PING_SECONDS
from app.demo import QUESTIONS
from benchmarks.figures import percentiles, show
from benchmarks.paced_model import Call, Pace, PacedModel
from benchmarks.visitors import ChatRecord, ask
from benchmarks.web_servers import WebServer, auskunft

PACE: Final = Pace(rephrase=7.0, first_token=7.0, between=0.05, tokens=200)
QUICK: Final = Pace(rephrase=0.0, first_token=0.0, between=0.0, tokens=10)
REPHRASE_SECONDS: Final = 30
TARGET_SECONDS: Final = 2 * PING_SECONDS
TIMEOUT_SECONDS: Final = 2 * TARGET_SECONDS
POLL_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """A visitor who left. ``phase``: what the model was doing then. ``seconds``: how long it still worked.
    ``status``: of the stored answer; empty if the visitor left before it had an id."""

    phase: str
    seconds: float
    status: str


@click.command(help="Measure how soon the model stops when visitors leave.")
@click.option("--trials", default=200, show_default=True, help="Visitors who leave.")
@click.option("--at-once", default=40, show_default=True, help="So many of them at the same time.")
@click.option("--seed", default=1, show_default=True, help="Of the moments.")
@click.option("--hurry", default=1.0, show_default=True, help="Let the model be so many times quicker.")
def main(trials: int, at_once: int, seed: int, hurry: float) -> None:
    pace = Pace(
        rephrase=PACE.rephrase / hurry,
        first_token=PACE.first_token / hurry,
        between=PACE.between / hurry,
        tokens=PACE.tokens,
    )
    asyncio.run(measure(pace, trials, at_once, random.Random(seed)))


async def measure(pace: Pace, trials: int, at_once: int, chance: random.Random) -> None:
    """Let visitors leave, then ask as many questions as may be answered at once."""
    moments = [chance.uniform(0, pace.seconds) for _ in range(trials)]
    settings = {
        "chat__rephrase_seconds": REPHRASE_SECONDS,
        "concurrent_answers": at_once,
        "preset": "egocms",  # which has every question rephrased
    }
    # No keep-alive, because the server may close idle connections at any time.
    fresh = httpx.Limits(max_keepalive_connections=0)
    async with (
        PacedModel(QUICK) as model,
        httpx.AsyncClient(timeout=TIMEOUT_SECONDS, limits=fresh) as http,
    ):
        with (
            tempfile.TemporaryDirectory() as name,
            auskunft(Path(name), model.base_url, **settings) as server,
        ):
            trial = Trials(server, model, http)
            await trial.stay(trials)
            model.pace = pace
            left: list[Departure] = []
            for first in range(0, trials, at_once):
                numbers = range(first, min(first + at_once, trials))
                left += await asyncio.gather(*(trial.leave(number, moments[number]) for number in numbers))
            show_left(left)
            model.pace = QUICK
            free = await asyncio.gather(*(trial.stay(number) for number in range(at_once)))
            show("places that are free afterwards", f"{sum(free)} of {at_once}")


class Trials:
    """Visits to one server; a number in each question identifies it at the model."""

    def __init__(self, server: WebServer, model: PacedModel, http: httpx.AsyncClient) -> None:
        self._server = server
        self._model = model
        self._http = http

    async def leave(self, number: int, seconds: float) -> Departure:
        """Ask, and leave after ``seconds``."""
        mark, record = f"#{number:06}", ChatRecord()
        asking = asyncio.create_task(self._ask(mark, record))
        await asyncio.sleep(seconds)
        phase = _phase(self._calls(mark), record)
        left_at = time.perf_counter()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        status = await self._status(record)
        ends = [call.ended_at for call in self._calls(mark)]
        last = max((end for end in ends if end), default=left_at) if all(ends) else float("inf")
        return Departure(phase=phase, seconds=max(0.0, last - left_at), status=status)

    async def stay(self, number: int) -> bool:
        """Ask, and wait for the end. Return True if the question was answered."""
        return (await self._ask(f"#{number:06}", ChatRecord())).is_answered

    async def _ask(self, mark: str, record: ChatRecord) -> ChatRecord:
        return await ask(f"{self._server.url}api/chat", {"question": f"{QUESTIONS[0]} {mark}"}, record)

    async def _status(self, record: ChatRecord) -> str:
        """The final status of the stored answer; without an id, wait until all answers must have ended."""
        if not record.answer:
            await asyncio.sleep(TIMEOUT_SECONDS)
            return ""
        deadline, status = time.monotonic() + TIMEOUT_SECONDS, "running"
        while status == "running" and time.monotonic() < deadline:
            await asyncio.sleep(POLL_SECONDS)
            answer = await self._http.get(f"{self._server.url}api/answers/{record.answer}")
            status = str(answer.raise_for_status().json()["status"])
        return status

    def _calls(self, mark: str) -> list[Call]:
        return [call for call in self._model.calls if mark in call.prompt]


def show_left(left: Sequence[Departure]) -> None:
    """Print the figures."""
    for phase, count in sorted(Counter(each.phase for each in left).items()):
        seconds = [each.seconds for each in left if each.phase == phase]
        show(f"{phase}: {count} left, the model stopped", f"{percentiles(seconds)}, max {max(seconds):.2f} s")
    in_time = sum(each.seconds <= TARGET_SECONDS for each in left)
    show(f"stopped within {TARGET_SECONDS:g} s", f"{in_time} of {len(left)}")
    kept = Counter(each.status or "left before it had an id" for each in left)
    show("answers kept as", ", ".join(f"{status}: {count}" for status, count in kept.most_common()))


def _phase(calls: Sequence[Call], record: ChatRecord) -> str:
    if record.delays or "block" in record.moments:
        return "in the middle"
    return ("before the model was asked", "rephrasing", "before the first token")[min(len(calls), 2)]


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.leavers")
