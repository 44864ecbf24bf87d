"""Small embedded pages with chosen vectors, for whatever writes to a search index."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from app.search.types import GenerationRecipe, Remove
from ingest.types import FIELDS, Chunk, EmbeddedPage, FieldName, Page, PageRef, Vectors

DIMS: Final = 4
RECIPE: Final = GenerationRecipe(
    embedder={"name": "chosen", "dims": DIMS}, build={"name": "chosen", "chunker": "words"}
)

Directions = Sequence[Sequence[float] | Vectors]


def ref(page_id: str, *, source: str = "town", language: str = "en") -> PageRef:
    return PageRef(source=source, id=page_id, language=language)


def unit(*numbers: float) -> Vectors:
    """The vector of length 1 in that direction."""
    vector = np.array(numbers, np.float64)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def embedded(
    page: PageRef | str,
    sequence: int = 1,
    *,
    vectors: Mapping[FieldName, Directions] | None = None,
    dims: int = DIMS,
    **fields: str,
) -> EmbeddedPage:
    """A page whose field ``f`` has one chunk per vector in ``vectors[f]``, cutting its text evenly."""
    where = ref(page) if isinstance(page, str) else page
    texts = {name: fields[name] for name in FIELDS if name in fields}
    chosen = vectors or {}
    for name in chosen:
        texts.setdefault(name, f"{name} of {where.id}")
    chunks = tuple(
        chunk for name in FIELDS if name in chosen for chunk in cut(name, texts[name], len(chosen[name]))
    )
    rows = [row for name in FIELDS for row in chosen.get(name, ())]
    return EmbeddedPage(
        page=Page(
            ref=where, document=where.id, sequence=sequence, url=f"https://town/{where.id}", fields=texts
        ),
        chunks=chunks,
        vectors=np.array(rows, np.float32) if rows else np.empty((0, dims), np.float32),
    )


def cut(field: FieldName, text: str, parts: int) -> list[Chunk]:
    size = len(text.encode())
    edges = [size * i // parts for i in range(parts + 1)]
    return [
        Chunk(field=field, position=i, start=edges[i], end=edges[i + 1], context="", text="")
        for i in range(parts)
    ]


def remove(page: PageRef | str, sequence: int) -> Remove:
    return Remove(ref=ref(page) if isinstance(page, str) else page, sequence=sequence)
