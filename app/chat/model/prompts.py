"""Builds prompts from Jinja templates, one file for each purpose and language.

The package has them in ``prompts/``; files of the same names in an operator's folder take their place. A
template has two blocks, ``system`` (role, task, rules) and ``user`` (data, then the question). Languages
without a template get the English one, which tells the model to answer in the question's language.

Invariant: texts of pages and visitors pass the filter ``data``, so they contain neither the tags that delimit
them nor control tokens of chat formats.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

from app.chat.source_items import SourceItem, short_title
from app.chat.text.catalogue import FALLBACK_LANGUAGE
from app.chat.types import Message, Turn
from app.law.units import celex_of
from app.presets import Purpose
from app.search.retrieval import ANY_TIME, TimeFilter
from ingest.fingerprints import text_hash

if TYPE_CHECKING:
    from jinja2 import BaseLoader, Environment


# A run of ``<``, ``/`` and white space, and the beginning of a tag or control token (``<|im_start|>``) that
# may follow. The run is matched possessively: a page full of ``<`` takes linear time, and ``</<source``
# leaves no tag.
_OPENING: Final = re.compile(
    r"<[\s</]*+(source|conversation|document|passage|question|reference|answer|[|｜])?", re.IGNORECASE
)

SUFFIX: Final = ".jinja"


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteDescription:
    """The website's description for the model: its name and one line about its subject."""

    name: str = ""
    subject: str = ""


UNNAMED_SITE: Final = SiteDescription()


