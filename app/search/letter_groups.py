"""Tells the language of a few words by their groups of three letters."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import Final

LEAST_LEAD: Final = 8.0
"""How much likelier than the next language the likeliest one must be, as a natural logarithm."""

LEAST_KNOWN: Final = 0.5
"""The share of the groups that the language must have shown: another language than these shows fewer."""

UNSEEN: Final = 0.1
"""As often a group that a language has not shown counts as seen."""


class LetterGroups:
    """The groups of letters of some languages. Keeps no other state."""

    def __init__(self, words: Mapping[str, Iterable[str]]) -> None:
        """``words``: how each language (ISO 639-1) is written, case-folded."""
        seen = {language: Counter(_groups(own)) for language, own in words.items()}
        kinds = len(set().union(*seen.values()))
        self._costs = {
            language: {group: -log((n + UNSEEN) / _total(own, kinds)) for group, n in own.items()}
            for language, own in seen.items()
        }
        self._unseen = {language: -log(UNSEEN / _total(own, kinds)) for language, own in seen.items()}

    def language(self, words: Sequence[str], among: Iterable[str]) -> str | None:
        """Return the language of the case-folded ``words``, one of those ``among`` which it may be; ``None``
        where it is not plain."""
        groups = list(_groups(words))
        known = [language for language in among if language in self._costs]
        costs = sorted((self._cost(groups, language), language) for language in known)
        if len(costs) < 2 or costs[1][0] - costs[0][0] < LEAST_LEAD:
            return None
        first = costs[0][1]
        known_groups = sum(group in self._costs[first] for group in groups)
        return first if known_groups >= LEAST_KNOWN * len(groups) else None

    def _cost(self, groups: Iterable[str], language: str) -> float:
        costs, unseen = self._costs[language], self._unseen[language]
        return sum(costs.get(group, unseen) for group in groups)


def _groups(words: Iterable[str]) -> Iterable[str]:
    text = f" {' '.join(words)} "
    return (text[start : start + 3] for start in range(len(text) - 2))


def _total(seen: Counter[str], kinds: int) -> float:
    return seen.total() + UNSEEN * kinds
