"""Finds past questions of visitors that an entry would catch, before it is saved."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import func, select

from app.features.curation.content import Entry
from app.features.curation.meaning import QuestionSpace
from app.features.curation.phrasings import Phrasings
from app.features.curation.synonyms import expansion
from app.pages.database import Store, reading
from app.pages.question_tables import answers, conversations
from app.search.languages import question_language

LOOKED_AT: Final = timedelta(weeks=4)
MOST_QUESTIONS: Final = 200
"""The newest different questions that are compared; each is embedded, unless it was asked just now."""

BROAD_SHARE: Final = 0.2
BROAD_LEAST: Final = 10
"""An entry is broad if it catches more than this share of the questions, and at least this many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastQuestion:
    """A question that visitors asked ``count`` times in the same words, most recently at ``last``.

    ``relevance``: to the nearest phrasing; 1 for the same words.
    """

    text: str
    count: int
    last: datetime
    relevance: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The questions that an entry catches, the most frequent first.

    ``asked``: the number of questions compared; repetitions count.
    """

    caught: tuple[PastQuestion, ...]
    asked: int

    @property
    def count(self) -> int:
        """The number of questions that it catches, including repetitions."""
        return sum(question.count for question in self.caught)

    @property
    def share(self) -> float:
        """The share of the questions that it catches, 0 to 1."""
        return self.count / self.asked if self.asked else 0.0

    @property
    def is_broad(self) -> bool:
        """True if it catches so many that a person should check it again."""
        return self.count >= BROAD_LEAST and self.share > BROAD_SHARE


class PastQuestions(Store):
    """Visitors' questions in ``engine``'s database."""

    def of(self, site: str) -> list[PastQuestion]:
        """Return a site's most recent different questions, newest first.

        Raises ``PageStoreUnavailableError``.
        """
        last = func.max(answers.c.started_at)
        query = (
            select(answers.c.question, func.count().label("times"), last.label("last"))
            .join(conversations, conversations.c.id == answers.c.conversation)
            .where(conversations.c.site == site, answers.c.started_at >= self._clock() - LOOKED_AT)
            .group_by(answers.c.question)
            .order_by(last.desc(), answers.c.question)
            .limit(MOST_QUESTIONS)
        )
        with reading(self._engine) as connection:
            return [
                PastQuestion(text=row.question, count=row.times, last=row.last)
                for row in connection.execute(query)
            ]


def preview(entry: Entry, questions: list[PastQuestion], space: QuestionSpace | None) -> Preview:
    """Return the questions that the entry catches."""
    relevances = _relevances(entry, questions, space)
    caught = [
        PastQuestion(text=each.text, count=each.count, last=each.last, relevance=relevance)
        for each, relevance in zip(questions, relevances, strict=True)
        if relevance is not None
    ]
    caught.sort(key=lambda each: (-each.count, -each.relevance, each.text))
    return Preview(caught=tuple(caught), asked=sum(each.count for each in questions))


def _relevances(
    entry: Entry, questions: list[PastQuestion], space: QuestionSpace | None
) -> list[float | None]:
    if entry.kind == "synonyms":
        groups = [entry.content.words]
        found = (expansion(each.text, groups, question_language(each.text)) for each in questions)
        return [None if each is None else 1.0 for each in found]
    phrasings = Phrasings([entry])
    relevances = []
    for each in questions:
        meant = phrasings.meant(each.text, space) if entry.is_for(question_language(each.text)) else []
        relevances.append(meant[0][0] if meant else None)
    return relevances
