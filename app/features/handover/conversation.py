"""The conversation as it is handed over to a person. Pure functions."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any, Final

from app.chat.stored import StoredAnswer
from app.chat.text.plain_text import plain_text
from app.features.handover.documents import ExchangeDocument, PageDocument
from app.web.links import web_link

MOST_PAGES: Final = 5
"""The most pages listed for a question that no page answers."""


def exchanges(stored: Sequence[StoredAnswer], answer: str) -> list[ExchangeDocument]:
    """Return the questions with their answers. ``answer``: the id of the one that did not help, if known."""
    unanswered = unhelpful(stored, answer)
    return [
        ExchangeDocument(
            question=each.question,
            answer=plain_text(str((each.document or {}).get("answer", ""))),
            asked_at=each.started_at,
            unanswered=each.id == unanswered,
            pages=_pages(each.document or {}),
        )
        for each in stored
    ]


def unhelpful(stored: Sequence[StoredAnswer], answer: str) -> str:
    """Return the id of the answer that did not help: ``answer``, otherwise the last one marked as unhelpful;
    empty without one."""
    unhelped = [each.id for each in stored if each.document and each.document.get("unhelped")]
    return answer if answer in {each.id for each in stored} else next(reversed(unhelped), "")


def finished(stored: Sequence[StoredAnswer]) -> list[StoredAnswer]:
    """Return the answers before the first that may still change."""
    return list(takewhile(lambda each: each.status != "running", stored))


def _pages(document: Mapping[str, Any]) -> list[PageDocument]:
    """The pages that an answer cites or is probably from; without any, the first that were found."""
    sources = [each for each in document.get("sources", []) if isinstance(each, dict)]
    numbers = document.get("citations") or document.get("probable") or []
    shown = [each for each in sources if each.get("number") in numbers] or sources[:MOST_PAGES]
    pages = ((str(each.get("title", "")), web_link(str(each.get("url", "")))) for each in shown)
    return [PageDocument(title=title or url, url=url) for title, url in pages if title or url]
