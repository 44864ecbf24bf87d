"""A question's words among those of texts, in the same language or translated."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from app.search import analysis, dictionary


class QuestionWords:
    """The question's words with their weights: ``ln(1 + n / (df + 0.5))`` over the ``texts`` found, each a
    language with the stems of a text in it."""

    def __init__(self, question: str, language: str, texts: Sequence[tuple[str, frozenset[str]]]) -> None:
        self._language = language
        self._words = analysis.content_words(question, language)
        self._forms: dict[str, dict[str, set[int]]] = {}
        self._known: dict[str, dict[frozenset[str], frozenset[int]]] = defaultdict(dict)
        self._shares: dict[frozenset[int], float] = {}
        counts = Counter(number for own, stems in texts for number in self.among(own, stems))
        self._weights = [
            math.log1p(len(texts) / (counts[number] + 0.5)) for number in range(len(self._words))
        ]
        self._total = math.fsum(self._weights) or 1.0

    def among(self, language: str, stems: frozenset[str]) -> frozenset[int]:
        """Return the numbers of the words that are among the stems in this language."""
        known = self._known[language]
        if stems not in known:
            forms = self._forms_in(language)
            known[stems] = frozenset[int]().union(*map(forms.__getitem__, forms.keys() & stems))
        return known[stems]

    def share(self, numbers: frozenset[int]) -> float:
        """Return the share of these words' weight in that of all."""
        if numbers not in self._shares:
            self._shares[numbers] = math.fsum(self._weights[number] for number in numbers) / self._total
        return self._shares[numbers]

    def _forms_in(self, language: str) -> dict[str, set[int]]:
        """All forms of the words in a text of this language, with the numbers of the words."""
        if language not in self._forms:
            forms = self._forms[language] = defaultdict(set)
            for number, word in enumerate(self._words):
                for form in dictionary.forms(word, self._language, language):
                    forms[form].add(number)
        return self._forms[language]
