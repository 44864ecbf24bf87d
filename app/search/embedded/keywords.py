"""The keyword clause and the word statistics, from the full-text tables of a generation's file.

Token identifiers in hexadecimal are indexed instead of text: :mod:`app.search.analysis` alone analyses text,
for pages, questions and coverage, and FTS5's tokenizer only splits at spaces.
"""

import json
import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.search.analysis import TokenIds, forms, token_ids
from app.search.coverage import Term, idf
from app.search.embedded.schema import COLLECTION
from app.search.types import QuerySpec

MOST_IDF: Final = math.log(2)
"""The idf of a word in half of the pages."""

_TOTALS = "SELECT language, pages, tokens FROM totals WHERE pages > 0"
_FREQUENCY = "SELECT doc FROM vocabulary WHERE term = ?"
# CROSS JOIN fixes the order: first the full text, then the scope of what it found.
_MATCHES = """
    SELECT documents.number FROM words CROSS JOIN documents ON documents.number = words.rowid
    WHERE words MATCH ? AND {scope}
    ORDER BY bm25(words), documents.number LIMIT ?"""
_NAMES = "(SELECT value FROM json_each(?))"


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Of a generation's served pages: their languages, number and mean length in tokens."""

    languages: tuple[str, ...]
    pages: int
    average_length: float


def indexed(ids: TokenIds) -> str:
    """The indexed text of a page's tokens."""
    return " ".join(_names(ids))


def totals(connection: sqlite3.Connection) -> Totals:
    """The generation's totals."""
    rows = connection.execute(_TOTALS).fetchall()
    pages = sum(row[1] for row in rows)
    return Totals(
        languages=tuple(row[0] for row in rows),
        pages=pages,
        average_length=sum(row[2] for row in rows) / pages if pages else 0.0,
    )


def question_terms(connection: sqlite3.Connection, words: Sequence[str], known: Totals) -> list[Term]:
    """The question's words with their forms in the generation's languages and their weights.

    A word's frequency is the sum over its forms, at most the number of pages.
    """
    return [_term(connection, word, known) for word in words]


def matches(connection: sqlite3.Connection, terms: Sequence[Term], spec: QuerySpec) -> list[int]:
    """At most ``spec.keyword_limit`` pages in its scope with any or all of its words, in BM25 order.

    FTS5 gives a word in most pages no weight, yet reads all of them: such words are searched only where the
    rarer words match too few pages.
    """
    if spec.keyword == "none":
        return []
    if spec.keyword == "all":
        return _matches(connection, _all_of(terms), spec)
    rare = _matches(connection, _any_of([term for term in terms if term.idf > MOST_IDF]), spec)
    if len(rare) == spec.keyword_limit:
        return rare
    return _matches(connection, _any_of(terms), spec)


def _matches(connection: sqlite3.Connection, expression: str, spec: QuerySpec) -> list[int]:
    if not expression:
        return []
    scope = _scope(spec)
    statement = _MATCHES.format(scope=" AND ".join(scope))
    names = (json.dumps(list(some)) for some in scope.values())
    return [row[0] for row in connection.execute(statement, (expression, *names, spec.keyword_limit))]


def _scope(spec: QuerySpec) -> dict[str, frozenset[str]]:
    """Conditions on a page, each with the names that are its parameter."""
    scope = {f"source IN {_NAMES}": spec.sources}
    if spec.without:
        scope[f"{COLLECTION} NOT IN {_NAMES}"] = spec.without
    if spec.within is not None:
        scope[f"{COLLECTION} IN {_NAMES}"] = spec.within
    return scope


def _term(connection: sqlite3.Connection, word: str, known: Totals) -> Term:
    ids = token_ids(sorted(forms(word, known.languages)))
    found = [connection.execute(_FREQUENCY, (name,)).fetchone() for name in _names(ids)]
    frequency = sum(row[0] for row in found if row)
    return Term(ids, idf(known.pages, min(frequency, known.pages)))


def _any_of(terms: Sequence[Term]) -> str:
    """The FTS5 query for pages with at least one of the words; empty if there is no word."""
    return " OR ".join(f'"{name}"' for term in terms for name in _names(term.ids))


def _all_of(terms: Sequence[Term]) -> str:
    """The FTS5 query for pages with every word in some form; empty if one has no form or there is no word."""
    words = [_any_of([term]) for term in terms]
    return " AND ".join(f"({word})" for word in words) if all(words) else ""


def _names(ids: TokenIds) -> list[str]:
    return [format(number, "x") for number in ids.tolist()]
