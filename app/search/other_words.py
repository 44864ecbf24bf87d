"""Words that no page has, with what pages say instead.

A word that people say and hardly write ("Perso") is read as the one that pages have, as a misspelt one is:
the question is embedded with *Personalausweis*, which small models know better. Where it may mean several
things ("Lappen"), or is written elsewhere, only the words searched for change: a page with one of its
synonyms counts as one with the word, however many synonyms there are. Pages with the visitor's own word are
never pushed out, as there are none.
"""

import re
from collections.abc import Sequence
from typing import Final

from app.search import analysis, thesaurus
from app.search.spelling import Words

_WORD: Final = re.compile(r"[^\W\d_]{3,}")


def in_written_words(question: str, language: str | None, pages: Words) -> str:
    """Return the question with each word that no page has and that is only spoken, in its single meaning, as
    the synonym that most pages have. Raises ``IndexUnavailableError``."""
    spoken = {
        word: others
        for word in _WORD.findall(question)
        if thesaurus.is_only_spoken(word, language or "") and (others := _single_words(word, language or ""))
    }
    if not spoken:
        return question
    having = _having([*spoken, *(other for others in spoken.values() for other in others)], pages)
    for word, others in spoken.items():
        best = max(others, key=lambda other: having[other])
        if having[best] and not having[word]:
            question = re.sub(rf"\b{word}\b", others[best], question)
    return question


def with_other_words(
    words: Sequence[str], unknown: Sequence[str], language: str | None, pages: Words
) -> tuple[str, ...]:
    """Return the words, each of the ``unknown`` together with those of its synonyms that pages have, as one
    (:class:`app.search.types.QuerySpec`). Raises ``IndexUnavailableError``."""
    synonyms = {word: _single_words(word, language or "") for word in words if word in unknown}
    having = _having([other for each in synonyms.values() for other in each], pages)
    return tuple(" ".join((word, *filter(having.get, synonyms.get(word, ())))) for word in words)


def _single_words(word: str, language: str) -> dict[str, str]:
    """Return the synonyms of a word that are one word each and carry a subject: as they are written, by how
    an index compares them."""
    folded = ((analysis.folded(other), other) for other in thesaurus.sure_synonyms(word, language))
    functional = analysis.stop_words(language)
    return {each[0]: other for each, other in folded if len(each) == 1 and each[0] not in functional}


def _having(words: Sequence[str], pages: Words) -> dict[str, int]:
    """In how many pages each word is."""
    return dict(zip(words, pages.frequencies(words), strict=True)) if words else {}
