"""Compares the answers to frequent questions after pages were saved, while nothing is indexed."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import structlog

from app.features.questions.answer_changes import AnswerChanges, SavedPage, StandingAnswer, causes_of
from app.indexing.stopping import Stop

ASKED_AT_ONCE: Final = 20

Answer = Callable[[StandingAnswer], StandingAnswer | None]
"""Answers a question again without a language model; ``None`` if it cannot be asked any more."""

log = structlog.get_logger(__name__)


class ComparisonStep:
    """A :data:`app.background.steps.StepFunction`.

    Answers made while a page was being indexed are discarded, because it is unknown which version of the page
    they were made from. An interrupted comparison continues where it was; another process starts from the
    beginning, and finds the changes that are left.
    """

    def __init__(self, changes: AnswerChanges, answer: Answer) -> None:
        self._changes = changes
        self._answer = answer
        self._saved: list[SavedPage] = []
        self._left: list[StandingAnswer] = []

    def __call__(self, stop: Stop) -> bool:
        """Answer some questions. Return True if there is more to do at once. Raises what answering raises."""
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
        """Answer a question, and store what changed. Return False if a page came in between."""
        after = self._answer(before) or replace(before, text="", pages={})
        saved = self._changes.saved_pages()
        if self._is_over(stop):
            return False
        if after != before:
            self._changes.keep(before, after, causes_of(before, after, saved))
        return True

    def _is_over(self, stop: Stop) -> bool:
        return stop() or self._changes.is_indexing()
