"""A plain vector search for what a model reads: overlapping pieces of all pages, the nearest first.

Pages are cut like by ``RecursiveCharacterTextSplitter``: at paragraphs; if these are too long, at lines, then
at sentences, then at words. The installation's own embedder embeds the pieces through its vector cache, so
that the second run is quick.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from app.features.evaluation.pool import PoolQuestion
from app.search.types import IndexedPage
from ingest.embedding import CachedEmbedder
from ingest.fingerprints import text_hash
from ingest.protocols import Embedder, VectorCache
from ingest.text import sentences

CHARACTERS: Final = 1_000
OVERLAP: Final = 200
BETWEEN: Final = "\n\n"

Cut = Callable[[str], list[str]]

_CUTS: Final[Sequence[Cut]] = (
    lambda text: re.findall(r".+?(?:\n{2,}|\Z)", text, re.DOTALL),
    lambda text: text.splitlines(keepends=True),
    sentences,
    lambda text: re.findall(r"\S+\s*|\s+", text),
    list,
)
"""Ways to cut a text, the coarsest first; the joined parts are the text."""


def split(text: str, characters: int = CHARACTERS, overlap: int = OVERLAP) -> list[str]:
    """Cut a text into pieces of at most ``characters``; each begins with the last parts of the piece before
    it, up to ``overlap`` characters."""
    pieces: list[str] = []
    parts: list[str] = []
    for part in _parts(text, characters, 0):
        if parts and sum(map(len, parts)) + len(part) > characters:
            pieces.append("".join(parts).strip())
            while parts and (sum(map(len, parts)) > overlap or sum(map(len, parts)) + len(part) > characters):
                parts.pop(0)
        parts.append(part)
    return [piece for piece in (*pieces, "".join(parts).strip()) if piece]


def _parts(text: str, characters: int, level: int) -> Iterator[str]:
    for part in _CUTS[level](text):
        if len(part) <= characters:
            yield part
        else:
            yield from _parts(part, characters, level + 1)


def meant(question: PoolQuestion) -> str:
    """Return a question for programs without conversations: with the question before it in front, if any."""
    before = [turn.content for turn in question.history if turn.role == "user"]
    return " ".join([*[*before, *question.earlier][-1:], question.question])


class PlainSearch:
    """A search in the pieces of some pages."""

    def __init__(self, pages: Iterable[IndexedPage], embedder: Embedder, cache: VectorCache) -> None:
        """Cut the pages, and embed the pieces that the cache lacks."""
        self._embedder = embedder
        texts = (BETWEEN.join([page.title, page.fields.get("content", "")]) for page in pages)
        self._pieces = list(dict.fromkeys(piece for text in texts for piece in split(text)))
        vectors = CachedEmbedder(embedder, cache).vectors(self._pieces)
        self._vectors = np.array([vectors[text_hash(piece)] for piece in self._pieces])

    def __len__(self) -> int:
        return len(self._pieces)

    def context(self, question: str, characters: int) -> str:
        """Return the pieces nearest to the question until they have ``characters``; at least one."""
        cosines = self._vectors @ self._embedder.embed_query(question)
        read: list[str] = []
        for number in np.argsort(-cosines, kind="stable"):
            if sum(map(len, read)) >= characters:
                break
            read.append(self._pieces[number])
        return BETWEEN.join(read)
