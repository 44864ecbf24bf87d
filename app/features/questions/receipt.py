"""Asks a group's questions again: how many would be answered now, and if other answers got worse."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from app.chat.outcomes import GAPS, Outcome, outcome_of
from app.chat.text.chitchat import greeting
from app.errors import InputError, NotFoundError
from app.features.questions.filter import QuestionFilter
from app.features.questions.gaps import GapPageDocument, QuestionGaps, QuestionGroupDocument, quoted_page
from app.features.questions.replay import Replayer
from app.features.questions.store import QuestionDocument, Questions

MOST: Final = 20
"""The most different questions of a group that are asked."""

OTHERS: Final = 30
"""The number of the site's largest groups whose most central question is asked, too, if it was answered."""

SECONDS: Final = 20.0
"""The time limit for asking; questions of the group come first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAgain:
    """A question and its result now. ``asked``: the question with its last answer; ``times``: how often it
    was asked; ``outcome``: now, ``None`` if it could not be asked; ``page``: the page quoted first now."""

    asked: QuestionDocument
    times: int
    outcome: Outcome | None = None
    page: GapPageDocument | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The questions of a group asked again. ``left``: how many different ones were not. ``others``: how many
    other frequent questions were asked; ``worse``: the ones among these that are no longer answered."""

    questions: tuple[AskedAgain, ...]
    left: int
    others: int
    worse: tuple[AskedAgain, ...]

    @property
    def asked(self) -> int:
        """The number of times that visitors asked these questions."""
        return sum(each.times for each in self.questions)

    @property
    def answered(self) -> int:
        """The number of times that they asked questions that would be answered now."""
        return sum(each.times for each in self.questions if each.outcome == "answered")

    @property
    def is_complete(self) -> bool:
        """True if every question was asked and would be answered."""
        return not self.left and bool(self.questions) and self.answered == self.asked


@dataclass(kw_only=True, eq=False)
class GapDesk:
    """Asks groups of questions again. Nothing is stored or counted."""

    gaps: QuestionGaps
    questions: Questions
    replayer: Replayer
    clock: Callable[[], float] = time.monotonic

    def different(self, group: QuestionGroupDocument) -> list[AskedAgain]:
        """Return the different questions of a group, the most frequent first, each as it was asked last."""
        newest: dict[str, QuestionDocument] = {}
        times: Counter[str] = Counter()
        for record in self.questions.all(QuestionFilter(site=group.site, group=group.number)):
            if not greeting(record.question):
                key = record.question.casefold()
                newest.setdefault(key, record)
                times[key] += 1
        return [AskedAgain(asked=newest[key], times=count) for key, count in times.most_common()]

    def ask(self, group: QuestionGroupDocument) -> Receipt:
        """Ask a group's questions, and the most frequent others that were answered, without a language model.

        Raises ``ConflictError`` if the site is gone, ``FloodError``, ``IndexUnavailableError`` and
        ``PageStoreUnavailableError``.
        """
        deadline = self.clock() + SECONDS
        different = self.different(group)
        found = tuple(self._asked(different[:MOST], deadline))
        others = tuple(self._asked(self._others(group), deadline))
        return Receipt(
            questions=found,
            left=len(different) - len(found),
            others=len(others),
            worse=tuple(each for each in others if self._is_worse(each)),
        )

    def _others(self, group: QuestionGroupDocument) -> Iterator[AskedAgain]:
        for other in self.gaps.listed(sites=[group.site], limit=OTHERS).groups:
            if other.number == group.number:
                continue
            with suppress(NotFoundError):  # deleted meanwhile
                stored = self.questions.stored(other.id)
                if outcome_of(stored.document) == "answered":
                    yield AskedAgain(asked=stored.record, times=other.count)

    def _asked(self, questions: Iterable[AskedAgain], deadline: float) -> Iterator[AskedAgain]:
        for each in questions:
            if self.clock() >= deadline:
                return
            yield self._again(each)

    def _is_worse(self, each: AskedAgain) -> bool:
        """Return True if it is no longer answered, not even with the model, which may translate questions."""
        return each.outcome in GAPS and self._again(each, with_model=True).outcome in GAPS

    def _again(self, each: AskedAgain, *, with_model: bool = False) -> AskedAgain:
        try:
            replay = self.replayer.ask(each.asked.id, with_model=with_model)
        except (NotFoundError, InputError):  # deleted meanwhile, or filtered by a field that is gone
            return each
        page = quoted_page(replay.provenance["pages"], replay.answer["citations"])
        return replace(each, outcome=replay.outcome, page=page if page and page.quoted else None)
