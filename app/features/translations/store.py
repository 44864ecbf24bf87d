"""Stores words of two languages that mean the same, as learned from pages in both."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, bindparam, delete, distinct, false, func, insert, or_, select, text

from app.features.translations.tables import terms
from app.pages.database import Store, reading, writing

Terms = Mapping[str, Sequence[str]]
"""Translations by the stem of the translated word, the most likely first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedPair:
    """The number of ``stems`` of a language with translations in an ``other`` one, and when they were
    learned."""

    language: str
    other: str
    stems: int
    learned_at: datetime


_TRANSLATIONS: Final = (
    select(terms.c.other, terms.c.stem, terms.c.word)
    .where(terms.c.language == bindparam("language"), terms.c.stem.in_(bindparam("stems", expanding=True)))
    .order_by(terms.c.other, terms.c.stem, terms.c.place)
)
"""Built once, because every question uses it."""


class TermStore(Store):
    """The translations in ``engine``'s database. Every method raises ``PageStoreUnavailableError``."""

    def translations(self, stems: Collection[str], language: str) -> dict[str, dict[str, list[str]]]:
        """Return the translations of a language's stems, by target language and then by stem."""
        asked = {"language": language, "stems": list(stems)}
        found: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        with reading(self._engine) as connection:
            for other, stem, word in connection.execute(_TRANSLATIONS, asked):
                found[other][stem].append(word)
        return {other: dict(by_stem) for other, by_stem in found.items()}

    def replace(self, languages: tuple[str, str], first: Terms, second: Terms) -> None:
        """Replace the stored translations between two languages: of the ``first`` into the second, and of the
        ``second`` into the first."""
        one, other = languages
        rows = [*self._learned(one, other, first), *self._learned(other, one, second)]
        with writing(self._engine) as connection:
            if connection.dialect.name == "postgresql":  # otherwise two concurrent calls store words twice
                connection.execute(text("LOCK TABLE terms IN EXCLUSIVE MODE"))
            connection.execute(delete(terms).where(_between(languages)))
            if rows:
                connection.execute(insert(terms), rows)

    def keep_only(self, languages: Collection[tuple[str, str]]) -> None:
        """Delete the translations between other pairs of languages."""
        kept = or_(false(), *map(_between, languages))
        with writing(self._engine) as connection:
            connection.execute(delete(terms).where(~kept))

    def languages(self) -> list[LearnedPair]:
        """Return what has been learned, by language."""
        stems, learned_at = func.count(distinct(terms.c.stem)), func.max(terms.c.learned_at)
        columns = terms.c.language, terms.c.other
        query = select(*columns, stems, learned_at).group_by(*columns).order_by(*columns)
        with reading(self._engine) as connection:
            return [
                LearnedPair(language=language, other=other, stems=count, learned_at=when)
                for language, other, count, when in connection.execute(query)
            ]

    def _learned(self, language: str, other: str, learned: Terms) -> Iterator[dict[str, Any]]:
        now = self._clock()
        for stem, words in learned.items():
            for place, word in enumerate(words, start=1):
                yield {
                    "language": language,
                    "stem": stem,
                    "other": other,
                    "place": place,
                    "word": word,
                    "learned_at": now,
                }


def _between(languages: tuple[str, str]) -> ColumnElement[bool]:
    return terms.c.language.in_(languages) & terms.c.other.in_(languages)
