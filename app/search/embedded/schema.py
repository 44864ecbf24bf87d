"""The tables of the two kinds of files (catalog and generation), and their versions."""

from typing import Final

CATALOG_VERSION: Final = 1
GENERATION_VERSION: Final = 2
"""Versions, stored in each file as ``PRAGMA user_version``; a newer Auskunft may write higher ones."""

CATALOG_FILE: Final = "catalog.sqlite"

CATALOG: Final = (
    """CREATE TABLE generations (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        state TEXT NOT NULL,
        recipe TEXT NOT NULL,
        created TEXT NOT NULL)""",
)
CATALOG_ADDED: Final = {"owner": "TEXT NOT NULL DEFAULT ''"}
"""Later columns. Versions without them can still use the file, so they do not raise ``CATALOG_VERSION``."""

COLLECTION: Final = "documents.source || ':' || documents.document || '#' || documents.kind"
"""The page's collection (:func:`app.search.types.collection_of`) as an SQL expression."""

# For pages whose chunks are ranked by their words: the context of each chunk of content, and how many of the
# tokens are its own. A row whose sequence differs from its page's is out of date.
CHUNK_WORDS: Final = """CREATE TABLE IF NOT EXISTS chunk_words (
    document INTEGER PRIMARY KEY, sequence INTEGER NOT NULL,
    contexts TEXT NOT NULL, lengths BLOB NOT NULL, tokens BLOB NOT NULL)"""

# The words that pages have or had, for correcting misspelt questions. A word that no page has any more does
# no harm: it is not found among the token identifiers.
SPELLINGS: Final = """CREATE TABLE IF NOT EXISTS spellings (
    initial TEXT NOT NULL, letters INTEGER NOT NULL, word TEXT NOT NULL,
    PRIMARY KEY (initial, letters, word)) WITHOUT ROWID"""

# The values of declared fields, as JSON, of the pages that have any. A row whose sequence differs from its
# page's is out of date.
PAGE_VALUES: Final = """CREATE TABLE IF NOT EXISTS page_values (
    document INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, stored TEXT NOT NULL)"""

GENERATION: Final = (
    # A removed page keeps its row without text, to remember its sequence. The small columns come first, so
    # that reading them does not read the text.
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
    # Numbers increase with every commit, and a page keeps only its latest one. A process that has loaded the
    # changes up to a number needs only those above it.
    "CREATE TABLE changes (number INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL UNIQUE)",
    "CREATE TABLE totals (language TEXT PRIMARY KEY, pages INTEGER, tokens INTEGER, vectors INTEGER)",
    CHUNK_WORDS,
    SPELLINGS,
    PAGE_VALUES,
)
DOCUMENTS_ADDED: Final = {"metadata": "TEXT"}
"""Later columns of ``documents``; see ``CATALOG_ADDED``."""

# Version 1 kept the words in full-text tables.
WITHOUT_FULL_TEXT: Final = ("DROP TABLE IF EXISTS vocabulary", "DROP TABLE IF EXISTS words")


def uneven(dims: int) -> str:
    """Return the SQL condition that the columns of a row of ``chunks`` differ in length."""
    return (
        "length(starts) <> length(positions) OR length(starts) <> length(ends) "
        f"OR length(vectors) <> {dims} * length(starts)"
    )


def uneven_index(dims: int) -> str:
    """Return the SQL that indexes the rows that are :func:`uneven`. The index is almost always empty; that
    there are no such rows is then known without reading vectors."""
    return f"CREATE INDEX IF NOT EXISTS chunks_uneven ON chunks (document) WHERE {uneven(dims)}"
