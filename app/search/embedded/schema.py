"""The tables of the two kinds of files, and the number that says how new they are."""

from typing import Final

VERSION: Final = 1
"""Stored in each file as ``PRAGMA user_version``; a file with a higher one was made by a newer Auskunft."""

CATALOG_FILE: Final = "catalog.sqlite"

CATALOG: Final = (
    """CREATE TABLE generations (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        state TEXT NOT NULL,
        recipe TEXT NOT NULL,
        created TEXT NOT NULL)""",
)
CATALOG_ADDED: Final = {"owner": "TEXT NOT NULL DEFAULT ''"}
"""Columns that came later. Versions that do not know them need not, so they do not raise the number."""

PART: Final = "documents.source || ':' || documents.document || '#' || documents.kind"
"""The page's part (:func:`app.search.types.collection_of`) as an expression."""

GENERATION: Final = (
    # A removed page keeps its row (its sequence) without text. The small columns come first, so that
    # reading them does not walk through the text.
    """CREATE TABLE documents (
        number INTEGER PRIMARY KEY,
        source TEXT NOT NULL, id TEXT NOT NULL, language TEXT NOT NULL,
        sequence INTEGER NOT NULL, removed INTEGER NOT NULL,
        document TEXT, url TEXT, kind TEXT, updated TEXT,
        name TEXT, title TEXT, description TEXT, keywords TEXT, content TEXT,
        tokens BLOB, metadata TEXT,
        UNIQUE (source, id, language))""",
    # One row per page and field: int32 arrays of shape (n,), float32 vectors of shape (n, dims).
    """CREATE TABLE chunks (
        document INTEGER NOT NULL, field TEXT NOT NULL,
        positions BLOB NOT NULL, starts BLOB NOT NULL, ends BLOB NOT NULL, vectors BLOB NOT NULL,
        UNIQUE (document, field))""",
    # Numbers rise with every commit and a page has only its latest one: a reader that knows the pages up
    # to a number finds what it is missing above it.
    "CREATE TABLE changes (number INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL UNIQUE)",
    "CREATE TABLE totals (language TEXT PRIMARY KEY, pages INTEGER, tokens INTEGER, vectors INTEGER)",
    # Contentless: the tokens are in documents.tokens, which also says what to take out of this table.
    "CREATE VIRTUAL TABLE words USING fts5(tokens, content='', tokenize='ascii')",
    "CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row)",
)
DOCUMENTS_ADDED: Final = {"metadata": "TEXT"}
"""Columns of ``documents`` that files of an earlier version lack; see ``CATALOG_ADDED``."""
