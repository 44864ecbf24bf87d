"""Puts contexts that a language model wrote into the chunks of pages that are indexed.

Indexing waits for no model: a chunk whose context is known gets it behind its context line, the others keep
that line alone, and the page is noted, so that their contexts are written later
(:mod:`app.features.contexts.writer`).

A context is known by the hash of what it depends on: the document's outline (title and headings), the
chunk's text, the prompt and the model. The rest of the document is left out on purpose: an edit of one
paragraph changes few chunks, and not what the others are about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from app.features.contexts.store import ContextStore, KnownContext, PageContexts
from ingest.chunkers.context import marked_lines, plain_heading
from ingest.fingerprints import recipe_hash, text_hash
from ingest.pipeline import PreparedPage
from ingest.protocols import Recipe
from ingest.types import Chunk, FieldName, Page, PageRef

FIELD: Final[FieldName] = "content"
"""The field whose chunks get contexts; the others are short, and say themselves what they are."""

NO_MODEL: Final = ""
"""The model's name where there is none: no context has it in its key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextedPage:
    """A page whose chunks have the contexts that are known. ``keys``: of each chunk of the content, by its
    position; ``known``: what is known of them. Without contexts, both are empty."""

    page: PreparedPage
    keys: tuple[str, ...] = ()
    known: Mapping[str, KnownContext]
    recipe: str = ""

    @property
    def missing(self) -> dict[str, Chunk]:
        """The chunks that lack a context that can be had, by key, in their order."""
        content = [chunk for chunk in self.page.chunks if chunk.field == FIELD]
        return {
            key: chunk
            for key, chunk in zip(self.keys, content, strict=True)
            if key not in self.known or not (self.known[key].text or self.known[key].is_failed)
        }

    @property
    def noted(self) -> PageContexts:
        """What the page store notes of it."""
        found = [self.known[key] for key in dict.fromkeys(self.keys) if key in self.known]
        page = self.page.page
        return PageContexts(
            ref=page.ref,
            sequence=page.sequence,
            recipe=self.recipe,
            keys=tuple(dict.fromkeys(self.keys)),
            written=sum(bool(each.text) for each in found),
            failed=sum(each.is_failed for each in found),
            bytes=len(page.fields.get(FIELD, "").encode()),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextedPages:
    """Pages that are written to the index with the ``contexts`` that are known."""

    contexts: ChunkContexts
    made: Sequence[ContextedPage]

    @property
    def pages(self) -> list[PreparedPage]:
        """The pages, in their order."""
        return [each.page for each in self.made]

    def note_written(self, removed: Sequence[PageRef]) -> None:
        """See :meth:`ChunkContexts.note_written`."""
        self.contexts.note_written(self.made, removed)


class ChunkContexts:
    """The contexts of chunks. ``wanted``: True for a source whose chunks get some; ``model``: its name;
    ``prompt``: a hash of the prompt for a language; ``build_recipe``: what generations note of it."""

    def __init__(
        self,
        *,
        store: ContextStore,
        wanted: Callable[[str], bool],
        model: str,
        prompt: Callable[[str], str],
        build_recipe: Recipe,
    ) -> None:
        self.build_recipe = build_recipe
        self._store = store
        self._model = model
        self.wanted = wanted
        self._prompt = cache(prompt)
        self._notes = True

    def read_only(self) -> ChunkContexts:
        """The same contexts for pages that are written elsewhere than to the installation's index: nothing is
        noted of them."""
        same = copy(self)
        same._notes = False
        return same

    def enrich(self, pages: Sequence[PreparedPage]) -> ContextedPages:
        """Put the known contexts into the chunks of pages that are about to be written, and note those that
        lack some."""
        made = self.put_in(pages)
        self.note_due(made)
        return ContextedPages(contexts=self, made=made)

    def put_in(self, pages: Sequence[PreparedPage]) -> list[ContextedPage]:
        """Put the known contexts into the chunks of ``pages``."""
        keys = {each.page.ref: self._keys(each) for each in pages if self.wanted(each.page.ref.source)}
        known = self._store.known(key for some in keys.values() for key in some)
        return [self._contexted(each, keys.get(each.page.ref, ()), known) for each in pages]

    def note_due(self, pages: Sequence[ContextedPage]) -> None:
        """Note those that lack contexts, before they are written: nobody who dies then leaves them out."""
        if self._notes:
            self._store.note([page.noted for page in self._with_keys(pages) if page.missing])

    def note_written(self, pages: Sequence[ContextedPage], removed: Sequence[PageRef]) -> None:
        """Note what has been written to the index, also that pages lack contexts: others may have noted
        meanwhile that they have all, and the index has these versions now. ``removed``: pages that are not
        to be there, or cannot be."""
        if not self._notes:
            return
        gone = [ref for ref in removed if self.wanted(ref.source)]
        self._store.note([page.noted for page in self._with_keys(pages)], gone)

    def recipe(self, language: str) -> str:
        """The hash of model and prompt, by which contexts in a language are written."""
        return recipe_hash({"model": self._model, "prompt": self._prompt(language)})

    def _with_keys(self, pages: Sequence[ContextedPage]) -> list[ContextedPage]:
        return [page for page in pages if self.wanted(page.page.page.ref.source)]

    def _keys(self, prepared: PreparedPage) -> tuple[str, ...]:
        page = prepared.page
        shared = {"outline": text_hash(outline(page)), "by": self.recipe(page.ref.language)}
        return tuple(
            recipe_hash({**shared, "text": text_hash(chunk.text)})
            for chunk in prepared.chunks
            if chunk.field == FIELD
        )

    def _contexted(
        self, prepared: PreparedPage, keys: Sequence[str], known: Mapping[str, KnownContext]
    ) -> ContextedPage:
        if not keys:
            return ContextedPage(page=prepared, known={})
        left = iter(keys)
        chunks = [
            _with_context(chunk, known.get(next(left))) if chunk.field == FIELD else chunk
            for chunk in prepared.chunks
        ]
        return ContextedPage(
            page=replace(prepared, chunks=tuple(chunks)),
            keys=tuple(keys),
            known={key: known[key] for key in keys if key in known},
            recipe=self.recipe(prepared.page.ref.language),
        )


def outline(page: Page) -> str:
    """The page's title and the headings of its content with their levels, a line each."""
    title = plain_heading(page.fields.get("title") or page.fields.get("name", ""))
    headings = (heading for _, heading in marked_lines(page.fields.get(FIELD, "")) if heading)
    return "\n".join([title, *(f"{heading[1]} {plain_heading(heading[2])}" for heading in headings)])


def _with_context(chunk: Chunk, known: KnownContext | None) -> Chunk:
    """The chunk with its context in the lines behind the context line, which names the headings word by word
    and may be empty."""
    if known is None or not known.text:
        return chunk
    return replace(chunk, context=f"{chunk.context}\n{known.text}")
