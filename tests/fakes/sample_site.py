"""The sample site, indexed with the bundled embedder, and the questions of its pool."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.background.importer import Importer
from app.chat.types import Turn
from app.demo import question_pool, site
from app.services import Services
from app.settings.settings import Settings, load_settings
from ingest.sources.files import FilesSource
from tests.fakes.kept_vectors import kept_vectors

SOURCE: Final = "demo"


def indexed(folder: Path, embedder: str = "e5", pages: Path | None = None) -> Settings:
    """The settings of an installation in ``folder`` that has indexed the sample site, or these ``pages`` of
    it, as source ``demo``."""
    settings = load_settings(data=folder, embedder=embedder)
    with Services(settings) as services, kept_vectors(services):
        importer = Importer(store=services.store, indexer=services.indexing.indexer, show=lambda *_: None)
        assert importer.run(FilesSource(SOURCE, str(pages or site()))).failures == {}
    return settings


@dataclass(frozen=True, kw_only=True)
class SampleQuestion:
    """A question about the site. ``gold``: the ids of the pages that answer it; none: it has no answer."""

    question: str
    history: tuple[Turn, ...] = ()
    gold: tuple[str, ...] = ()


def pool() -> dict[str, SampleQuestion]:
    """The questions by their ids."""
    rows = map(json.loads, question_pool().read_text("utf-8").splitlines())
    return {row["id"]: _question(row) for row in rows}


def _question(row: dict[str, Any]) -> SampleQuestion:
    history = tuple(Turn(role=turn["role"], content=turn["content"]) for turn in row["history"])
    return SampleQuestion(question=row["question"], history=history, gold=tuple(row["gold"]))
