"""Settings of the language model that answers."""

from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from app.settings.addresses import check_endpoint
from app.settings.judge import Temperature
from app.settings.options import ApiKey


class ChatSettings(BaseModel):
    """The language model: any OpenAI-compatible endpoint. Without ``model`` answers are extractive.

    * ``context_tokens``: the server's real context (Ollama cuts longer prompts silently)
    * ``form``: of answers; ``small`` is for a model that follows few instructions: passages come first, and
      below them its summary
    * ``prompts``: a folder with templates that replace the package's of the same names
    * ``limit_parameter``: newer OpenAI models accept only ``max_completion_tokens``
    * ``temperature``: ``None`` (written ``"none"``, because TOML and variables have no null) leaves it to the
      endpoint
    """

    model_config = ConfigDict(extra="forbid")

    base_url: str = ""
    api_key: ApiKey = SecretStr("")
    model: str = ""
    context_tokens: int = Field(default=8_192, gt=1_000)
    answer_tokens: int = Field(default=1_000, gt=0)
    form: Literal["full", "small"] = "full"
    prompts: Path | None = None
    rephrase_seconds: float = Field(default=8.0, gt=0)
    passages_seconds: float = Field(default=5.0, gt=0)
    first_token_seconds: float = Field(default=30.0, gt=0)
    idle_seconds: float = Field(default=20.0, gt=0)
    answer_seconds: float = Field(default=180.0, gt=0, le=240)
    limit_parameter: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: Temperature = 0.1

    @model_validator(mode="after")
    def _both_or_none(self) -> Self:
        if bool(self.base_url) != bool(self.model):
            raise ValueError("set both base_url and model, or neither")
        check_endpoint(self.base_url)
        return self
