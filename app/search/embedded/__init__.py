"""The search index that needs no server: SQLite for text and words, numpy for vectors."""

from app.search.embedded.index import EmbeddedIndex

__all__ = ["EmbeddedIndex"]
