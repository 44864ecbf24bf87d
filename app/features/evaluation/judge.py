"""Graders: prompts about a sheet for a judge, and grades from its replies.

Three styles: the criteria of the rubric ("LLM as a judge", single-answer grading with reasons before scores),
the comparison with a reference as the regulator's lawyers make it, and the six metrics.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, Protocol

from pydantic import BeforeValidator, create_model

from app.chat.model.prompts import Prompts
from app.chat.types import Message
from app.features.evaluation.grades import ReferenceComparison, Style
from app.features.evaluation.judge_model import Ask, NonEmptyText, StructuredReply, UngradedError
from app.features.evaluation.rubric import CRITERIA, Criterion, Rubric, Scale, load_rubric
from app.features.evaluation.sheets import AnswerSheet
from app.settings.judge import JudgeSettings
from app.settings.sites import SiteSettings
from ingest.fingerprints import recipe_hash
from ingest.text import shortened

REASON_CHARACTERS: Final = 500
CRITERIA_TOKENS: Final = 200
COMPARISON_TOKENS: Final = 250
NO_REFERENCE: Final = "the pool has no reference answer for this question"
LABELS: Final[Mapping[Criterion, str]] = {
    "correctness": "Richtigkeit",
    "completeness": "Vollständigkeit",
    "readability": "Lesbarkeit",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetScores:
    """A judge's scores of a sheet. A score of ``None`` could not be measured."""

    scores: Mapping[str, float | None]
    reasons: Mapping[str, str]
    comparison: ReferenceComparison | None = None


class Grader(Protocol):
    """Grades sheets in one style."""

    @property
    def style(self) -> Style:
        """The name of that style."""

    @property
    def scale(self) -> str:
        """The scores that it gives, such as ``0-3``."""

    @property
    def recipe(self) -> str:
        """The hash of everything that a grade depends on besides sheet and judge."""

    def prompts(self, sheet: AnswerSheet) -> list[list[Message]]:
        """Return the prompts about a sheet."""

    def output_tokens(self, sheet: AnswerSheet) -> int:
        """Estimate the tokens of the replies about a sheet."""

    def grade(self, sheet: AnswerSheet, ask: Ask) -> SheetScores:
        """Grade a sheet. Raises ``UngradedError`` and ``ModelError``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriteriaGrader:
    """Grades correctness, completeness and readability on a scale, with reasons first."""

    prompts_of: Prompts
    scale_of: Scale
    rubric: Rubric
    style: Style = "criteria"
    reply: type[StructuredReply] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "reply", criteria_reply(self.scale_of))

    @property
    def scale(self) -> str:
        """The scale, such as ``0-3``."""
        return str(self.scale_of)

    @property
    def recipe(self) -> str:
        """The hash of prompt, scale and examples."""
        return prompt_recipe(self.prompts_of, "judge", scale=self.scale, rubric=self.rubric.model_dump_json())

    def prompts(self, sheet: AnswerSheet) -> list[list[Message]]:
        """Return one prompt: rules and rubric, then the sheet."""
        language = sheet_language(sheet)
        values = {
            "criteria": [_criterion(name, self.scale_of, self.rubric, language) for name in CRITERIA],
            "low": self.scale_of.low,
            "high": self.scale_of.high,
            "context": sheet.context,
            "question": sheet.question,
            "history": sheet.history,
            "reference": sheet.reference,
            "answerable": sheet.answerable,
            "answer": sheet.answer,
        }
        return [self.prompts_of.task("judge", language, values)]

    def output_tokens(self, _sheet: AnswerSheet) -> int:
        """Return the tokens of three scores with their reasons."""
        return CRITERIA_TOKENS

    def grade(self, sheet: AnswerSheet, ask: Ask) -> SheetScores:
        """Grade a sheet."""
        [prompt] = self.prompts(sheet)
        found = ask(prompt, self.reply).model_dump()
        return SheetScores(
            scores={name: found[name] for name in CRITERIA},
            reasons={name: line(found[f"{name}_reason"]) for name in CRITERIA},
        )


def make_criteria_grader(prompts: Prompts, settings: JudgeSettings) -> CriteriaGrader:
    """Make the grader of the settings' scale and rubric. Raises ``InputError`` if its file is unusable."""
    scale = Scale.of(settings.scale)
    return CriteriaGrader(prompts_of=prompts, scale_of=scale, rubric=load_rubric(settings.rubric, scale))


