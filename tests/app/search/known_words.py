"""What an index says of words, as spelling and compounds ask it."""

from collections.abc import Sequence

from app.search.spelling import within


class Pages:
    """Words of pages, each with the number of those that have it."""

    def __init__(self, **counts: int) -> None:
        self._counts = counts

    def frequencies(self, words: Sequence[str]) -> list[int]:
        return [self._counts.get(word, 0) for word in words]

    def similar_words(self, word: str, edits: int) -> set[str]:
        return within(word, list(self._counts), edits)


TOWN = Pages(
    hund=3,
    hunde=3,
    steuer=9,
    hundesteuer=4,
    satzung=2,
    anmeldung=5,
    kind=6,
    kinder=6,
    garten=2,
    platz=3,
    ende=8,
)
