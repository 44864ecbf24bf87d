"""The real service over a small town's pages, as a process, with a scripted language model."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from app.services import Services
from app.settings.settings import load_settings
from ingest.types import PageRef, RawField, RawPage, Save
from tests.fakes.command import Command
from tests.fakes.llm import FakeLlm, Reply, rewriting

PAGES: Final = {
    "dog-tax": (
        "Hundesteuer",
        "Die Hundesteuer beträgt 96 Euro im Jahr für den ersten Hund. Jeder weitere Hund kostet 144 Euro "
        "im Jahr. Assistenzhunde sind von der Hundesteuer befreit.",
    ),
    "ferry": (
        "Fähre",
        "Die Fähre legt werktags zwischen sechs und zwanzig Uhr alle zehn Minuten ab. Eine Überfahrt "
        "kostet zwei Euro, Fahrräder fahren frei.",
    ),
    "bees": ("Bienen", "Wer in Otterfurt Bienen halten will, meldet seine Völker beim Rathaus an."),
}
CONTACT: Final = "rathaus@otterfurt.example"
START_SECONDS: Final = 60


def answering(llm: FakeLlm, *answer: Reply | str, question: str = "") -> None:
    """Let the model give these replies; before them ``question``, as which it rephrases a follow-up."""
    replies = [reply if isinstance(reply, Reply) else Reply(deltas=(reply,)) for reply in answer]
    llm.script(*([rewriting(question)] if question else []), *replies)


@contextmanager
def serving(
    folder: Path, website: str, llm: FakeLlm, *, more: Mapping[str, Any] | None = None, **settings: Any
) -> Iterator[str]:
    """The address of a service whose only site is at the origin ``website``. ``more``: settings of the
    site."""
    _index(folder / "data", website)
    site = {
        "key": "town",
        "name": "Fragen an Otterfurt",
        "language": "de",
        "origins": [website],
        "contact": CONTACT,
        "privacy_url": f"{website}/dog-tax",
        "examples": ["Was kostet die Hundesteuer im Jahr?"],
        "questions_per_minute": 1000,
        **(more or {}),
    }
    command = Command(
        folder,
        sites=json.dumps([site]),
        chat__base_url=llm.base_url,
        chat__model="fake",
        chat__idle_seconds=20,
        **settings,
    )
    with _started(command, "serve") as address:
        yield address


@contextmanager
def serving_demo(folder: Path, llm: FakeLlm) -> Iterator[str]:
    """The address of the demo: the sample site as a website, with the pages of the service."""
    with _started(Command(folder, chat__base_url=llm.base_url, chat__model="fake"), "demo") as address:
        yield address


@contextmanager
def _started(command: Command, name: str) -> Iterator[str]:
    """The address that a command prints once it serves."""
    process = command.start(name, "--port", "0")
    try:
        assert process.stdout is not None
        lines = (line.decode() for line in process.stdout)
        found = next(
            (match[1] for line in lines if (match := re.search(r"serves at (http://[^\s/]+)", line))), None
        )
        assert found, process.communicate()
        yield found
    finally:
        process.terminate()
        process.communicate(timeout=START_SECONDS)


def _index(data: Path, website: str) -> None:
    with Services(load_settings(data=data, embedder="hashing")) as services:
        services.store.accept([_page(name, *texts, website) for name, texts in PAGES.items()])
        while services.store.pending():
            services.indexing.indexer.sync_pages()


def _page(name: str, title: str, content: str, website: str) -> Save:
    return Save(
        page=RawPage(
            ref=PageRef(source="town", id=name, language="de"),
            document=name,
            url=f"{website}/{name}",
            fields={
                "title": RawField(text=title, media_type="text/plain"),
                "content": RawField(text=content, media_type="text/plain"),
            },
        )
    )
