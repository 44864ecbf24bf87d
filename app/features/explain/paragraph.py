"""Has a language model write the first paragraph of a page that visitors' questions lack.

It is written from the nearest pages, and every sentence that its page does not support is marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from app.chat.source_items import SourceItem
from app.chat.text.attribution import probable_sources
from app.chat.text.citations import NUMBERS_IN_BRACKETS, cited_in
from app.chat.text.figure_evidence import Evidence
from app.chat.text.figure_places import SourceText
from app.chat.text.figure_subjects import FigureSubjects
from app.chat.text.figures import figures_of
from app.search.site_retriever import SiteRetriever
from app.search.types import IndexedPage
from app.settings.sites import SiteSettings
from ingest.text import sentences

if TYPE_CHECKING:
    from app.chat.model.metered import LanguageModel
    from app.chat.model.prompts import Prompts

PAGES: Final = 4
"""The number of nearest pages that the model reads."""

QUESTIONS: Final = 5
"""The number of questions that are given to the model, and searched for."""

TOKENS: Final = 400
SECONDS: Final = 45.0

_CITED_BEHIND: Final = re.compile(r"([.!?])((?:\s*\[[\d, ]+\])+)")
"""Citations after the end of a sentence, which are moved into it."""


class ParagraphAuthor:
    """Has ``model`` write paragraphs."""

    def __init__(self, model: LanguageModel, prompts: Prompts) -> None:
        self._model = model
        self._prompts = prompts

    def write(
        self,
        subject: str,
        questions: Sequence[str],
        *,
        site: SiteSettings,
        retriever: SiteRetriever,
        sources: frozenset[str],
        language: str,
        mark: str,
    ) -> str:
        """Return a paragraph (Markdown) about the ``subject`` of the ``questions`` from the nearest pages of
        ``sources``, checked by :func:`checked`.

        It is empty if no page is near or says anything about it. Raises ``ModelError``,
        ``IndexUnavailableError`` and ``EmbedderUnavailableError``."""
        told = list(dict.fromkeys(questions))[:QUESTIONS]
        pages = {page.ref: page for page in self._near(told, retriever, sources)}
        read = self._read(list(pages.values())[:PAGES])
        if not read:
            return ""
        values = {"name": site.name, "subject": subject, "questions": told, "sources": read}
        prompt = self._prompts.task("page", language, values)
        reply = self._model.complete(prompt, TOKENS, SECONDS)
        return checked(reply, read, questions=told, language=language, mark=mark)

    def _near(
        self, questions: Sequence[str], retriever: SiteRetriever, sources: frozenset[str]
    ) -> Iterator[IndexedPage]:
        for question in questions:
            found = retriever.retrieve(question, sources=sources, language=None)
            yield from (hit.page for hit in (*found.hits, *found.keyword_hits))

    def _read(self, pages: Sequence[IndexedPage]) -> list[SourceItem]:
        """Return the pages as the model reads them, each cut so that all take about half of its context."""
        characters = self._model.context_tokens // 2
        return [
            SourceItem(
                number=number,
                page=page,
                similarity=None,
                used=True,
                text=page.fields.get("content", "")[:characters],
            )
            for number, page in enumerate(pages, start=1)
        ]


def checked(
    reply: str, sources: Sequence[SourceItem], *, questions: Sequence[str], language: str, mark: str
) -> str:
    """Return a model's paragraph with a link to its page, or the ``mark``, after each sentence.

    A sentence is marked if it cites no page, or if the page has other words, lacks one of its figures, or has
    the figure for something else. Empty if there is no sentence."""
    text = _CITED_BEHIND.sub(r"\2\1", " ".join(reply.split()))
    known = {source.number: source for source in sources if source.number is not None}
    parts, before = [], ""
    for sentence in sentences(text):
        bare = re.sub(r"\s+([.!?,;:])", r"\1", NUMBERS_IN_BRACKETS.sub("", sentence)).strip(" -")
        if not re.search(r"\w", bare):
            continue
        cited = [known[number] for number in cited_in(sentence, known)]
        holds = _holds(bare, before, cited, "\n".join(questions), language)
        parts.append(f"{bare} {' '.join(map(_link, cited)) if holds else mark}")
        before = bare
    return " ".join(parts)


def _holds(sentence: str, before: str, cited: Sequence[SourceItem], question: str, language: str) -> bool:
    """Return True if the cited pages support the sentence, as far as words and figures show."""
    if not cited or not probable_sources(sentence, cited):
        return False
    if Evidence(f"{each.page.title}\n{each.text}" for each in cited).lacks(figures_of(sentence)):
        return False
    texts = [SourceText(each.page.title, each.text, each.page.ref.language) for each in cited]
    return not FigureSubjects(texts, question, language).misplaced(sentence, before)


def _link(source: SourceItem) -> str:
    page = source.page
    title = " ".join(re.sub(r"[\[\]]", " ", page.title or page.ref.id).split())
    return f"([{title}]({page.url}))" if re.match(r"https?://[^\s()]+\Z", page.url) else f"({title})"
