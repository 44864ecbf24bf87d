"""Settings of the contexts of chunks, ``[contexts]``."""

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from app.settings.addresses import check_endpoint
from app.settings.options import ApiKey

MAX_GLOSSARY_CHARACTERS = 20_000


class ContextSettings(BaseModel):
    """The language model that writes contexts of chunks, for presets that want them: the chat's, unless
    ``model`` names another, at the chat's endpoint unless ``base_url`` names another.

    ``seconds``: timeout of one context. ``document_tokens``: how much of a document is given with a chunk, at
    most. ``glossary``: terms of the site, which the model is given. Prices are per million tokens, in any
    currency. ``ask_above``: a command asks first if the price is above this. ``daily_tokens``: 0 is no limit.
    """

    model_config = ConfigDict(extra="forbid")

    base_url: str = ""
    api_key: ApiKey = SecretStr("")
    model: str = ""
    parallel: int = Field(default=4, gt=0, le=64)
    seconds: float = Field(default=60.0, gt=0)
    document_tokens: int = Field(default=6_000, ge=500)
    answer_tokens: int = Field(default=150, ge=20)
    glossary: str = Field(default="", max_length=MAX_GLOSSARY_CHARACTERS)
    input_price: float | None = Field(default=None, ge=0)
    cached_price: float | None = Field(default=None, ge=0)
    output_price: float | None = Field(default=None, ge=0)
    ask_above: float = Field(default=1.0, ge=0)
    daily_tokens: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _names_a_model(self) -> Self:
        if self.base_url and not self.model:
            raise ValueError("base_url is set without a model: set the model that writes contexts, too")
        check_endpoint(self.base_url)
        return self
