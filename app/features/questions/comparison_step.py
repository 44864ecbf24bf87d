"""Compares the answers to frequent questions after pages were saved, while nothing is indexed."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import structlog

from app.features.questions.answer_changes import AnswerChanges, SavedPage, StandingAnswer, causes_of
from app.indexing.stopping import Stop

ASKED_AT_ONCE: Final = 20

Answer = Callable[[StandingAnswer], StandingAnswer | None]
"""Answers a question anew without a language model; ``None`` if its site is gone."""

log = structlog.get_logger(__name__)


class ComparisonStep:
    """A :data:`app.background.steps.StepFunction`.

    What was answered while a page was being indexed is thrown away: nobody could say which version of the
    page it was made from. A comparison that is interrupted goes on where it was; by another process, from
    the beginning, which finds what is left.
    """

    def __init__(self, changes: AnswerChanges, answer: Answer) -> None:
        self._changes = changes
        self._answer = answer
        self._saved: list[SavedPage] = []
        self._left: list[StandingAnswer] = []

    def __call__(self, stop: Stop) -> bool:
        """Answer some questions. True if there is more to do at once. Raises what answering does."""
        if self._is_over(stop):
            return False
        if unasked := self._changes.unasked(ASKED_AT_ONCE):
            return all(self._compare(each, stop) for each in unasked)
        if not self._saved:
            self._saved = self._changes.saved_pages()
            self._left = self._changes.standing() if self._saved else []
        if not self._saved:
            return False
        for _ in range(min(ASKED_AT_ONCE, len(self._left))):
            if not self._compare(self._left[-1], stop):
                return False
            self._left.pop()
        if not self._left:
            self._changes.finish(self._saved)
            log.info("answers_compared", jobs=len(self._saved))
            self._saved = []
        return True

    def _compare(self, before: StandingAnswer, stop: Stop) -> bool:
        """Answer a question, and keep what changed. False if a page came in between."""
        after = self._answer(before) or replace(before, text="", pages={})
        saved = self._changes.saved_pages()
        if self._is_over(stop):
            return False
        if after != before:
            self._changes.keep(before, after, causes_of(before, after, saved))
        return True

    def _is_over(self, stop: Stop) -> bool:
        return stop() or self._changes.is_indexing()
