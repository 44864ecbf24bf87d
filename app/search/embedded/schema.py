"""The tables of the two kinds of files, and their version."""

from typing import Final

CATALOG_VERSION: Final = 1
GENERATION_VERSION: Final = 2
"""Stored in each file as ``PRAGMA user_version``; a newer Auskunft may write a higher one."""

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

# Of the pages whose chunks are ranked by their words: of each chunk of content the context, and how many of
# the page's token identifiers are its own. A row with another sequence than its page's is out of date.
CHUNK_WORDS: Final = """CREATE TABLE IF NOT EXISTS chunk_words (
    document INTEGER PRIMARY KEY, sequence INTEGER NOT NULL,
    contexts TEXT NOT NULL, lengths BLOB NOT NULL, tokens BLOB NOT NULL)"""

# The words that pages have or had, for misspelt questions: a word that no page has any more is not found
# among the token identifiers.
SPELLINGS: Final = """CREATE TABLE IF NOT EXISTS spellings (
    initial TEXT NOT NULL, letters INTEGER NOT NULL, word TEXT NOT NULL,
    PRIMARY KEY (initial, letters, word)) WITHOUT ROWID"""

# Of the pages with values of declared fields: these, as JSON. A row with another sequence than its page's is
# out of date.
PAGE_VALUES: Final = """CREATE TABLE IF NOT EXISTS page_values (
    document INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, stored TEXT NOT NULL)"""

GENERATION: Final = (
    # A removed page keeps its row, for its sequence, without text. The small columns come first, so that
    # reading them does not read the text.
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
    # Numbers rise with every commit and a page has only its latest one: a reader that has the changes up to a
    # number needs those above it.
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
    """The condition that the columns of a row of ``chunks`` differ in length."""
    return (
        "length(starts) <> length(positions) OR length(starts) <> length(ends) "
        f"OR length(vectors) <> {dims} * length(starts)"
    )


def uneven_index(dims: int) -> str:
    """The index of the rows that are :func:`uneven`, almost always empty: finding none reads no vectors."""
    return f"CREATE INDEX IF NOT EXISTS chunks_uneven ON chunks (document) WHERE {uneven(dims)}"
