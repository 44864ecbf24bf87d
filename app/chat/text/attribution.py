"""Finds the sources that probably support an answer without citations.

Every sentence of the answer is compared with every run of ``RUN`` sentences of the sources, by the share of
its words that the run contains: stemmed, without stop words, weighted by rarity (``ln(1 + n/df)`` over the
runs; a word in no run counts as if it were in one). A sentence supports the source of its best run if at
least ``MINIMUM_SHARE`` of its weight is found there, otherwise none. An answer in another language than its
sources shares little more than names and numbers with them.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Final

from app.chat.source_items import SourceItem
from app.chat.text.plain_text import text_units
from app.search import analysis
from ingest.text import visible

MAX_SOURCES: Final = 3
"""The most sources returned."""

RUN: Final = 3
MINIMUM_SHARE: Final = 0.5
MINIMUM_WORDS: Final = 3
"""Distinct words that a sentence must share with a run; fewer are chance."""

MINIMUM_PART: Final = 0.25
"""The share of the best source's weight that a further source needs."""

ANSWER_SENTENCES: Final = 50
SOURCE_SENTENCES: Final = 500
READ_CHARACTERS: Final = 50_000
SENTENCE_CHARACTERS: Final = 2_000
"""Limits of the text that is compared, which bound the time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """The words of consecutive sentences, of the headings above them and of the page's title."""

    number: int
    language: str
    words: frozenset[str]


def probable_sources(answer: str, sources: Sequence[SourceItem]) -> tuple[int, ...]:
    """Return the numbers of the sources that probably support the answer (Markdown), best first."""
    runs = [run for source in sources for run in _runs(source)]
    frequencies = Counter(word for run in runs for word in run.words)
    weights = {word: math.log1p(len(runs) / count) for word, count in frequencies.items()}
    absent = math.log1p(len(runs))
    support: Counter[int] = Counter()
    for unit in islice(text_units(answer[:READ_CHARACTERS]), ANSWER_SENTENCES):
        support.update(_support(unit.text, runs, weights, absent))
    ranked = support.most_common(MAX_SOURCES)
    return tuple(number for number, weight in ranked if weight >= MINIMUM_PART * ranked[0][1])


def _runs(source: SourceItem) -> Iterator[_Run]:
    if source.number is None:
        return
    language = source.page.ref.language
    units = islice(text_units(source.text[:READ_CHARACTERS]), SOURCE_SENTENCES)
    title = source.page.title
    words = [_words(f"{title} {unit.heading} {unit.text}", language) for unit in units]
    for start in range(len(words)):
        run = frozenset[str]().union(*words[start : start + RUN])
        yield _Run(number=source.number, language=language, words=run)


def _support(
    sentence: str, runs: Sequence[_Run], weights: Mapping[str, float], absent: float
) -> dict[int, int]:
    """Return the number of the source that supports the sentence, with its weight in thousandths; empty if
    none does."""
    best: tuple[float, int, float] = (0.0, 0, 0.0)
    for language, same in groupby(runs, key=lambda run: run.language):
        words = _words(sentence, language)
        total = math.fsum(weights.get(word, absent) for word in words)
        for run in same:
            shared = words & run.words
            weight = math.fsum(weights[word] for word in shared)
            if len(shared) >= MINIMUM_WORDS and weight >= MINIMUM_SHARE * total and weight / total > best[0]:
                best = (weight / total, run.number, weight)
    return {best[1]: round(1000 * best[2])} if best[1] else {}


def _words(text: str, language: str) -> frozenset[str]:
    content = analysis.content_words(visible(text[:SENTENCE_CHARACTERS]), language)
    return frozenset(analysis.tokens(" ".join(content), language))
