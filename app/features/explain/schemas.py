"""The request models of traces and drafts."""

from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.api.schemas import Day, FiltersRequest, Language, Text
from app.errors import InputError
from app.features.explain.drafts import DAYS, QUESTIONS
from ingest.types import MAX_URL_CHARACTERS, PageRef

MOST_QUESTIONS: Final = 200


class PageName(BaseModel):
    """One page: its reference, or its address."""

    model_config = ConfigDict(extra="forbid", strict=True)

    source: Text | None = None
    id: Text | None = Field(default=None, min_length=1, description="the page's id")
    language: Language | Literal["und"] | None = None
    url: Text | None = Field(default=None, min_length=1, description="its address, in place of the others")

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if (self.id is None) == (self.url is None):
            raise ValueError("set the page's id or its url")
        if self.url is None and (self.source is None) != (self.language is None):
            raise ValueError("set both source and language, or neither")
        return self

    @property
    def name(self) -> str | PageRef:
        """The reference if it is complete, otherwise the id or address. Raises ``InputError``."""
        if self.source is None or self.language is None or self.id is None:
            return self.url or self.id or ""
        try:
            return PageRef(source=self.source, id=self.id, language=self.language)
        except ValueError as error:
            raise InputError(str(error)) from error


class TraceRequest(BaseModel):
    """The body of ``POST /api/admin/trace``."""

    model_config = ConfigDict(extra="forbid", strict=True)

    question: Text = Field(min_length=1)
    site: Text = Field(default="", description="the site's key; without: the only site")
    preset: Text = Field(default="", description="in place of the site's")
    source: Text = Field(default="", description="search this source only")
    conversation: Text = Field(default="", max_length=64, description="the one to go on with")
    language: Language | None = None
    at: Day | None = None
    filters: FiltersRequest = {}
    page: PageName | None = Field(default=None, description="the page to be explained: why is it not found?")
    texts: Literal["en", "de"] = Field(default="en", description="the language of the sentences")


class DraftRequest(BaseModel):
    """The body of ``POST /api/admin/draft``: one of ``text``, ``html`` and ``url``."""

    model_config = ConfigDict(extra="forbid", strict=True)

    source: Text = Field(min_length=1, description="the source that it would be a page of")
    site: Text = Field(default="", description="the site whose visitors' questions it is asked")
    title: Annotated[Text, Field(max_length=2_000)] = ""
    text: Text = Field(default="", description="Markdown or plain text")
    html: Text = ""
    url: Text = Field(default="", max_length=MAX_URL_CHARACTERS, description="a preview of the CMS")
    language: Language | Literal["und"] = "und"
    days: int = Field(default=DAYS, ge=1, le=365, description="questions of so many days")
    questions: int = Field(
        default=QUESTIONS, ge=1, le=MOST_QUESTIONS, description="different questions of each kind, at most"
    )


class CmsDraftRequest(BaseModel):
    """The body of ``POST /api/sources/SOURCE/draft``: a page as it is in the editor."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: Text = Field(default="", max_length=512, description="the page's, as in events; a new one has none")
    language: Language | Literal["und"] = "und"
    title: Annotated[Text, Field(max_length=2_000)] = ""
    html: Text = Field(min_length=1)
    question: Text = Field(
        default="", max_length=2_000, description="ask this alone, in place of visitors' questions"
    )
    site: Text = Field(default="", description="its key, where the source is of several sites")
