"""Tells how much nearer a text is to any question than other texts are. Pure functions.

Some texts are near every question, whatever it is about: those that tell a little of everything, introduce a
subject or list links. What visitors ask of no website (:mod:`app.search.examples`) shows which: they are
nearer to the middle of these examples than others.
"""

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import Final

SHARE: Final = 0.3
"""Measured on six pools (docs/quality.md): up to twice as much does as well, all of it loses."""

LEAST_TEXTS: Final = 8
"""Fewer texts of a language do not show how near texts usually are."""


def generality(nearness: Sequence[float], languages: Sequence[str]) -> list[float]:
    """Return what is to be taken from the cosine of each text with a question: ``SHARE`` of how much nearer
    it is to any question than the others of its language, less than 0 where it is farther.

    ``nearness``: the texts' cosines with the middle of questions of no subject; ``languages``: theirs.
    """
    by_language: dict[str, list[float]] = defaultdict(list)
    for near, language in zip(nearness, languages, strict=True):
        by_language[language].append(near)
    usual = {language: fmean(found) for language, found in by_language.items() if len(found) >= LEAST_TEXTS}
    return [
        SHARE * (near - usual[language]) if language in usual else 0.0
        for near, language in zip(nearness, languages, strict=True)
    ]
