"""Lets the model say, before it answers, whether the sources are enough, and what else to search for.

One request, one more search at most. The model replies with a JSON object. Anything else (prose, an object of
another form, no reply in time) counts as enough: the answer is written from what was found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import structlog
from pydantic import BaseModel, StrictBool, StrictStr

from app.chat.model.cancellation import Cancellation
from app.chat.model.json_reply import TEXT, object_schema, parsed_reply
from app.chat.model.metered import LanguageModel
from app.chat.model.prompts import Prompts
from app.chat.model.reply_form import ReplyForm
from app.chat.model.tokens import MESSAGE_TOKENS, estimate
from app.chat.rephrase import valid_question
from app.chat.types import SourceItem
from app.errors import ModelError

REPLY_TOKENS: Final = 150

_FORM: Final = ReplyForm(schema=object_schema({"enough": {"type": "boolean"}, "search": TEXT}))

log = structlog.get_logger(__name__)


class _Reply(BaseModel):
    enough: StrictBool
    search: StrictStr = ""


def missing_search(
    model: LanguageModel,
    question: str,
    sources: Sequence[SourceItem],
    *,
    language: str,
    deadline: float,
    prompts: Prompts,
    cancellation: Cancellation,
) -> str | None:
    """What to search for beside the ``sources``, as the model says within ``deadline`` seconds.

    ``None`` if they are enough, or do not fit into the model's context with this prompt, or if the model
    fails, or its reply is not what it was asked for: a query of one line, other than the question.
    """
    messages = prompts.enough(question=question, sources=sources, language=language)
    needed = sum(MESSAGE_TOKENS + estimate(message.content, language) for message in messages)
    if needed + REPLY_TOKENS > model.context_tokens:
        return None
    try:
        reply = model.complete(messages, REPLY_TOKENS, deadline, cancellation, _FORM)
    except ModelError as error:
        log.warning("second_search_failed", kind=error.kind, message=str(error))
        return None
    parsed = parsed_reply(reply, _Reply)
    if parsed is None:
        log.warning("second_search_failed", kind="bad_reply", characters=len(reply))
        return None
    if parsed.enough:
        return None
    wanted = valid_question(parsed.search, question)
    return None if wanted is None or wanted.casefold() == question.casefold() else wanted
