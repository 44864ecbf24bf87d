"""Builds prompts from the Jinja templates in ``prompts/``, one file for each purpose and language.

A template has two blocks, ``system`` (role, task, rules) and ``user`` (data, then the question). Languages
without a template get the English one, which tells the model to answer in the question's language.

Invariant: text of pages and visitors passes the filter ``data``, after which it contains neither the tags
that delimit it nor control tokens of chat formats.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from app.chat.context import short_title
from app.chat.types import Message, SourceItem, Turn
from app.law.units import celex_of
from app.presets import Purpose
from app.search.types import ANY_TIME, TimeFilter

if TYPE_CHECKING:
    from jinja2 import Environment

FALLBACK_LANGUAGE: Final = "en"

# A run of ``<``, ``/`` and white space, and the beginning of a tag or control token (``<|im_start|>``) that
# may
# follow. The run is matched possessively: a page full of ``<`` takes linear time, and ``</<source`` leaves no
# tag.
_OPENING: Final = re.compile(r"<[\s</]*+(source|conversation|[|｜])?", re.IGNORECASE)


def answer_messages(
    *,
    question: str,
    sources: Sequence[SourceItem],
    history: Sequence[Turn],
    language: str,
    today: date,
    purpose: Purpose = "answer",
    with_law: bool = False,
    time: TimeFilter = ANY_TIME,
) -> list[Message]:
    """The messages of an answer: rules, the conversation so far, then sources and question. ``with_law``:
    True for a website's prompt with rules for the law among its sources. ``time``: of the law that was
    searched."""
    values = {"question": question, "sources": sources, "today": today, "time": time, "with_law": with_law}
    system, user = _render(purpose, language, **values)
    turns = [Message(role=turn.role, content=data(turn.content)) for turn in history]
    return [Message(role="system", content=system), *turns, Message(role="user", content=user)]


def rephrase_messages(
    *, question: str, history: Sequence[Turn], language: str, today: date, extract: bool
) -> list[Message]:
    """The messages for rephrasing: rules, then conversation and question as data. ``extract``: True to ask
    for keywords and a time, too."""
    values = {"question": question, "history": history, "today": today, "extract": extract}
    system, user = _render("rephrase", language, **values)
    return [Message(role="system", content=system), Message(role="user", content=user)]


def data(text: str) -> str:
    """The text without each ``<`` that would begin a delimiting tag or control token. Never longer."""
    return _OPENING.sub(lambda match: match[0].replace("<", "") if match[1] else match[0], text)


def _render(purpose: str, language: str, **values: object) -> tuple[str, str]:
    name = f"{purpose}.{language}.jinja"
    if not files("prompts").joinpath(name).is_file():
        name = f"{purpose}.{FALLBACK_LANGUAGE}.jinja"
    template = _environment().get_template(name)
    context = template.new_context(values)
    system, user = ("".join(template.blocks[block](context)).strip() for block in ("system", "user"))
    return system, user


@cache
def _environment() -> Environment:
    # Answers without a model need no prompt.
    from jinja2 import Environment, FunctionLoader, StrictUndefined  # noqa: PLC0415

    environment = Environment(
        loader=FunctionLoader(lambda name: files("prompts").joinpath(name).read_text("utf-8")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    environment.filters["data"] = data
    environment.filters["title"] = short_title
    environment.filters["celex"] = celex_of
    return environment
