"""Prompts from the Jinja templates in ``prompts/``, one file per purpose and language.

A template has two blocks, ``system`` (role, task, rules) and ``user`` (data, then the question). Languages
without a template get the English one, which says to answer in the question's language.

Invariant: what comes from pages and visitors goes through the filter ``data`` and cannot contain the tags
that delimit it, nor the control tokens of chat formats.
"""

import re
from collections.abc import Sequence
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import Environment, FunctionLoader, StrictUndefined

from app.chat.context import short_title
from app.chat.types import Message, SourceItem, Turn
from app.law.units import celex_of
from app.presets import Purpose
from app.search.types import ANY_TIME, TimeFilter

FALLBACK_LANGUAGE: Final = "en"

# A run of ``<``, ``/`` and white space, and the rest of a delimiting tag or control token (``<|im_start|>``)
# that may follow it. A match takes the run whole: a page full of ``<`` costs linear time, and what is left of
# ``</<source`` is no tag.
_OPENING: Final = re.compile(r"<[\s</]*+(source|conversation|[|｜])?", re.IGNORECASE)


def answer_messages(
    *,
    question: str,
    sources: Sequence[SourceItem],
    history: Sequence[Turn],
    language: str,
    today: date,
    purpose: Purpose = "answer",
    time: TimeFilter = ANY_TIME,
) -> list[Message]:
    """Rules, the conversation so far, then the sources and the question. ``time``: which the sources were
    searched for."""
    values = {"question": question, "sources": sources, "today": today, "time": time}
    system, user = _render(purpose, language, **values)
    turns = [Message(role=turn.role, content=data(turn.content)) for turn in history]
    return [Message(role="system", content=system), *turns, Message(role="user", content=user)]


def rephrase_messages(
    *, question: str, history: Sequence[Turn], language: str, today: date, extract: bool
) -> list[Message]:
    """Rules, then the conversation as data and the question. ``extract``: keywords and a time, too."""
    values = {"question": question, "history": history, "today": today, "extract": extract}
    system, user = _render("rephrase", language, **values)
    return [Message(role="system", content=system), Message(role="user", content=user)]


def data(text: str) -> str:
    """The text without the ``<`` of anything that would end or forge a block of data. Never longer."""
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
