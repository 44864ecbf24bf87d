"""A question's words in the other languages of the pages, as pages taught them or a dictionary has them.

Pages in another language than the question hardly ever have its words, so that meaning alone ranks them.
They are searched for once more with the words' translations, which count in pages of that language alone:
everywhere else they would only be noise.
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
"""Each is one more search."""


class TermTable(Protocol):
    """Knows words of two languages that mean the same."""

    def translations(
        self, stems: Collection[str], language: str
    ) -> Mapping[str, Mapping[str, Sequence[str]]]:
        """Return the translations of a language's stems, by the language that they are in, then by stem; the
        likeliest first. Raises ``PageStoreUnavailableError``."""
        ...


class KnownTerms:
    """What pages ``learned`` taught, and the dictionary's translations of words that they did not teach."""

    def __init__(self, learned: TermTable | None = None) -> None:
        self._learned = learned

    def translations(
        self, stems: Collection[str], language: str
    ) -> Mapping[str, Mapping[str, Sequence[str]]]:
        """See :meth:`TermTable.translations`. All of the dictionary's translations of a word are searched for
        as one (:class:`app.search.types.QuerySpec`), so that a word of many meanings counts no more than
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
    """Return the candidates ``found`` for ``spec``, a question in ``language``, with those that a search for
    the translations of its words finds; those in the translations' language have as much of the question's
    words as either search says. ``languages``: those of all pages. Raises ``PageStoreUnavailableError``, and
    what ``search`` does."""
    candidates: dict[PageRef, Candidate] = {each.page.ref: each for each in found}
    others = set(languages) - {language, UNDETERMINED}
    if language is None or spec.keyword == "none" or not others:
        return list(candidates.values())
    for other, terms in translated(spec.words, language, table, others).items():
        words = in_one(terms)
        if set(words) == set(spec.words):  # names: they were searched for
            continue
        record(WordsTranslated, language=other, words=terms)
        for each in search(replace(spec, words=words)):
            if each.page.ref.language == other:
                candidates[each.page.ref] = with_more_words(each, candidates.get(each.page.ref))
    return list(candidates.values())


def translated(
    words: Sequence[str], language: str, table: TermTable, languages: Collection[str]
) -> dict[str, TranslatedWords]:
    """Return the words in those of the other ``languages`` that most of them are known in, at most
    ``MOST_LANGUAGES``. Unknown words, such as names, stay as they are. Raises
    ``PageStoreUnavailableError``."""
    stems = {word: analysis.tokens(word, language) for word in words}
    known = table.translations(set(chain.from_iterable(stems.values())), language) if stems else {}
    best = sorted(known.keys() & languages, key=lambda other: (-len(known[other]), other))[:MOST_LANGUAGES]
    return {other: {word: _terms(known[other], stems[word]) or (word,) for word in words} for other in best}


def _terms(known: Mapping[str, Sequence[str]], stems: Sequence[str]) -> tuple[str, ...]:
    """The translations of a word, or of words that are searched for as one."""
    return tuple(dict.fromkeys(term for stem in stems for term in known.get(stem, ())))


def in_one(words: TranslatedWords) -> tuple[str, ...]:
    """Return all translations, each once."""
    return tuple(dict.fromkeys(chain.from_iterable(words.values())))


def with_more_words(candidate: Candidate, known: Candidate | None) -> Candidate:
    """Return ``known`` with as much of the question's words as it has or ``candidate``: the same page in a
    search for their translations."""
    if known is None:
        return candidate
    return replace(
        known,
        keyword=candidate.keyword or known.keyword,
        coverage=max(candidate.coverage, known.coverage),
    )
