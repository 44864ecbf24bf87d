"""Levels cosines and words between languages. Pure functions.

Multilingual models find texts in the question's own language nearer than texts in another one that say the
same or more, and these share more words with it. So pages in another language are compared with the question
as if that were ``SHARE`` of the way nearer to it: the nearest pages of both languages show how far it is off.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Final

from app.search.types import Candidate
from ingest.types import FIELDS, UNDETERMINED

SHARE: Final = 0.6
"""Measured on two websites in several languages (docs/quality.md): less gains less, all of it loses."""

WORDS: Final = "words"
"""The part of a page's score that is its coverage."""

NEAREST: Final = 5
"""Pages of a language that show how near it is."""


def levelled(candidates: Sequence[Candidate], language: str | None) -> list[Candidate]:
    """Return the candidates, those in another ``language`` than the question's with what to add to their
    cosines and their coverage (``Candidate.added``)."""
    gaps = _gaps(candidates, language)
    return [
        replace(candidate, added=gaps[own]) if (own := candidate.page.ref.language) in gaps else candidate
        for candidate in candidates
    ]


def is_foreign(candidates: Sequence[Candidate], language: str | None) -> bool:
    """True if none of the pages is in the question's ``language``, as far as that is known."""
    languages = {candidate.page.ref.language for candidate in candidates}
    return language is not None and languages.isdisjoint({language, UNDETERMINED})


def _gaps(candidates: Sequence[Candidate], language: str | None) -> dict[str, dict[str, float]]:
    """Return what to add to the parts of pages in other languages, by language and part."""
    languages = {candidate.page.ref.language for candidate in candidates}
    if language not in languages:
        return {}
    nearness = {each: _nearness(candidates, each) for each in languages}
    own = nearness.pop(language)
    return {
        other: {part: SHARE * max(0.0, own[part] - found[part]) for part in own.keys() & found.keys()}
        for other, found in nearness.items()
    }


def _nearness(candidates: Sequence[Candidate], language: str) -> Mapping[str, float]:
    """Return the mean cosine of a language's nearest pages, by field, and the mean coverage, as ``words``, of
    those that have most of the words."""
    pages = [candidate for candidate in candidates if candidate.page.ref.language == language]
    parts = [{**candidate.similarity, WORDS: candidate.coverage} for candidate in pages]
    nearest = {
        part: sorted((each[part] for each in parts if part in each), reverse=True)[:NEAREST]
        for part in (*FIELDS, WORDS)
    }
    return {part: fmean(found) for part, found in nearest.items() if found}
