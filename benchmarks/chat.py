"""Measures the cost of many chats at once: ``python -m benchmarks chat``.

Visitors ask ``auskunft serve`` over the sample site; the model replies at a given pace. First all ask at the
same moment, then at different moments, so that chats overlap. The reference is a bare relay of the same
stream (``benchmarks/bare_relay.py``), served the same way; both take turns. Then thousands of short chats
show what stays in memory. Answers come as Markdown, an event for each token; visitors and model run in this
process.
"""

import asyncio
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import click

from app.demo import QUESTIONS, question_pool
from app.features.evaluation.pool_file import load_pool
from benchmarks.figures import percentiles, show
from benchmarks.paced_model import Pace, PacedModel
from benchmarks.visitors import ChatRecord, ask
from benchmarks.web_servers import WebServer, auskunft, bare_relay

PRESET: Final = "egocms"
"""A preset that has every question rephrased."""

TALK: Final = Pace(rephrase=0.5, first_token=0.3, between=0.05, tokens=100)
SHORT: Final = Pace(rephrase=0.0, first_token=0.0, between=0.0, tokens=10)
SHORT_AT_ONCE: Final = 8
POLL_SECONDS: Final = 0.01
CONCURRENT_ANSWERS: Final = 60

Question = Callable[[], tuple[str, dict[str, Any]]]
"""Returns the next URL to ask, and the body to send."""


@dataclass(slots=True)
class Measurements:
    """The chats with one server and its processor seconds: in all, and for each crowd until its last chat had
    started."""

    records: list[ChatRecord] = field(default_factory=list)
    cpu_seconds: float = 0.0
    cpu_until_started: list[float] = field(default_factory=list)

    @property
    def delays(self) -> list[float]:
        """The delay of every token, in seconds."""
        return [delay for each in self.records for delay in each.delays]


@click.command(help="Measure many chats at once.")
@click.option("--visitors", default=50, show_default=True, help="Chats at once.")
@click.option("--rounds", default=3, show_default=True, help="Chats of each visitor.")
@click.option("--tokens", default=TALK.tokens, show_default=True, help="Tokens of an answer, 20 a second.")
@click.option("--short", default=5_000, show_default=True, help="Short chats, for the memory.")
@click.option("--warm-up", default=500, show_default=True, help="Short chats before those.")
@click.option("--embedder", default="hashing", show_default=True)
def main(*, visitors: int, rounds: int, tokens: int, short: int, warm_up: int, embedder: str) -> None:
    asyncio.run(measure(replace(TALK, tokens=tokens), visitors, rounds, (warm_up, short), embedder))


async def measure(pace: Pace, visitors: int, rounds: int, short: tuple[int, int], embedder: str) -> None:
    """Measure and print. ``short``: the numbers of short chats, to warm up and to measure."""
    async with PacedModel(pace) as model:
        with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
            folder, url = Path(name), model.base_url
            settings = {"embedder": embedder, "preset": PRESET, "concurrent_answers": CONCURRENT_ANSWERS}
            ours = stack.enter_context(auskunft(folder, url, **settings))
            relay = stack.enter_context(bare_relay(folder, url))
            asked, relayed = _questions(ours), _relayed(relay)
            await asyncio.gather(ask(*asked(), ChatRecord()), ask(*relayed(), ChatRecord()))
            for label, spread in (("all at the same moment", 0.0), ("each at its own", pace.seconds)):
                mine, bare = Measurements(), Measurements()
                for _ in range(rounds):
                    await crowd(relay, relayed, visitors, spread, bare)
                    await crowd(ours, asked, visitors, spread, mine)
                show_chats(f"{visitors} chats, {label}", mine, bare, pace)
                if not spread and mine.cpu_until_started:
                    show("  processor time until all have started", percentiles(mine.cpu_until_started))
            model.pace = SHORT
            await show_memory(ours, asked, *short)


