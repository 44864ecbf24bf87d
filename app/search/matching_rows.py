"""Rows of a table, or items of a list, that a question is about: those with its words that few others have.
Pure functions; in doubt they return nothing."""

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from app.search import analysis, dictionary
from app.search.ages import ages_stated, share_within
from app.search.answer_kinds import AnswerKind, asked_kinds, share_of_kinds

MOST_SHARE: Final = 0.5
"""If a larger share of the rows matches, none counts, because the words do not distinguish them."""

LEAST_COVERAGE: Final = 0.5
"""An item of a list must have this share of those of the question's words that are not above the list. One
word is enough for a row of a table, because its first cell names it."""

HEAD_LETTERS: Final = 4
"""A word with at least as many letters also matches the end of a longer one: *Ausweis* in
*Personalausweis*."""

_CELL_END: Final = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class AskedWords:
    """A question's content words, without those that say what kind of answer is wanted ("costs", "open");
    the ``languages`` of question and page, in which words match in all forms and translations; the ``kinds``
    of answer wanted; and the ``ages`` that the question states."""

    words: tuple[str, ...]
    languages: tuple[str, str]
    kinds: tuple[AnswerKind, ...] = ()
    ages: tuple[int, ...] = ()

    @classmethod
    def of(cls, question: str, language: str, page_language: str) -> "AskedWords":
        """Extract them from a question in ``language`` about a page in ``page_language``."""
        words = analysis.content_words(question, language)
        named = tuple(word for word in words if not asked_kinds(word))
        kinds = tuple(kind for kind in asked_kinds(question) if kind.is_exact)
        return cls(named, (language, page_language), kinds, ages_stated(question))

    def words_in(self, markdown: str) -> frozenset[str]:
        """Return the words that a text has, in any form, or as the end of a compound."""
        text = analysis.without_targets(markdown)
        stems = {stem for language in self.languages for stem in analysis.tokens(text, language)}
        ends = analysis.folded(text)
        return frozenset(
            word
            for word in self.words
            if not dictionary.forms(word, *self.languages).isdisjoint(stems) or _is_head(word, ends)
        )


def _is_head(word: str, tokens: Collection[str]) -> bool:
    return len(word) >= HEAD_LETTERS and any(token.endswith(word) for token in tokens)


def matching_rows(asked: AskedWords, rows: Sequence[str]) -> frozenset[int]:
    """Return the numbers, from 0, of the rows of a table whose first cells the question names. If the
    question states an age, return only those of them for that age, if there are any; if no row is named,
    return all rows for that age."""
    named = [asked.words_in(_first_cell(row)) for row in rows]
    held = [
        asked.words_in(row) if names else frozenset[str]() for row, names in zip(rows, named, strict=True)
    ]
    found = _best(held)
    of_age = frozenset(
        number for number, row in enumerate(rows) if share_within(asked.ages, _first_cell(row)) > 0
    )
    return (found & of_age) or found or _unless_too_many(of_age, rows)


def matching_items(asked: AskedWords, items: Sequence[str], above: str) -> frozenset[int]:
    """Return the numbers, from 0, of the items of a list that have most of the question's words, and an
    answer of the kind asked for. Words ``above`` the list, in headings and its lead, apply to all items
    and do not count."""
    known = asked.words_in(above)
    wanted = len(set(asked.words) - known)
    held = [asked.words_in(item) - known for item in items]
    is_answer = [not asked.kinds or share_of_kinds(asked.kinds, item) > 0 for item in items]
    return _best(
        [
            words if answers and len(words) >= LEAST_COVERAGE * wanted else frozenset()
            for words, answers in zip(held, is_answer, strict=True)
        ]
    )


def _best(held: Sequence[frozenset[str]]) -> frozenset[int]:
    """The rows whose words weigh most (rare words weigh more); empty if these are too many."""
    counts = {word: sum(word in words for words in held) for words in held for word in words}
    weights = [math.fsum(math.log1p(len(held) / (counts[word] + 0.5)) for word in words) for words in held]
    best = max(weights, default=0.0)
    found = frozenset(number for number, weight in enumerate(weights) if math.isclose(weight, best))
    return _unless_too_many(found, held) if best > 0 else frozenset()


def _unless_too_many(found: frozenset[int], rows: Sequence[object]) -> frozenset[int]:
    """Return the rows found; empty if these are more than ``MOST_SHARE`` of all."""
    return found if len(found) <= MOST_SHARE * len(rows) else frozenset()


def _first_cell(row: str) -> str:
    return next((cell for cell in cells(row) if cell), "")


def cells(row: str) -> list[str]:
    """Return the cells of a row of a pipe table, stripped of white space."""
    inner = row.strip().removeprefix("|")
    return [cell.strip() for cell in _CELL_END.split(inner.removesuffix("|"))]
