"""Requests, answers and errors in the form of OpenAI's API."""

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.api.openapi import NUMBER, TEXT, list_of, object_of, or_none
from app.api.schemas import Text

MODELS: Final = object_of(
    {
        "object": TEXT,
        "data": list_of(object_of({"id": TEXT, "object": TEXT, "created": NUMBER, "owned_by": TEXT})),
    }
)
_URL_CITATION: Final = object_of({"url": TEXT, "title": TEXT, "start_index": NUMBER, "end_index": NUMBER})
_ANNOTATION: Final = object_of({"type": TEXT, "url_citation": _URL_CITATION})
_MESSAGE: Final = object_of({"role": TEXT, "content": TEXT, "annotations": list_of(_ANNOTATION)})
COMPLETION_ERROR: Final = object_of(
    {"error": object_of({"message": TEXT, "type": TEXT, "param": or_none(TEXT), "code": TEXT})}
)
_CHOICE: Final = object_of(
    {"index": NUMBER, "message": _MESSAGE, "finish_reason": TEXT, "logprobs": {"type": "null"}}
)
COMPLETION: Final = object_of(
    {
        "id": TEXT,
        "object": TEXT,
        "created": NUMBER,
        "model": TEXT,
        "choices": list_of(_CHOICE),
    }
)


class TextPart(BaseModel):
    """A part of a message; those that are no text are ignored."""

    type: str
    text: Text = ""


class CompletionMessage(BaseModel):
    """A message of a conversation, as OpenAI's API has it."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Text | list[TextPart] | None = None

    def text(self) -> str:
        """Return its text without other parts."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class CompletionRequest(BaseModel):
    """The body of ``POST /v1/chat/completions``. What a site decides itself, such as the temperature, is
    ignored."""

    model_config = ConfigDict(extra="ignore")

    model: Text = Field(min_length=1, max_length=200, description="a site's key, or `key/index`")
    messages: list[CompletionMessage] = Field(min_length=1, max_length=1_000)
    stream: bool = False
    n: Literal[1] = 1