async def crowd(
    server: WebServer, question: Question, visitors: int, spread: float, measured: Measurements
) -> None:
    """Let each visitor ask once, starting over ``spread`` seconds; if that is above 0, ask twice, so that the
    first visitors' second chats overlap with the last visitors' first."""
    records = [ChatRecord() for _ in range(visitors * (2 if spread else 1))]

    async def visit(number: int) -> None:
        await asyncio.sleep(spread * number / visitors)
        for each in records[number::visitors]:
            await ask(*question(), each)

    async def all_started() -> float:
        while not all("started" in each.moments for each in records):
            await asyncio.sleep(POLL_SECONDS)
        return server.cpu_seconds - before

    before = server.cpu_seconds
    starting = asyncio.create_task(all_started())
    await asyncio.gather(*(visit(number) for number in range(visitors)), return_exceptions=True)
    measured.records += records
    measured.cpu_seconds += server.cpu_seconds - before
    if starting.done():
        measured.cpu_until_started.append(starting.result())
    starting.cancel()


def show_chats(label: str, mine: Measurements, bare: Measurements, pace: Pace) -> None:
    """Print the figures of one kind of crowd."""
    show(f"{label}: not answered", f"{_failed(mine.records)}; by the relay {_failed(bare.records)}")
    asked = [each for each in mine.records if each.is_by_model]
    started = [each.after("started") for each in asked]
    sources = [each.after("sources") - pace.rephrase for each in asked]
    show("  until started", percentiles(started))
    show("  until sources, without the rephrasing", percentiles(sources))
    show("  a token's delay", percentiles(mine.delays))
    show("  a token's delay by the relay", percentiles(bare.delays))
    ratio = statistics.median(mine.delays) / statistics.median(bare.delays)
    show("  the delay against the relay's, p50", f"{ratio:.2f} x")
    show("  processor time of a chat", f"{_cpu(mine) * 1000:.0f} ms; by the relay {_cpu(bare) * 1000:.0f} ms")
    if _cpu(bare):  # counted in ticks, and a few chats may take none
        show("  processor time against the relay's", f"{_cpu(mine) / _cpu(bare):.2f} x")


async def show_memory(server: WebServer, question: Question, warm_up: int, chats: int) -> None:
    """Ask short questions, a few at once, and show the memory before and after."""
    await short_chats(question, warm_up)
    before, cpu = server.resident_bytes, server.cpu_seconds
    records = await short_chats(question, chats)
    after, cpu = server.resident_bytes, server.cpu_seconds - cpu
    show(f"{chats:,} short chats: not answered", _failed(records))
    show(
        "  memory before and after", f"{before / 1e6:.0f} MB, {after / 1e6:.0f} MB: {after / before - 1:+.1%}"
    )
    show("  processor time of a short chat", f"{cpu / chats * 1000:.1f} ms")


async def short_chats(question: Question, n_chats: int) -> list[ChatRecord]:
    """Run ``n_chats`` short chats, a few at once."""
    records = [ChatRecord() for _ in range(n_chats)]
    left = iter(records)

    async def visitor() -> None:
        for each in left:
            await ask(*question(), each)

    await asyncio.gather(*(visitor() for _ in range(SHORT_AT_ONCE)))
    return records


def _questions(server: WebServer) -> Question:
    questions: Iterator[str] = cycle([each.question for each in load_pool(question_pool())])
    return lambda: (f"{server.url}api/chat?format=markdown", {"question": next(questions)})


def _relayed(server: WebServer) -> Question:
    body = {"messages": [{"role": "user", "content": QUESTIONS[0]}], "max_tokens": 1_000, "stream": True}
    return lambda: (server.url, body)


def _failed(records: Sequence[ChatRecord]) -> str:
    failed = sum(not each.is_answered for each in records)
    without_model = sum(each.is_answered and not each.is_by_model for each in records)
    return f"{failed} of {len(records):,}, {without_model} answered without the model"


def _cpu(measured: Measurements) -> float:
    return measured.cpu_seconds / len(measured.records)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.chat")
