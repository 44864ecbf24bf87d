"""A question's words in the other languages of the pages, as learned from pages or found in a dictionary.

Pages in another language than the question hardly ever have its words, so only meaning ranks them. A second
search uses the words' translations. They count only in pages of that language, because elsewhere they would
be noise.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final, Protocol

from app.search import analysis, dictionary
from app.search.recorder import TranslatedWords, WordsTranslated, record
from app.search.types import Candidate, QuerySpec
from ingest.types import UNDETERMINED, PageRef

MOST_LANGUAGES: Final = 2
"""The most languages to translate into, because each is one more search."""


class TermTable(Protocol):
    """A table of words that mean the same in two languages."""

    def translations(
        self, stems: Collection[str], language: str
    ) -> Mapping[str, Mapping[str, Sequence[str]]]:
        """Return the translations of a language's stems, by target language, then by stem; the likeliest
        first. Raises ``PageStoreUnavailableError``."""


class KnownTerms:
    """Translations ``learned`` from pages, and the dictionary's for words that were not learned."""

    def __init__(self, learned: TermTable | None = None) -> None:
        self._learned = learned

    def translations(
        self, stems: Collection[str], language: str
    ) -> Mapping[str, Mapping[str, Sequence[str]]]:
        """See :meth:`TermTable.translations`. The dictionary's translations of a word are joined to count as
        one word (:class:`app.search.types.QuerySpec`), so that a word with many meanings counts no more than
        others."""
        learned = self._learned.translations(stems, language) if self._learned else {}
        other = dictionary.LANGUAGES.get(language)
        if other is None:
            return learned
        words = {stem: " ".join(dictionary.translations(stem, language)) for stem in stems}
        known: dict[str, Sequence[str]] = {stem: (together,) for stem, together in words.items() if together}
        known |= learned.get(other, {})
        return {**learned, other: known} if known else learned


def with_translations(
    found: Sequence[Candidate],
    spec: QuerySpec,
    language: str | None,
    table: TermTable,
    search: Callable[[QuerySpec], Sequence[Candidate]],
    *,
    languages: Collection[str],
) -> list[Candidate]:
    """Return the candidates ``found`` for ``spec``, a question in ``language``, joined with those that a
    search for translations of its words finds in their language. A page found by both has the higher coverage
    of the two. ``languages``: those of all pages. Raises ``PageStoreUnavailableError``, and what ``search``
    raises."""
    candidates: dict[PageRef, Candidate] = {each.page.ref: each for each in found}
    others = set(languages) - {language, UNDETERMINED}
    if language is None or spec.keyword == "none" or not others:
        return list(candidates.values())
    for other, terms in translated(spec.words, language, table, others).items():
        words = in_one(terms)
        if set(words) == set(spec.words):  # only names, which were searched for already
            continue
        record(WordsTranslated, language=other, words=terms)
        for each in search(replace(spec, words=words)):
            if each.page.ref.language == other:
                candidates[each.page.ref] = with_more_words(each, candidates.get(each.page.ref))
    return list(candidates.values())


def translated(
    words: Sequence[str], language: str, table: TermTable, languages: Collection[str]
) -> dict[str, TranslatedWords]:
    """Return the words translated into at most ``MOST_LANGUAGES`` of ``languages``, those for which most
    words are known. Unknown words, such as names, stay as they are. Raises ``PageStoreUnavailableError``."""
    stems = {word: analysis.tokens(word, language) for word in words}
    known = table.translations(set(chain.from_iterable(stems.values())), language) if stems else {}
    best = sorted(known.keys() & languages, key=lambda other: (-len(known[other]), other))[:MOST_LANGUAGES]
    return {other: {word: _terms(known[other], stems[word]) or (word,) for word in words} for other in best}


def _terms(known: Mapping[str, Sequence[str]], stems: Sequence[str]) -> tuple[str, ...]:
    """Return the translations of a word, or of several words that count as one."""
    return tuple(dict.fromkeys(term for stem in stems for term in known.get(stem, ())))


def in_one(words: TranslatedWords) -> tuple[str, ...]:
    """Return all translations, each once."""
    return tuple(dict.fromkeys(chain.from_iterable(words.values())))


def with_more_words(candidate: Candidate, known: Candidate | None) -> Candidate:
    """Return ``known`` with the higher coverage of the two. ``candidate``: the same page in a search for
    translated words."""
    if known is None:
        return candidate
    return replace(
        known,
        keyword=candidate.keyword or known.keyword,
        coverage=max(candidate.coverage, known.coverage),
    )
