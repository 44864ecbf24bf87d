"""The rubric of the judge: three criteria, the meaning of each score, and a site's example for every score.

Definitions and the scale of 0 to 3 are those of "Best Practices for LLM Evaluation of RAG Applications"
(Databricks, 2023). On other scales the four definitions stand at the scores nearest to their places.
"""

import json
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Final, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.errors import InputError
from app.features.evaluation.validation import first_error
from app.settings.judge import JudgeSettings, scale_ends

Criterion = Literal["correctness", "completeness", "readability"]
CRITERIA: Final[tuple[Criterion, ...]] = get_args(Criterion)

LEVELS: Final = 4
NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class Scale:
    """Whole scores from ``low`` to ``high``."""

    low: int
    high: int

    @classmethod
    def of(cls, text: str) -> Self:
        """Parse a setting such as ``0-3``. Raises ``ValueError``."""
        return cls(*scale_ends(text))

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"

    @property
    def scores(self) -> range:
        """Every score, the lowest first."""
        return range(self.low, self.high + 1)

    def share(self, score: float) -> float:
        """Return the position of a score on the scale, 0 to 1."""
        return (score - self.low) / (self.high - self.low)

    def definitions(self, criterion: Criterion, language: str) -> dict[int, str]:
        """Return the meaning of each score; empty for one between two definitions."""
        found = defaultdict[int, list[str]](list)
        for level, text in enumerate(_definitions(language)[criterion]):
            found[self.low + round(level * (self.high - self.low) / (LEVELS - 1))].append(text)
        return {score: "; ".join(found[score]) for score in self.scores}


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The weight of each criterion in the composite."""

    correctness: float = 0.6
    completeness: float = 0.2
    readability: float = 0.2

    @classmethod
    def of(cls, settings: JudgeSettings) -> Self:
        """Return the settings' weights."""
        return cls(
            correctness=settings.correctness_weight,
            completeness=settings.completeness_weight,
            readability=settings.readability_weight,
        )

    def composite(self, scores: Mapping[str, float]) -> float:
        """Return the weighted mean of the three scores, on their scale."""
        weights: dict[str, float] = asdict(self)
        return sum(weights[name] * scores[name] for name in CRITERIA) / sum(weights.values())


class Example(BaseModel):
    """An answer that deserves a ``score`` for a criterion, and the reason. ``checked``: by a person."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    criterion: Criterion
    score: int
    question: str = Field(min_length=1)
    context: str = ""
    answer: str
    reason: str = Field(min_length=1)
    checked: bool = False


class Rubric(BaseModel):
    """Examples of a site, in one ``language``, on one ``scale``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    language: str = Field(default="en", pattern=r"^[a-z]{2}$")
    scale: str = "0-3"
    examples: tuple[Example, ...] = ()

    def of(self, criterion: Criterion, score: int) -> list[Example]:
        """Return the examples of a score."""
        return [each for each in self.examples if (each.criterion, each.score) == (criterion, score)]


NO_EXAMPLES: Final = Rubric()


def load_rubric(path: Path | None, scale: Scale) -> Rubric:
    """Load the examples of a site; empty without a file.

    Raises ``InputError`` for a file that cannot be read, is for another scale, lacks an example for a score
    of a criterion, or has examples that no person has checked.
    """
    if path is None:
        return NO_EXAMPLES
    rubric = _read(path)
    if rubric.scale != str(scale):
        raise InputError(f"{path} is for scores of {rubric.scale}, the judge gives {scale}: set judge.scale")
    if missing := [pair for pair in product(CRITERIA, scale.scores) if not rubric.of(*pair)]:
        raise InputError(f"{path} has no example for {_named(missing)}: add one for each score")
    if unchecked := [(each.criterion, each.score) for each in rubric.examples if not each.checked]:
        raise InputError(
            f"{path}: nobody has checked the examples for {_named(unchecked)}: read them, correct them, set "
            "checked = true"
        )
    return rubric


@cache
def _definitions(language: str) -> Mapping[Criterion, list[str]]:
    """Load the meanings of each criterion's scores, the lowest first, in ``language`` or else in English."""
    texts = files("app.features.evaluation").joinpath("texts")
    file = texts.joinpath(f"rubric.{language}.json")
    file = file if file.is_file() else texts.joinpath("rubric.en.json")
    found: Mapping[Criterion, list[str]] = json.loads(file.read_text("utf-8"))
    return found


def _read(path: Path) -> Rubric:
    try:
        return Rubric.model_validate(tomllib.loads(path.read_text("utf-8")))
    except OSError as error:
        raise InputError(f"rubric {path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise InputError(f"rubric {path}: {first_error(error)}") from error
    except ValueError as error:  # not TOML, or not UTF-8
        raise InputError(f"rubric {path} is not TOML: {error}") from error


def _named(scores: Sequence[tuple[Criterion, int]]) -> str:
    named = ", ".join(f"{criterion} {score}" for criterion, score in scores[:NAMED])
    return named if len(scores) <= NAMED else f"{named} and {len(scores) - NAMED} more"
