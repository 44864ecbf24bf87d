"""What an installation holds, read from its files, and whether it fits together."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from app.pages.database import open_engine, sqlite_url
from app.pages.page_list import PageList
from app.pages.types import PageRecord
from app.services import Services
from app.settings.settings import Settings
from ingest.types import FIELDS

Contents = dict[tuple[str, str, str], dict[str, Any]]
"""By source, id and language: the fields, tokens, and chunks by field (positions, starts, ends, vectors)."""


def check_and_read(data: Path) -> Contents:
    """Check that store and index agree and nothing is torn; what the index serves."""
    with Services(Settings(data=data, embedder="hashing")) as services:
        rows = list(services.page_list.records())
        live = services.indexing.index.live()
        assert live is not None
        assert {row.state for row in rows} <= {"indexed", "deleted"}
        wanted = [(row.ref, row.sequence) for row in rows if row.state == "indexed"]
        assert sorted(services.indexing.index.refs(live.number)) == sorted(wanted)
        dims = live.recipe.dims
    for file in (data / "pages.sqlite", *(data / "index").glob("*.sqlite")):
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    [generation] = (data / "index").glob("generation-*.sqlite")
    return _read_generation(generation, dims)


def find(data: Path, words: Sequence[str], **settings: Any) -> list[list[str]]:
    """The ids of the pages that search finds for each word."""
    with Services(Settings(data=data, embedder="hashing", **settings)) as services:
        sources = frozenset(services.store.sources())
        found = [services.chat.default.retriever.retrieve(word, sources=sources) for word in words]
    return [[hit.page.ref.id for hit in retrieval.hits] for retrieval in found]


def rows(data: Path) -> list[PageRecord]:
    """What the page store knows of every page."""
    return list(PageList(open_engine(sqlite_url(data / "pages.sqlite"))).records())


def _read_generation(file: Path, dims: int) -> Contents:
    contents: Contents = {}
    with closing(sqlite3.connect(file)) as connection:
        connection.row_factory = sqlite3.Row
        columns = f"number, source, id, language, url, tokens, {', '.join(FIELDS)}"
        for row in connection.execute(f"SELECT {columns} FROM documents WHERE NOT removed").fetchall():
            chunks = connection.execute(
                "SELECT * FROM chunks WHERE document = ?", (row["number"],)
            ).fetchall()
            page = {name: row[name] for name in ("url", "tokens", *FIELDS)}
            page["chunks"] = {
                chunk["field"]: _checked_chunks(row[chunk["field"]], chunk, dims) for chunk in chunks
            }
            assert set(page["chunks"]) == {name for name in FIELDS if row[name]}
            contents[row["source"], row["id"], row["language"]] = page
        numbers = {row[0] for row in connection.execute("SELECT number FROM documents WHERE NOT removed")}
        owners = {row[0] for row in connection.execute("SELECT document FROM chunks")}
        assert owners == numbers
        totals = connection.execute("SELECT sum(pages), sum(vectors) FROM totals").fetchone()
    vectors = sum(len(field[1]) for page in contents.values() for field in page["chunks"].values())
    assert tuple(totals) == (len(contents), vectors)
    return contents


def _checked_chunks(
    text: str, chunk: sqlite3.Row, dims: int
) -> tuple[list[int], list[int], list[int], bytes]:
    """Cores that join to the field's text byte for byte, and one vector for each."""
    positions, starts, ends = (
        np.frombuffer(chunk[name], "<i4").tolist() for name in ("positions", "starts", "ends")
    )
    encoded = text.encode()
    assert b"".join(encoded[start:end] for start, end in zip(starts, ends, strict=True)) == encoded
    assert positions == list(range(len(starts)))
    vectors = np.frombuffer(chunk["vectors"], "<f4").reshape(len(starts), dims)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    return positions, starts, ends, chunk["vectors"]
