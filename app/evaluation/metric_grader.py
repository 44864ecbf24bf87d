"""Has a judge find what the six metrics are computed of: relevant passages, claims, facts, questions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from pydantic import Field

from app.chat.model.prompts import Prompts
from app.chat.text.citations import NUMBERS_IN_BRACKETS
from app.chat.types import Message
from app.evaluation import rag_metrics
from app.evaluation.grades import Style
from app.evaluation.judge import NO_REFERENCE, Verdict, prompt_recipe, sheet_language
from app.evaluation.judge_model import Ask, Said, StructuredReply, UngradedError
from app.evaluation.rag_metrics import METRICS, Metric, Vectors
from app.evaluation.sheets import AnswerSheet
from ingest.protocols import Embedder
from ingest.sentences import sentences

QUESTIONS: Final = 3
"""Generated from an answer, as in the paper."""

NEEDS_REFERENCE: Final = frozenset[Metric]({"context_precision", "context_recall", "answer_correctness"})
NEEDS_CONTEXT: Final = frozenset[Metric]({"context_precision", "context_relevancy"})
NO_CONTEXT: Final = "no page was given to the model"
NOTHING: Final = "the judge found nothing to measure"


class _Item(StructuredReply):
    number: int
    reason: Said
    is_met: bool


class Verdicts(StructuredReply):
    """One verdict for each numbered text."""

    verdicts: list[_Item]


class Numbers(StructuredReply):
    """The numbers of texts that matter."""

    reason: Said
    numbers: list[int]


class _Claim(StructuredReply):
    claim: Said
    reason: Said
    is_met: bool


class Claims(StructuredReply):
    """The claims of an answer."""

    claims: list[_Claim]


class Questions(StructuredReply):
    """Questions that an answer answers."""

    questions: list[Said] = Field(min_length=1)


class Facts(StructuredReply):
    """The facts of answer and reference."""

    both: list[Said]
    answer_only: list[Said]
    reference_only: list[Said]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricGrader:
    """Measures the six metrics. A metric that the judge cannot measure is ``None``, with a reason; the others
    are kept."""

    prompts_of: Prompts
    embedder: Embedder
    style: Style = "metrics"
    scale: str = "0-1"
    output_tokens: int = 250

    @property
    def recipe(self) -> str:
        """The hash of the prompts and the embedder."""
        embedder = str(sorted(self.embedder.recipe.items()))
        return prompt_recipe(self.prompts_of, "metric", embedder=embedder)

    def prompts(self, sheet: AnswerSheet) -> list[list[Message]]:
        """A prompt for each metric that can be measured."""
        return [self._prompt(metric, sheet) for metric in METRICS if not _hindrance(metric, sheet)]

    def grade(self, sheet: AnswerSheet, ask: Ask) -> Verdict:
        """Measure a sheet. Raises ``UngradedError`` where nothing could be measured."""
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
        return Verdict(scores=scores, reasons=reasons)

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
        found = ask(self._prompt("context_precision", sheet), Verdicts)
        return rag_metrics.context_precision(_in_order(found, len(sheet.context)))

    def _context_recall(self, sheet: AnswerSheet, ask: Ask) -> float | None:
        found = ask(self._prompt("context_recall", sheet), Verdicts)
        return rag_metrics.context_recall(_in_order(found, len(_sentences(sheet.reference))))

    def _context_relevancy(self, sheet: AnswerSheet, ask: Ask) -> float | None:
        numbers = set(ask(self._prompt("context_relevancy", sheet), Numbers).numbers)
        count = len(_context_sentences(sheet))
        return rag_metrics.context_relevancy([number in numbers for number in range(1, count + 1)])

    def _faithfulness(self, sheet: AnswerSheet, ask: Ask) -> float | None:
        claims = ask(self._prompt("faithfulness", sheet), Claims).claims
        return rag_metrics.faithfulness([claim.is_met for claim in claims])

    def _answer_relevancy(self, sheet: AnswerSheet, ask: Ask) -> float | None:
        generated = ask(self._prompt("answer_relevancy", sheet), Questions).questions[:QUESTIONS]
        question, *others = map(self._vector, [sheet.question, *generated])
        return rag_metrics.answer_relevancy(question, np.stack(others))

    def _answer_correctness(self, sheet: AnswerSheet, ask: Ask) -> float | None:
        found = ask(self._prompt("answer_correctness", sheet), Facts)
        facts = rag_metrics.facts_score(len(found.both), len(found.answer_only), len(found.reference_only))
        answer, reference = map(self._vector, (_without_citations(sheet.answer), sheet.reference))
        return rag_metrics.answer_correctness(facts, rag_metrics.cosine(answer, reference))

    def _vector(self, text: str) -> Vectors:
        return self.embedder.embed_query(text)

    def _prompt(self, metric: Metric, sheet: AnswerSheet) -> list[Message]:
        values: dict[str, Any] = {
            "metric": metric,
            "count": QUESTIONS,
            "items": (),
            "context": (),
            "question": "",
            "reference": "",
            "answer": "",
            **_PARTS[metric](sheet),
        }
        return self.prompts_of.task("metric", sheet_language(sheet), values)


def _hindrance(metric: Metric, sheet: AnswerSheet) -> str:
    """Why a metric cannot be measured; empty if it can."""
    if metric in NEEDS_REFERENCE and not sheet.reference:
        return NO_REFERENCE
    return NO_CONTEXT if metric in NEEDS_CONTEXT and not sheet.context else ""


def _in_order(found: Verdicts, count: int) -> list[bool]:
    """The verdicts by their numbers. Raises ``UngradedError`` where one is missing."""
    verdicts = {each.number: each.is_met for each in found.verdicts}
    if missing := [number for number in range(1, count + 1) if number not in verdicts]:
        raise UngradedError(f"no verdict for text {missing[0]} of {count}")
    return [verdicts[number] for number in range(1, count + 1)]


def _sentences(text: str) -> list[str]:
    return [stripped for each in sentences(text) if (stripped := each.strip())]


def _context_sentences(sheet: AnswerSheet) -> list[str]:
    return [sentence for text in sheet.context for sentence in _sentences(text)]


def _without_citations(answer: str) -> str:
    return " ".join(NUMBERS_IN_BRACKETS.sub("", answer).split())


def _of(sheet: AnswerSheet, *names: str) -> dict[str, Any]:
    return {name: getattr(sheet, name) for name in names}


_PARTS: Final[dict[Metric, Callable[[AnswerSheet], dict[str, Any]]]] = {
    "context_precision": lambda sheet: {"items": sheet.context, **_of(sheet, "question", "reference")},
    "context_recall": lambda sheet: {"items": _sentences(sheet.reference), **_of(sheet, "context")},
    "context_relevancy": lambda sheet: {"items": _context_sentences(sheet), **_of(sheet, "question")},
    "faithfulness": lambda sheet: _of(sheet, "context", "question", "answer"),
    "answer_relevancy": lambda sheet: {"answer": _without_citations(sheet.answer)},
    "answer_correctness": lambda sheet: _of(sheet, "question", "reference", "answer"),
}
"""What of a sheet is shown for a metric; ``items`` are numbered."""
