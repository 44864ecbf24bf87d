"""Settings of the language model that grades answers."""

import re
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, model_validator

from app.settings.addresses import check_endpoint
from app.settings.options import ApiKey

MAX_SCORES: Final = 11

_SCALE: Final = re.compile(r"(\d{1,2})-(\d{1,2})")


def scale_ends(scale: str) -> tuple[int, int]:
    """Return the lowest and the highest score of a scale such as ``0-3``. Raises ``ValueError``."""
    found = _SCALE.fullmatch(scale)
    low, high = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 0 < high - low < MAX_SCORES:
        raise ValueError("a scale is its lowest and highest score: use 0-1, 0-3, 1-5 or 0-10")
    return low, high


def _checked_scale(scale: str) -> str:
    scale_ends(scale)
    return scale


def _none(value: object) -> object:
    return None if value == "none" else value


Temperature = Annotated[Annotated[float, Field(ge=0, le=2)] | None, BeforeValidator(_none)]
"""The temperature of a model; ``none`` leaves it to the endpoint."""


class JudgeSettings(BaseModel):
    """The language model that grades answers: the chat's, unless ``model`` names another, at the chat's
    endpoint unless ``base_url`` names another.

    ``seconds``: timeout of one reply. ``retries``: after a reply that cannot be used. ``scale``: lowest and
    highest score. ``rubric``: a file with an example for each score of each criterion. Prices are per million
    tokens, in any currency. ``ask_above``: a command asks first if the price is above this. ``live_answers``:
    how many answers to visitors are graded for each day.
    """

    model_config = ConfigDict(extra="forbid")

    base_url: str = ""
    api_key: ApiKey = SecretStr("")
    model: str = ""
    parallel: int = Field(default=4, gt=0, le=64)
    seconds: float = Field(default=120.0, gt=0)
    answer_tokens: int = Field(default=1_000, ge=100)
    retries: int = Field(default=2, ge=0, le=10)
    temperature: Temperature = 0.1
    scale: Annotated[str, AfterValidator(_checked_scale)] = "0-3"
    correctness_weight: float = Field(default=0.6, ge=0)
    completeness_weight: float = Field(default=0.2, ge=0)
    readability_weight: float = Field(default=0.2, ge=0)
    rubric: Path | None = None
    input_price: float | None = Field(default=None, ge=0)
    cached_price: float | None = Field(default=None, ge=0)
    output_price: float | None = Field(default=None, ge=0)
    ask_above: float = Field(default=1.0, ge=0)
    live_answers: int = Field(default=0, ge=0, le=10_000)

    def limit(self, agreed: float | None) -> float:
        """Return the cost up to which a command does not ask: the ``agreed`` one, otherwise ``ask_above``."""
        return self.ask_above if agreed is None else agreed

    @model_validator(mode="after")
    def _can_be_used(self) -> Self:
        if self.base_url and not self.model:
            raise ValueError("base_url is set without a model: set the model that grades, too")
        check_endpoint(self.base_url)
        weights = (self.correctness_weight, self.completeness_weight, self.readability_weight)
        if not sum(weights):
            raise ValueError("the weights of correctness, completeness and readability are all 0")
        if weights[0] < max(weights):
            raise ValueError("correctness_weight is below another weight: a wrong answer must not rank high")
        return self
