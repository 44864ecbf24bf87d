"""Drafts of questions: a model reads a page and asks; people accept each question, or do not."""

import json
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Final

from pydantic import BaseModel, Field, ValidationError

from app.chat.model.reply_form import TEXT, TEXTS, object_schema
from app.errors import AuskunftError, ModelError
from app.features.evaluation.pool import gold_of
from app.features.evaluation.words import beginning, markdown_words, words
from app.indexing.progress import Progress, Show, silent
from app.search.types import IndexedPage
from ingest.fingerprints import text_hash
from ingest.types import PageRef

KINDS: Final = ("lookup", "yes-no", "hypothetical", "complex", "unanswerable")
"""``lookup``: a normal question, whose answer stands in one place."""

TRIES: Final = 3
"""The model is asked about a page this often before another one is taken."""

PAGE_CHARACTERS: Final = 12_000
LEAST_CHARACTERS: Final = 200
"""Shorter pages are skipped; of longer ones the model gets the first ``PAGE_CHARACTERS``."""

_MAX_QUESTION: Final = 500
_LEAST_QUOTE: Final = 12

Ask = Callable[[IndexedPage, str, str], str]
"""Asks the model about a page with this text for a question of this kind. Raises ``ModelError``."""


class _Reply(BaseModel):
    question: str = Field(min_length=5, max_length=_MAX_QUESTION)
    answer: str = ""
    quotes: list[str] = []


class ReplyError(AuskunftError):
    """The reply has no usable question about the page."""

    code = "bad_reply"


@dataclass(slots=True, kw_only=True)
class Drafts:
    """Drafted lines of a pool. ``refused``: unusable replies, counted by reason. ``failure``: the error that
    ended drafting early, if any."""

    lines: list[dict[str, Any]] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    failure: ModelError | None = None


def random_pages(refs: Collection[PageRef], seed: int) -> list[PageRef]:
    """Return the pages in random order, each source and language in turn, so that no single one prevails."""
    shuffled = random.Random(seed)
    strata: dict[tuple[str, str], list[PageRef]] = {}
    for ref in sorted(refs, key=lambda ref: (ref.source, ref.id, ref.language)):
        strata.setdefault((ref.source, ref.language), []).append(ref)
    for own in strata.values():
        shuffled.shuffle(own)
    return [ref for row in zip_longest(*strata.values()) for ref in row if ref is not None]


def draft(pages: Iterator[IndexedPage], count: int, seed: int, ask: Ask, show: Show = silent) -> Drafts:
    """Draft ``count`` questions of all kinds, one for each page; fewer if the pages or the model give out.

    Raises ``ModelError`` if the model fails before the first one.
    """
    drafts = Drafts()
    kinds = _kinds(count, seed)
    for page in pages:
        if len(drafts.lines) == count:
            break
        text = beginning(page.fields.get("content", ""), PAGE_CHARACTERS)
        if len(text) < LEAST_CHARACTERS:
            continue
        try:
            line = _drafted(page, text, kinds[len(drafts.lines)], ask, drafts)
        except ModelError as error:
            if not drafts.lines:
                raise
            drafts.failure = error
            break
        if line:
            drafts.lines.append(line)
            show(Progress(done=len(drafts.lines), total=count, unit="questions"))
    return drafts


def _kinds(count: int, seed: int) -> list[str]:
    """Return each kind equally often in random order, so that no kind falls to a single language."""
    shuffled = random.Random(seed)
    blocks = [shuffled.sample(KINDS, len(KINDS)) for _ in range(0, count, len(KINDS))]
    return [kind for block in blocks for kind in block]


def _drafted(page: IndexedPage, text: str, kind: str, ask: Ask, drafts: Drafts) -> dict[str, Any] | None:
    asked = {line["question"].casefold() for line in drafts.lines}
    for _ in range(TRIES):
        try:
            reply = checked(ask(page, text, kind), text, kind)
            if reply.question.casefold() in asked:
                raise ReplyError("asked before")
        except ReplyError as error:
            drafts.refused[str(error)] += 1
            continue
        return _line(page, reply, kind)
    return None


def reply_schema(kind: str) -> dict[str, object]:
    """The schema of a reply with a question of this kind."""
    fields: dict[str, object] = {"question": TEXT}
    if kind != "unanswerable":
        fields |= {"answer": TEXT, "quotes": TEXTS}
    return object_schema(fields)


def checked(reply: str, text: str, kind: str) -> _Reply:
    """Return the question in a reply. Raises ``ReplyError``, whose message is a word or two."""
    start, end = reply.find("{"), reply.rfind("}")
    try:
        found = _Reply.model_validate(json.loads(reply[start : end + 1]))
    except (ValueError, RecursionError) as error:  # raised by json and by pydantic
        reason = "no question" if isinstance(error, ValidationError) else "no JSON"
        raise ReplyError(reason) from error
    if kind == "unanswerable":
        return found
    if not found.quotes or any(len(quote) < _LEAST_QUOTE or not words(quote) for quote in found.quotes):
        raise ReplyError("no quote")
    page = markdown_words(text)
    if not all(page.holds(words(quote)) for quote in found.quotes):
        raise ReplyError("quote is not on the page")
    return found


def _line(page: IndexedPage, reply: _Reply, kind: str) -> dict[str, Any]:
    ref = page.ref
    line: dict[str, Any] = {
        "id": f"draft-{text_hash(f'{ref.source} {ref.id} {reply.question}')[:8]}",
        "draft": True,
        "question": " ".join(reply.question.split()),
        "language": ref.language,
        "kind": kind,
        "gold": [],
        "source": ref.source,
        "url": page.url,
    }
    if kind == "unanswerable":
        return line
    line |= {"gold": [gold_of(ref.id)], "answer": reply.answer}
    if len(reply.quotes) == 1:
        return line | {"spans": [{"page": ref.id, "text": reply.quotes[0]}]}
    spans = [{"page": ref.id, "text": quote, "partial": True} for quote in reply.quotes]
    return line | {"spans": spans, "must": reply.quotes}


def lines_of(drafts: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The drafts as JSON Lines."""
    return (json.dumps(line, ensure_ascii=False) + "\n" for line in drafts)
