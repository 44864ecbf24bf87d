"""The API's request models. Unknown fields, wrong types, NUL and lone surrogates are refused."""

import re
from datetime import date
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from app.chat.feedback import COMMENT_CHARACTERS

HITS: Final = 20


def _clean(text: str) -> str:
    if "\0" in text:
        raise ValueError("must not contain NUL")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError("must not contain lone surrogates") from error
    return text


Text = Annotated[str, AfterValidator(_clean)]


def _written_day(value: object) -> object:
    if isinstance(value, str) and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
        raise ValueError("must be a day such as 2023-01-31")
    return date.fromisoformat(value) if isinstance(value, str) else value


Day = Annotated[
    date,
    BeforeValidator(_written_day, json_schema_input_type=str),
    Field(strict=True, description="the day whose law is asked for, such as 2023-01-31"),
]
Index = Annotated[
    Text,
    Field(
        max_length=64,
        description="one of the site's `indexes` by its name, as `GET /api/site` gives them; else the first",
    ),
]
Language = Annotated[str, Field(pattern=r"^[a-z]{2}$", description="ISO 639-1, such as de")]


class SiteQuery(BaseModel):
    """The query of all visitors' requests."""

    model_config = ConfigDict(extra="forbid")

    site: Text = Field(default="default", description="the site's key")


class SiteLanguageQuery(SiteQuery):
    """The query of ``GET /api/site``."""

    language: Language | None = None


class SearchQuery(SiteQuery):
    """The query of ``GET /api/search``."""

    q: Text = Field(min_length=1, description="the question")
    index: Index | None = None
    source: Text | None = Field(default=None, description="search this source only")
    language: Language | None = None
    limit: int | None = Field(default=None, ge=1, le=HITS, description="at most this many hits")
    at: Day | None = None


class ChatRequest(BaseModel):
    """The body of ``POST /api/chat``."""

    model_config = ConfigDict(extra="forbid", strict=True)

    question: Text = Field(min_length=1)
    conversation: Text | None = Field(
        default=None, max_length=64, description="the one to go on with, from `started` of its first answer"
    )
    index: Index | None = None
    source: Text | None = Field(default=None, description="answer from this source only")
    language: Language | None = None
    at: Day | None = None


class ChatQuery(SiteQuery):
    """The query of ``POST /api/chat``."""

    format: Literal["html", "markdown"] = "html"


class FeedbackRequest(BaseModel):
    """The body of ``POST /api/feedback``."""

    model_config = ConfigDict(extra="forbid", strict=True)

    answer: Text = Field(min_length=1, max_length=64, description="the answer's id")
    rating: Literal["up", "down"]
    comment: Text = Field(default="", max_length=COMMENT_CHARACTERS)


class QuestionsQuery(BaseModel):
    """The query of ``GET /api/admin/questions``."""

    model_config = ConfigDict(extra="forbid")

    site: Text | None = Field(default=None, description="the site's key; all without")
    kind: Literal["all", "unanswered", "rated"] = "all"
    since: Day | None = Field(default=None, description="from the beginning of that day on, UTC")
    format: Literal["json", "csv"] = "json"


class PageQuery(BaseModel):
    """The query of ``GET /api/sources/<source>/pages``."""

    model_config = ConfigDict(extra="forbid")

    id: Text = Field(min_length=1, description="the page's id")


class ReindexRequest(BaseModel):
    """The body of ``POST /api/admin/reindex``."""

    model_config = ConfigDict(extra="forbid", strict=True)

    source: Text | None = Field(default=None, description="only write the pages of this source again")
    take_over: bool = Field(default=False, description="also in the place of another installation's index")