class Prompts:
    """The templates of the package, or those of the same names in ``folder``, which are not checked here
    (:func:`app.chat.model.prompt_check.load_prompts` does). Thread-safe."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    def answer(
        self,
        *,
        question: str,
        meant: str = "",
        sources: Sequence[SourceItem],
        history: Sequence[Turn],
        language: str,
        today: date,
        site: SiteDescription = UNNAMED_SITE,
        purpose: Purpose = "answer",
        with_law: bool = False,
        time: TimeFilter = ANY_TIME,
        sources_first: bool = False,
    ) -> list[Message]:
        """Return the messages of an answer: rules, the conversation so far, then sources and question. With
        ``sources_first`` the sources follow the rules, so that a server can cache this beginning.

        ``meant``: the question as rephrased, if it was. ``with_law``: True if a website's prompt needs rules
        for the law among its sources. ``time``: the time whose law was searched.
        """
        values: dict[str, object] = {
            "question": question,
            "meant": "" if meant == question else meant,
            "sources": sources,
            "today": today,
            "name": data(site.name),
            "subject": data(site.subject.rstrip(".!")) + "." if site.subject else "",
            "time": time,
            "with_law": with_law,
        }
        if sources_first:
            rules, user = self._render(purpose, language, {**values, "sources": ()})
            system = f"{rules}\n\n{self._rendered('sources', language, values)}"
        else:
            system, user = self._render(purpose, language, values)
        turns = [Message(role=turn.role, content=data(turn.content)) for turn in history]
        return [Message(role="system", content=system), *turns, Message(role="user", content=user)]

    def summary(self, *, question: str, sources: Sequence[SourceItem], language: str) -> list[Message]:
        """Return the messages of a short answer by a small model: the task, then passages, the question and
        the task again. They contain no example that the model could copy as its answer."""
        return self.task("summary", language, {"question": question, "sources": sources})

    def rephrase(
        self,
        *,
        question: str,
        history: Sequence[Turn],
        language: str,
        today: date,
        extract: bool = False,
        expand: bool = False,
        translate: Sequence[str] = (),
    ) -> list[Message]:
        """Return the messages for rephrasing: rules, then conversation and question as data. ``extract``: ask
        for keywords and a time, too; ``expand``: ask for a question in more detail; ``translate``: languages
        (ISO 639-1) to translate it into."""
        values = {
            "question": question,
            "history": history,
            "today": today,
            "extract": extract,
            "expand": expand,
            "translate": translate,
        }
        return self.task("rephrase", language, values)

    def enough(self, *, question: str, sources: Sequence[SourceItem], language: str) -> list[Message]:
        """Return the messages that ask if the sources are enough for the question, and what else to search
        for."""
        return self.task("enough", language, {"question": question, "sources": sources})

    def context(
        self, *, title: str, outline: str, document: str, passage: str, language: str, glossary: str = ""
    ) -> list[Message]:
        """Return the messages for a context of ``passage``: rules, the document, the passage and the task.

        They begin with the same bytes for every passage of a document, so that an endpoint may cache them.
        ``outline``: of a document that is not given as a whole; ``glossary``: terms of the site.
        """
        values = {
            "title": title,
            "outline": outline,
            "document": document,
            "passage": passage,
            "glossary": glossary,
        }
        return self.task("context", language, values)

    def task(self, purpose: str, language: str, values: Mapping[str, object]) -> list[Message]:
        """Return the messages of a task other than an answer: rules, then data."""
        system, user = self._render(purpose, language, dict(values))
        return [Message(role="system", content=system), Message(role="user", content=user)]

    def version(self, purpose: str, language: str) -> str:
        """Return the hash of the template for a purpose and language."""
        source, _, _ = self._loader.get_source(self._environment, self._template(purpose, language))
        return text_hash(source)

    def fingerprint(self) -> str:
        """Return the hash of all templates."""
        sources = (self._loader.get_source(self._environment, name)[0] for name in sorted(self._names))
        return text_hash("\0".join(sources))

    def languages(self, purpose: str) -> list[str]:
        """Return the languages that have their own template for a purpose, sorted."""
        return sorted(name.split(".")[1] for name in self._names if name.startswith(f"{purpose}."))

    def instructions(self, language: str, today: date) -> list[str]:
        """Return the texts of prompts for answers in this language, of all purposes, without sources and
        question."""
        messages = [
            self.answer(question="", sources=(), history=(), language=language, today=today, purpose=purpose)
            for purpose in get_args(Purpose)
        ]
        return [message.content for message in chain(*messages)]

    def _render(self, purpose: str, language: str, values: dict[str, object]) -> tuple[str, str]:
        template = self._environment.get_template(self._template(purpose, language))
        context = template.new_context(values)
        system, user = ("".join(template.blocks[block](context)).strip() for block in ("system", "user"))
        return system, user

    def _rendered(self, name: str, language: str, values: dict[str, object]) -> str:
        return self._environment.get_template(self._template(name, language)).render(values).strip()

    def _template(self, purpose: str, language: str) -> str:
        name = f"{purpose}.{language}{SUFFIX}"
        return name if name in self._names else f"{purpose}.{FALLBACK_LANGUAGE}{SUFFIX}"

    @cached_property
    def _environment(self) -> Environment:
        # Answers without a model need no prompt.
        from jinja2 import Environment, StrictUndefined  # noqa: PLC0415

        environment = Environment(
            loader=self._loader,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,
            auto_reload=False,  # keep using the templates that were checked at the start
        )
        environment.filters["data"] = data
        environment.filters["title"] = short_title
        environment.filters["celex"] = celex_of
        return environment

    @cached_property
    def _loader(self) -> BaseLoader:
        from jinja2 import ChoiceLoader, DictLoader, FileSystemLoader  # noqa: PLC0415

        package = DictLoader(package_templates())
        return ChoiceLoader([FileSystemLoader(self._folder), package]) if self._folder else package

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self._environment.list_templates())


PACKAGE_PROMPTS: Final = Prompts()
"""Only the package's prompts."""


def data(text: str) -> str:
    """Return the text without each ``<`` that would begin a delimiting tag or control token. It is never
    longer."""
    return _OPENING.sub(lambda match: match[0].replace("<", "") if match[1] else match[0], text)


@cache
def package_templates() -> Mapping[str, str]:
    """Return the texts of the package's templates by file name."""
    found = (each for each in files("prompts").iterdir() if each.name.endswith(SUFFIX))
    return {each.name: each.read_text("utf-8") for each in found}