class ComparisonReply(StructuredReply):
    """The reply to a comparison, with each reason before the verdict that it supports."""

    summary: NonEmptyText
    grade_reason: NonEmptyText
    grade: Literal[1, 2, 3, 4]
    style_reason: NonEmptyText
    style: Literal["good", "bad"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonGrader:
    """Compares answers with the references of their pool in four grades, and judges their style. ``sites``:
    their subjects show which laws are other laws."""

    prompts_of: Prompts
    sites: Sequence[SiteSettings] = ()
    style: Style = "rtr"
    scale: str = "1-4"

    @property
    def recipe(self) -> str:
        """The hash of the prompt and the subjects."""
        subjects = "\n".join(site.subject for site in self.sites)
        return prompt_recipe(self.prompts_of, "comparison", subjects=subjects)

    def prompts(self, sheet: AnswerSheet) -> list[list[Message]]:
        """Return one prompt; none without a reference."""
        if not sheet.reference:
            return []
        values = {
            "subject": self._subject(sheet),
            "titles": list(dict.fromkeys(source.title for source in sheet.sources)),
            "question": sheet.asked,
            "reference": sheet.reference,
            "answer": sheet.answer,
        }
        return [self.prompts_of.task("comparison", sheet_language(sheet), values)]

    def output_tokens(self, sheet: AnswerSheet) -> int:
        """Return the tokens of a comparison; 0 without a reference."""
        return COMPARISON_TOKENS if sheet.reference else 0

    def grade(self, sheet: AnswerSheet, ask: Ask) -> SheetScores:
        """Compare a sheet with its reference."""
        if not sheet.reference:
            raise UngradedError(NO_REFERENCE)
        [prompt] = self.prompts(sheet)
        found = ask(prompt, ComparisonReply)
        comparison = ReferenceComparison(
            question=sheet.question,
            reference=sheet.reference,
            answer=sheet.answer,
            summary=found.summary,
            grade=found.grade,
            grade_reason=line(found.grade_reason),
            style=found.style,
            style_reason=line(found.style_reason),
        )
        reasons = {"grade": comparison.grade_reason, "style": comparison.style_reason}
        return SheetScores(scores={"grade": found.grade}, reasons=reasons, comparison=comparison)

    def _subject(self, sheet: AnswerSheet) -> str:
        """Return the subjects of the sites that search the answer's sources; of all sites if it has none."""
        read = frozenset(source.source for source in sheet.sources)
        subjects = [site.subject for site in self.sites if not read or site.searches(read)]
        return " ".join(f"{subject.rstrip('.!')}." for subject in dict.fromkeys(subjects) if subject)


def criteria_reply(scale: Scale) -> type[StructuredReply]:
    """Make the form of a reply: a line of reasons and a score of the scale for each criterion."""
    score: Any = Annotated[Literal[tuple(scale.scores)], BeforeValidator(_whole)]
    fields: dict[str, Any] = {}
    for name in CRITERIA:
        fields[f"{name}_reason"] = (NonEmptyText, ...)
        fields[name] = (score, ...)
    return create_model("grades", __base__=StructuredReply, **fields)


def _whole(value: object) -> object:
    """Convert a score to a number, as some models write it as text. Raises ``ValueError`` for ``true``."""
    if isinstance(value, bool):
        raise ValueError("a score is a number")
    return int(value) if isinstance(value, str) and value.strip().isdecimal() else value


def line(text: str) -> str:
    """Put a reason on one line, shortened."""
    return shortened(" ".join(text.split()), REASON_CHARACTERS)


def _criterion(name: Criterion, scale: Scale, rubric: Rubric, language: str) -> dict[str, Any]:
    scores = [
        {"score": score, "meaning": meaning, "examples": rubric.of(name, score)}
        for score, meaning in scale.definitions(name, language).items()
    ]
    return {"name": name, "label": LABELS[name], "scores": scores}


def sheet_language(sheet: AnswerSheet) -> str:
    """Return the language of the prompts about a sheet."""
    return sheet.language or "en"


def prompt_recipe(prompts: Prompts, purpose: str, **more: str) -> str:
    """Hash a purpose's prompts in all languages, and whatever else a grade depends on."""
    versions = {language: prompts.version(purpose, language) for language in prompts.languages(purpose)}
    return recipe_hash({"purpose": purpose, **versions, **more})
