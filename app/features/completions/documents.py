"""Requests, answers and errors in the form of OpenAI's API."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from app.api.schemas import Text
from app.document import Document


class TextPart(BaseModel):
    """A part of a message; parts that are not text are ignored."""

    type: str
    text: Text = ""


class CompletionMessage(BaseModel):
    """A message of a conversation, in the form of OpenAI's API."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Text | list[TextPart] | None = None

    def text(self) -> str:
        """Return its text without other parts."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class CompletionRequest(BaseModel):
    """The body of ``POST /v1/chat/completions``. Parameters that a site decides itself, such as the
    temperature, are ignored."""

    model_config = ConfigDict(extra="ignore")

    model: Text = Field(min_length=1, max_length=200, description="a site's key, or `key/index`")
    messages: list[CompletionMessage] = Field(min_length=1, max_length=1_000)
    stream: bool = False
    n: Literal[1] = 1


class ModelDocument(Document):
    """A site, or one of its indexes."""

    id: str
    object: str
    created: int
    owned_by: str


class ModelsDocument(Document):
    """A list of models."""

    object: str
    data: list[ModelDocument]


class UrlCitationDocument(Document):
    """A cited source. Its indexes are in characters of the content."""

    url: str
    title: str
    start_index: int
    end_index: int


class CitationDocument(Document):
    """A place in the content that cites a source."""

    type: str
    url_citation: UrlCitationDocument


class MessageDocument(Document):
    """An answer."""

    role: str
    content: str
    annotations: list[CitationDocument]


class ChoiceDocument(Document):
    """The only choice."""

    index: int
    message: MessageDocument
    finish_reason: str
    logprobs: None


class CompletionDocument(Document):
    """A completion."""

    id: str
    object: str
    created: int
    model: str
    choices: list[ChoiceDocument]


class ErrorDocument(Document):
    """An error, sent as ``{"error": …}``."""

    message: str
    type: str
    param: str | None
    code: str
