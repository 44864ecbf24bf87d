"""A fetcher without waits, a scripted server, names that resolve as scripted."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ingest.fetching.addresses import AllowList
from ingest.fetching.client import Fetcher, Limits
from ingest.fetching.connections import Resolver
from tests.fakes.scripted_server import ScriptedServer

JSON = ("application/json",)


class Names:
    """A name server: each name's answers in turn, the last one for good; others by ``otherwise``."""

    def __init__(
        self,
        answers: Mapping[str, Sequence[str] | Sequence[Sequence[str]]],
        otherwise: Resolver | None = None,
    ) -> None:
        self._answers = {name: _in_turn(some) for name, some in answers.items()}
        self._otherwise = otherwise
        self.asked: list[str] = []

    def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        answers = self._answers.get(host.lower().rstrip("."))
        if answers is None and self._otherwise is not None:
            return self._otherwise(host, port)
        if answers is None:
            raise OSError("no such name")
        return answers.pop(0) if len(answers) > 1 else answers[0]


def _in_turn(answers: Sequence[str] | Sequence[Sequence[str]]) -> list[Sequence[str]]:
    if all(isinstance(answer, str) for answer in answers):
        return [[str(answer) for answer in answers]]
    return list(answers)


def fetcher(
    allow: Sequence[str] = ("127.0.0.1",),
    waits: list[float] | None = None,
    authority: Path | None = None,
    **settings: Any,
) -> Fetcher:
    """A fetcher that notes how long it would have waited instead of waiting."""
    resolve = {"resolve": settings.pop("resolve")} if "resolve" in settings else {}
    limits = Limits(**{"total_seconds": 20.0, "per_second": 1e9, **settings})
    return Fetcher(
        AllowList.parse(allow),
        limits,
        authority=authority,
        sleep=(waits if waits is not None else []).append,
        **resolve,
    )


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server
