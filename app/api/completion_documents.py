"""The JSON documents of OpenAI's API, as far as there are sites to answer it."""

from app.document import Document


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
    """A source that is cited. Its indexes are in characters of the content."""

    url: str
    title: str
    start_index: int
    end_index: int


class CitationDocument(Document):
    """Where the content cites a source."""

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
    """An error, which ``{"error": …}`` holds."""

    message: str
    type: str
    param: str | None
    code: str
