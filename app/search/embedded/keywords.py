"""The keyword clause and the word statistics of a question.

Only token identifiers are compared here. All text, of pages and questions, is analysed by
:mod:`app.search.analysis`.
"""

import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

import numpy as np

from app.search.analysis import TokenIds, forms, token_ids
from app.search.coverage import Term, idf
from app.search.embedded.scope import Documents, Scope
from app.search.embedded.words import Place, WeightedWord, WordMemory
from app.search.types import QuerySpec

LEAST_IDF: Final = 1e-6
"""The weight of tokens that most pages have, so that no page ranks lower for having one more of the words."""

CACHED_WORDS: Final = 4_096

_TOTALS = "SELECT language, pages, tokens FROM totals WHERE pages > 0 ORDER BY pages DESC, language"


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Statistics of a generation's served pages: their languages, the most frequent first; their number; and
    their mean length in tokens."""

    languages: tuple[str, ...]
    pages: int
    average_length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWord:
    """The forms of a word of the question, shape ``(n,)``, and the number of pages that have each."""

    tokens: TokenIds
    frequencies: Sequence[int]


def totals(connection: sqlite3.Connection) -> Totals:
    """Return the generation's totals."""
    rows = connection.execute(_TOTALS).fetchall()
    pages = sum(row[1] for row in rows)
    return Totals(
        languages=tuple(row[0] for row in rows),
        pages=pages,
        average_length=sum(row[2] for row in rows) / pages if pages else 0.0,
    )


def question_words(memory: WordMemory, words: Sequence[str], known: Totals) -> list[QuestionWord]:
    """Return the question's words with their forms in the generation's languages."""
    if not words:
        return []
    ids = [_form_ids(word, known.languages) for word in words]
    frequencies = iter(memory.frequencies(np.concatenate(ids)))
    return [QuestionWord(tokens=some, frequencies=list(islice(frequencies, len(some)))) for some in ids]


@lru_cache(maxsize=CACHED_WORDS)
def _form_ids(word: str, languages: tuple[str, ...]) -> TokenIds:
    """Return the identifiers of a word's forms. Cached, because a question looks up its words several
    times."""
    return token_ids(sorted(forms(word, languages)))


def any_word(memory: WordMemory, words: Sequence[str], known: Totals) -> QuestionWord:
    """Return several words as one, which a page has if it has any of them in some form."""
    tokens = token_ids(sorted(frozenset().union(*(forms(word, known.languages) for word in words))))
    return QuestionWord(tokens=tokens, frequencies=memory.frequencies(tokens))


def word_documents(memory: WordMemory, word: QuestionWord, scope: Scope) -> Documents:
    """Return the pages in ``scope`` that have the word in some form."""
    return memory.documents(word.tokens if any(word.frequencies) else word.tokens[:0], scope)


def terms_of(words: Sequence[QuestionWord], known: Totals) -> list[Term]:
    """Return the words as coverage weighs them. The frequency of a word is the sum over its forms, at most
    the number of pages."""
    return [Term(word.tokens, idf(known.pages, min(sum(word.frequencies), known.pages))) for word in words]


def matches(
    memory: WordMemory, words: Sequence[QuestionWord], known: Totals, spec: QuerySpec, scope: Scope
) -> list[int]:
    """Return at most ``spec.keyword_limit`` pages in ``scope`` with any or all of the words, by BM25."""
    if spec.keyword == "none" or not words:
        return []
    best = memory.best(
        [_weighted(word, known) for word in words],
        least=len(words) if spec.keyword == "all" else 1,
        scope=scope,
        average_length=known.average_length,
        limit=spec.keyword_limit,
    )
    return [document for document, _ in best]


def matching_chunks(
    memory: WordMemory, words: Sequence[str], languages: Sequence[str], scope: Scope, limit: int
) -> list[Place]:
    """Return at most ``limit`` chunks in ``scope`` with any of the words, by BM25 as Lucene has it."""
    chunks, average_length = memory.lengths()
    known = Totals(languages=tuple(languages), pages=chunks, average_length=average_length)
    found = question_words(memory, words, known)
    if not found:
        return []
    weighted = [
        WeightedWord(tokens=word.tokens, weights=[idf(chunks, having) for having in word.frequencies])
        for word in found
    ]
    return memory.best(weighted, least=1, scope=scope, average_length=average_length, limit=limit)


def _weighted(word: QuestionWord, known: Totals) -> WeightedWord:
    """Weigh the word's forms by the idf of Robertson and Spärck Jones, at least ``LEAST_IDF``, because that
    idf is negative for forms in most pages."""
    idfs = [math.log((max(known.pages - having, 0) + 0.5) / (having + 0.5)) for having in word.frequencies]
    return WeightedWord(tokens=word.tokens, weights=[max(weight, LEAST_IDF) for weight in idfs])
