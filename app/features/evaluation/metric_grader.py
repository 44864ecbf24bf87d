"""Has a judge find what the six metrics are computed from: relevant passages, claims, facts, questions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Annotated, Any, Final

import numpy as np
from pydantic import AfterValidator, Field, create_model

from app.chat.context import GAP
from app.chat.model.prompts import Prompts
from app.chat.types import Message
from app.features.evaluation import rag_metrics
from app.features.evaluation.answers import without_citations
from app.features.evaluation.grades import Style
from app.features.evaluation.judge import NO_REFERENCE, SheetScores, prompt_recipe, sheet_language
from app.features.evaluation.judge_model import Ask, NonEmptyText, StructuredReply, UngradedError
from app.features.evaluation.rag_metrics import METRICS, Metric, Vectors
from app.features.evaluation.sheets import AnswerSheet
from app.features.evaluation.words import words
from ingest.protocols import Embedder
from ingest.text import sentences

QUESTIONS: Final = 3
"""Questions generated from an answer, as many as in the paper."""

REPLY_TOKENS: Final = 250
VERDICT_TOKENS: Final = 60
"""The most tokens of a verdict with its number and a line of reasons."""

CLAIM_TOKENS: Final = 100
"""The most tokens of the claims that one sentence of an answer is divided into."""

BATCHED: Final[Mapping[Metric, int]] = {
    "context_precision": VERDICT_TOKENS,
    "context_recall": VERDICT_TOKENS,
    "faithfulness": CLAIM_TOKENS,
}
"""Metrics whose replies grow with the number of texts, and the tokens that each text takes."""

NEEDS_REFERENCE: Final = frozenset[Metric]({"context_precision", "context_recall", "answer_correctness"})
NEEDS_CONTEXT: Final = frozenset[Metric]({"context_precision", "context_relevancy"})
NO_CONTEXT: Final = "no page was given to the model"
NOTHING: Final = "the judge found nothing to measure"


class _Item(StructuredReply):
    number: int
    reason: NonEmptyText
    is_met: bool


class Verdicts(StructuredReply):
    """One verdict for each numbered text."""

    verdicts: list[_Item]


def verdicts_of(count: int) -> type[Verdicts]:
    """Make the form of a reply with a verdict for each of ``count`` texts; replies must have all of them."""
    checked: Any = Annotated[list[_Item], AfterValidator(partial(_complete, count))]
    return create_model("Verdicts", __base__=Verdicts, verdicts=(checked, ...))


def _complete(count: int, given: list[_Item]) -> list[_Item]:
    """Return the verdicts in the order of the texts. Raises ``ValueError`` if one is missing."""
    by_number = {each.number: each for each in given}
    if missing := [number for number in range(1, count + 1) if number not in by_number]:
        raise ValueError(f"no verdict for text {missing[0]} of {count}")
    return [by_number[number] for number in range(1, count + 1)]


class Numbers(StructuredReply):
    """The numbers of the texts that matter."""

    reason: NonEmptyText
    numbers: list[int]


class _Claim(StructuredReply):
    claim: NonEmptyText
    reason: NonEmptyText
    is_met: bool


class Claims(StructuredReply):
    """The claims of an answer."""

    claims: list[_Claim]


class Questions(StructuredReply):
    """Questions that an answer answers."""

    questions: list[NonEmptyText] = Field(min_length=1)


class Facts(StructuredReply):
    """The facts of answer and reference."""

    both: list[NonEmptyText]
    answer_only: list[NonEmptyText]
    reference_only: list[NonEmptyText]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricGrader:
    """Measures the six metrics. A metric that the judge cannot measure is ``None``, with a reason; the others
    are kept. ``answer_tokens``: the limit of a reply; longer ones are split into several."""

    prompts_of: Prompts
    embedder: Embedder
    answer_tokens: int = 1_000
    style: Style = "metrics"
    scale: str = "0-1"

    @property
    def recipe(self) -> str:
        """The hash of the prompts and the embedder."""
        embedder = str(sorted(self.embedder.recipe.items()))
        return prompt_recipe(self.prompts_of, "metric", embedder=embedder)

    def prompts(self, sheet: AnswerSheet) -> list[list[Message]]:
        """Return the prompts for each metric that can be measured."""
        measured = [metric for metric in METRICS if not _hindrance(metric, sheet)]
        return [prompt for metric in measured for prompt, _ in self._prompts(metric, sheet)]

    def output_tokens(self, sheet: AnswerSheet) -> int:
        """Estimate the tokens of the replies about a sheet, which grow with the number of texts to judge."""
        measured = [metric for metric in METRICS if not _hindrance(metric, sheet)]
        return sum(
            max(REPLY_TOKENS, count * BATCHED.get(metric, 0))
            for metric in measured
            for _, count in self._prompts(metric, sheet)
        )

    def grade(self, sheet: AnswerSheet, ask: Ask) -> SheetScores:
        """Measure a sheet. Raises ``UngradedError`` if nothing could be measured."""
        scores, reasons = dict[str, float | None](), dict[str, str]()
        for metric in METRICS:
            hindrance = _hindrance(metric, sheet)
            try:
                scores[metric] = None if hindrance else self._measured(metric, sheet, ask)
                reason = hindrance or ("" if scores[metric] is not None else NOTHING)
            except UngradedError as error:
                scores[metric], reason = None, error.reason
            if reason:
                reasons[metric] = reason
        if all(score is None for score in scores.values()):
            raise UngradedError("; ".join(dict.fromkeys(reasons.values())))
        return SheetScores(scores=scores, reasons=reasons)

    def _measured(self, metric: Metric, sheet: AnswerSheet, ask: Ask) -> float | None:
        measures: dict[Metric, Callable[[AnswerSheet, Ask], float | None]] = {
            "context_precision": self._context_precision,
            "context_recall": self._context_recall,
            "context_relevancy": self._context_relevancy,
            "faithfulness": self._faithfulness,
            "answer_relevancy": self._answer_relevancy,
            "answer_correctness": self._answer_correctness,
        }
        return measures[metric](sheet, ask)

    def _context_precision(self, sheet: AnswerSheet, ask: Ask) -> float | None:
        return rag_metrics.context_precision(self._verdicts("context_precision", sheet, ask))

    def _context_recall(self, sheet: AnswerSheet, ask: Ask) -> float | None:
        return rag_metrics.context_recall(self._verdicts("context_recall", sheet, ask))

    def _context_relevancy(self, sheet: AnswerSheet, ask: Ask) -> float | None:
        [(prompt, count)] = self._prompts("context_relevancy", sheet)
        numbers = set(ask(prompt, Numbers).numbers)
        return rag_metrics.context_relevancy([number in numbers for number in range(1, count + 1)])

    def _faithfulness(self, sheet: AnswerSheet, ask: Ask) -> float | None:
        parts = [ask(prompt, Claims).claims for prompt, _ in self._prompts("faithfulness", sheet)]
        return rag_metrics.faithfulness([claim.is_met for claims in parts for claim in claims])

    def _verdicts(self, metric: Metric, sheet: AnswerSheet, ask: Ask) -> list[bool]:
        """Return a verdict for each numbered text, in their order."""
        prompts = self._prompts(metric, sheet)
        replies = [ask(prompt, verdicts_of(count)) for prompt, count in prompts]
        return [verdict.is_met for reply in replies for verdict in reply.verdicts]

    def _answer_relevancy(self, sheet: AnswerSheet, ask: Ask) -> float | None:
        generated = ask(self._prompts("answer_relevancy", sheet)[0][0], Questions).questions[:QUESTIONS]
        question, *others = map(self._vector, [sheet.question, *generated])
        return rag_metrics.answer_relevancy(question, np.stack(others))

    def _answer_correctness(self, sheet: AnswerSheet, ask: Ask) -> float | None:
        found = ask(self._prompts("answer_correctness", sheet)[0][0], Facts)
        facts = rag_metrics.facts_score(len(found.both), len(found.answer_only), len(found.reference_only))
        answer, reference = map(self._vector, (without_citations(sheet.answer), sheet.reference))
        return rag_metrics.answer_correctness(facts, rag_metrics.cosine(answer, reference))

    def _vector(self, text: str) -> Vectors:
        return self.embedder.embed_query(text)

    def _prompts(self, metric: Metric, sheet: AnswerSheet) -> list[tuple[list[Message], int]]:
        """Return the prompts for a metric, each with the count of its texts.

        A prompt has as many texts as one reply can judge, numbered from 1."""
        parts = _PARTS[metric](sheet)
        items: Sequence[str] = parts.get("items", ())
        most = self.answer_tokens // BATCHED[metric] if metric in BATCHED else len(items)
        batches = _batches(items, most)
        if metric == "faithfulness" and len(batches) == 1:
            batches = _batches((), 1)  # the answer as a whole
        language, values = sheet_language(sheet), {**NO_PARTS, **parts, "metric": metric}
        return [
            (self.prompts_of.task("metric", language, {**values, "items": batch}), len(batch))
            for batch in batches
        ]


def _hindrance(metric: Metric, sheet: AnswerSheet) -> str:
    """Return why a metric cannot be measured; empty if it can."""
    if metric in NEEDS_REFERENCE and not sheet.reference:
        return NO_REFERENCE
    return NO_CONTEXT if metric in NEEDS_CONTEXT and not sheet.context else ""


def _batches(items: Sequence[str], most: int) -> list[Sequence[str]]:
    """Split the texts into the fewest parts of up to ``most``, about equally long; at least one part."""
    parts = max(1, ceil(len(items) / max(most, 1)))
    return [items[len(items) * n // parts : len(items) * (n + 1) // parts] for n in range(parts)]


def _sentences(text: str) -> list[str]:
    """Return the sentences of a text, without marks of omissions and rules of tables."""
    found = sentences(text.replace(GAP.strip(), " "))
    return [each.strip() for each in found if words(each)]


def _of(sheet: AnswerSheet, *names: str) -> dict[str, Any]:
    return {name: getattr(sheet, name) for name in names}


_PARTS: Final[dict[Metric, Callable[[AnswerSheet], dict[str, Any]]]] = {
    "context_precision": lambda sheet: {
        "items": sheet.context,
        "question": sheet.asked,
        **_of(sheet, "reference"),
    },
    "context_recall": lambda sheet: {"items": _sentences(sheet.reference), **_of(sheet, "context")},
    "context_relevancy": lambda sheet: {
        "items": [sentence for text in sheet.context for sentence in _sentences(text)],
        "question": sheet.asked,
    },
    "faithfulness": lambda sheet: {
        "items": _sentences(sheet.answer),
        "question": sheet.asked,
        **_of(sheet, "context", "answer"),
    },
    "answer_relevancy": lambda sheet: {"answer": without_citations(sheet.answer)},
    "answer_correctness": lambda sheet: {"question": sheet.asked, **_of(sheet, "reference", "answer")},
}
"""Parts of a sheet that the prompts for a metric show; ``items`` are numbered."""

NO_PARTS: Final[Mapping[str, Any]] = {
    "count": QUESTIONS,
    "context": (),
    "question": "",
    "reference": "",
    "answer": "",
}
