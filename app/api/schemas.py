"""The API's request models. Unknown fields, wrong types, NUL and lone surrogates are refused."""

import re
from datetime import date
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from app.accounts.types import Role
from app.chat.feedback import COMMENT_CHARACTERS
from app.pages.column_types import check_storable
from ingest.types import PageRef

HITS: Final = 20

FILTER: Final = "filter."
"""The prefix of query parameters that filter by a field."""

Text = Annotated[str, AfterValidator(check_storable)]


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


def ref_of(name: str) -> PageRef:
    """Return the page that ``source/language/id`` names. Raises ``ValueError``."""
    source, _, rest = name.partition("/")
    language, _, page_id = rest.partition("/")
    return PageRef(source=source, id=page_id, language=language)


def _checked_name(name: str) -> str:
    ref_of(name)
    return name


PageName = Annotated[Text, AfterValidator(_checked_name), Field(max_length=600)]
"""The name of a page, ``source/language/id``."""


class SiteQuery(BaseModel):
    """The query of all visitors' requests."""

    model_config = ConfigDict(extra="forbid")

    site: Text | None = Field(default=None, description="the site's key; needless where there is one site")


class SiteLanguageQuery(SiteQuery):
    """The query of ``GET /api/site``."""

    language: Language | None = None


class FilterQuery(SiteQuery):
    """The query of a search that may be filtered by declared fields.
    :func:`app.api.visitors.requested_filters` parses the filters, because each may be given several times."""

    filters: dict[str, str] = Field(
        default={},
        max_length=100,
        description="each a parameter of its own: `filter.office=Standesamt`, several times for any of "
        "several values; `filter.year.from=2024` and `filter.year.to=2025`, both included",
    )

    @model_validator(mode="before")
    @classmethod
    def _together(cls, query: dict[str, Any]) -> dict[str, Any]:
        """Collect the filter parameters in one field."""
        filters = {name: text for name, text in query.items() if name.startswith(FILTER)}
        if not filters:
            return query
        return {**{name: query[name] for name in query.keys() - filters.keys()}, "filters": filters}


class SearchQuery(FilterQuery):
    """The query of ``GET /api/search``."""

    q: Text = Field(min_length=1, description="the question")
    index: Index | None = None
    source: Text | None = Field(default=None, description="search this source only")
    language: Language | None = None
    limit: int | None = Field(default=None, ge=1, le=HITS, description="at most this many hits")
    at: Day | None = None


class RangeRequest(BaseModel):
    """A range of numbers or days, both ends included; without an end it is open."""

    model_config = ConfigDict(extra="forbid", strict=True)

    start: float | Text | None = Field(default=None, alias="from")
    end: float | Text | None = Field(default=None, alias="to")


FiltersRequest = Annotated[
    dict[Text, Text | float | list[Text | float] | RangeRequest],
    Field(
        max_length=100,
        description="only pages that pass all of these: by field a value, a list of which a page has any, or "
        'a range such as `{"from": 2024, "to": 2025}` or `{"from": "2026-01-31"}`',
    ),
]


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
    filters: FiltersRequest = {}


class ChatQuery(SiteQuery):
    """The query of ``POST /api/chat``."""

    format: Literal["html", "markdown"] = "html"


class FeedbackRequest(BaseModel):
    """The body of ``POST /api/feedback``."""

    model_config = ConfigDict(extra="forbid", strict=True)

    answer: Text = Field(min_length=1, max_length=64, description="the answer's id")
    rating: Literal["up", "down"]
    comment: Text = Field(default="", max_length=COMMENT_CHARACTERS)


class UserRequest(BaseModel):
    """The body of ``PUT /api/admin/users/NAME``."""

    model_config = ConfigDict(extra="forbid", strict=True)

    role: Role
    sources: list[Annotated[Text, Field(max_length=64)]] | None = Field(
        default=None, min_length=1, max_length=1_000, description="those of an editor; without, or null: all"
    )


class NewUserRequest(UserRequest):
    """The body of ``POST /api/admin/users``."""

    name: Text = Field(min_length=1, max_length=64, description="letters, digits and . @ + - _")


class ChangesQuery(BaseModel):
    """The query of ``GET /api/admin/changes``."""

    model_config = ConfigDict(extra="forbid")

    below: int | None = Field(default=None, ge=1, description="the last number of the part before")
    limit: int = Field(default=50, ge=1, le=200)


class VersionQuery(BaseModel):
    """The query of a ``DELETE``."""

    model_config = ConfigDict(extra="forbid")

    version: int = Field(ge=1, description="the version that was read")


class PageQuery(BaseModel):
    """The query of ``GET /api/sources/<source>/pages``."""

    model_config = ConfigDict(extra="forbid")

    id: Text = Field(min_length=1, description="the page's id")


class ReindexRequest(BaseModel):
    """The body of ``POST /api/admin/reindex``."""

    model_config = ConfigDict(extra="forbid", strict=True)

    source: Text | None = Field(default=None, description="only write the pages of this source again")
    take_over: bool = Field(default=False, description="also in the place of another installation's index")
