"""Drafts examples for a site's rubric from its pages, for people to check."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from app.chat.model.cancellation import Cancellation
from app.chat.model.prompts import Prompts
from app.chat.model.tokens import MOST_CHARACTERS
from app.features.evaluation.judge import line
from app.features.evaluation.judge_model import (
    Conversation,
    JudgeModel,
    NonEmptyText,
    StructuredReply,
    UngradedError,
)
from app.features.evaluation.rubric import CRITERIA, Criterion, Example, Rubric, Scale
from ingest.text import shortened, visible

DOCUMENT_CHARACTERS: Final = 1_000 * MOST_CHARACTERS
"""The most characters of a page in a prompt."""

TO_BE_WRITTEN: Final = "TO BE WRITTEN"

HEAD: Final = """\
# Examples for the judge, drafted by a language model from pages of the site.
# Read each one: does the answer deserve its score, is the reason right? Correct it, then set checked = true.
# The judge takes the file when all are checked: set judge.rubric to it.
"""


class ExampleReply(StructuredReply):
    """A drafted example."""

    question: NonEmptyText
    context: str
    answer: str
    reason: NonEmptyText


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricDraft:
    """Drafts an example for every score of every criterion in one ``language``."""

    judge: JudgeModel
    prompts: Prompts
    scale: Scale
    language: str

    def examples(self, pages: Sequence[str], chance: random.Random) -> Iterator[Example]:
        """Draft all examples, each from a random page; if the model fails, one to be written by hand.

        ``pages``: their texts. Raises ``ModelError`` if the model is away.
        """
        for criterion, score in product(CRITERIA, self.scale.scores):
            yield self._example(criterion, score, chance.choice(pages))

    def _example(self, criterion: Criterion, score: int, page: str) -> Example:
        values = {
            "document": shortened(page, DOCUMENT_CHARACTERS),
            "criterion": criterion,
            "score": score,
            "low": self.scale.low,
            "high": self.scale.high,
            "meaning": self.scale.definitions(criterion, self.language)[score],
        }
        prompt = self.prompts.task("example", self.language, values)
        try:
            reply = self.judge.ask(prompt, ExampleReply, Conversation(), Cancellation())
        except UngradedError:
            blank = {"question": TO_BE_WRITTEN, "answer": TO_BE_WRITTEN, "reason": TO_BE_WRITTEN}
            return Example(criterion=criterion, score=score, **blank)
        return Example(
            criterion=criterion,
            score=score,
            question=line(reply.question),
            context=reply.context,
            answer=reply.answer,
            reason=line(reply.reason),
        )


def rubric_text(rubric: Rubric) -> str:
    """Write the rubric as TOML, for people to edit."""
    parts = [f"{HEAD}\nlanguage = {_toml(rubric.language)}\nscale = {_toml(rubric.scale)}\n"]
    for example in rubric.examples:
        lines = [f"{name} = {_toml(value)}" for name, value in example.model_dump().items()]
        parts.append("\n".join(["", "[[examples]]", *lines, ""]))
    return "".join(parts)


def _toml(value: object) -> str:
    """Write a value in TOML, whose basic strings are like those of JSON."""
    return json.dumps(visible(value) if isinstance(value, str) else value, ensure_ascii=False)
