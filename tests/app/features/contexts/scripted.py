"""A scripted model that writes contexts from titles and headings, and what of a request shows."""

from typing import Any

from tests.fakes.llm import Reply

USAGE = (1_000, 800, 60)


def writes_contexts(request: dict[str, Any]) -> Reply:
    """The reply to a request for a context: what the document's title and the passage's heading say."""
    words = " ".join(passage_of(request).split()[:6])
    heading = next(
        (line.lstrip("# ") for line in passage_of(request).splitlines() if line.startswith("#")), ""
    )
    text = f"From the page {title_of(request)}, on {heading or 'what it says'}: it begins {words}"
    return Reply(deltas=(text,), usage=USAGE)


def prompt_of(request: dict[str, Any]) -> str:
    """Everything that the model was told."""
    return "\n".join(message["content"] for message in request["messages"])


def document_of(request: dict[str, Any]) -> str:
    """The document in a request."""
    return prompt_of(request).rpartition("</document>")[0].rpartition("<document>")[2].strip()


def passage_of(request: dict[str, Any]) -> str:
    """The passage in a request."""
    return prompt_of(request).rpartition("</passage>\n\n")[0].rpartition("<passage>\n")[2].strip()


def title_of(request: dict[str, Any]) -> str:
    """The document's title in a request."""
    return document_of(request).splitlines()[0].partition(": ")[2]
