"""Puts contexts written by a language model into the chunks of pages that are indexed.

Indexing does not wait for a model. A chunk whose context is known gets it after its context line; other
chunks have that line alone, and the page is noted so that their contexts are written later
(:mod:`app.features.contexts.writer`).

A context is stored under the hash of what it depends on: the document's outline (title and headings), the
chunk's text, the prompt and the model. The rest of the document is left out on purpose: editing one paragraph
changes few chunks, and not what the others are about.
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
"""The field whose chunks get contexts. The other fields are short and need none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextedPage:
    """A page whose chunks have the contexts that are known.

    ``keys``: of each chunk of the content, by position; ``known``: the contexts known for them. Both are
    empty for a page whose source gets no contexts.
    """

    page: PreparedPage
    keys: tuple[str, ...] = ()
    known: Mapping[str, KnownContext]
    recipe: str = ""

    @property
    def missing(self) -> dict[str, Chunk]:
        """The chunks that lack a context that can still be written, by key, in text order."""
        content = [chunk for chunk in self.page.chunks if chunk.field == FIELD]
        return {
            key: chunk
            for key, chunk in zip(self.keys, content, strict=True)
            if key not in self.known or not (self.known[key].text or self.known[key].is_failed)
        }

    @property
    def noted(self) -> PageContexts:
        """The record of this page for the page store."""
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
    """Pages for the index, with the known ``contexts`` in their chunks."""

    contexts: ChunkContexts
    made: Sequence[ContextedPage]

    @property
    def pages(self) -> list[PreparedPage]:
        """The pages, in their order."""
        return [each.page for each in self.made]

    def note_written(self, removed: Sequence[PageRef]) -> None:
        """Call :meth:`ChunkContexts.note_written` for these pages."""
        self.contexts.note_written(self.made, removed)


class ChunkContexts:
    """The contexts of chunks.

    ``wanted``: returns True for a source whose chunks get contexts. ``model``: the model's name. ``prompt``:
    returns a hash of the prompt for a language. ``build_recipe``: the part of a generation's recipe that
    covers contexts.
    """

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
        """Return the same contexts for pages that are not written to the installation's own index: nothing is
        noted about them."""
        same = copy(self)
        same._notes = False
        return same

    def enrich(self, pages: Sequence[PreparedPage]) -> ContextedPages:
        """Put the known contexts into the chunks of pages about to be written, and note the pages that lack
        some."""
        made = self.put_in(pages)
        self.note_due(made)
        return ContextedPages(contexts=self, made=made)

    def put_in(self, pages: Sequence[PreparedPage]) -> list[ContextedPage]:
        """Put the known contexts into the chunks of ``pages``."""
        keys = {each.page.ref: self._keys(each) for each in pages if self.wanted(each.page.ref.source)}
        known = self._store.known(key for some in keys.values() for key in some)
        return [self._contexted(each, keys.get(each.page.ref, ()), known) for each in pages]

    def note_due(self, pages: Sequence[ContextedPage]) -> None:
        """Note the pages that lack contexts before they are written, so that none is lost if the process
        dies."""
        if self._notes:
            self._store.note([page.noted for page in self._with_keys(pages) if page.missing])

    def note_written(self, pages: Sequence[ContextedPage], removed: Sequence[PageRef]) -> None:
        """Note the pages that have been written to the index.

        Pages that lack contexts are noted again, because another process may meanwhile have noted that they
        lack none, although the index now has these versions. ``removed``: pages that are deleted or cannot be
        indexed.
        """
        if not self._notes:
            return
        gone = [ref for ref in removed if self.wanted(ref.source)]
        self._store.note([page.noted for page in self._with_keys(pages)], gone)

    def recipe(self, language: str) -> str:
        """Return the hash of model and prompt for contexts in a language."""
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
    """Return the page's title and the headings of its content with their levels, one per line."""
    title = plain_heading(page.fields.get("title") or page.fields.get("name", ""))
    headings = (heading for _, heading in marked_lines(page.fields.get(FIELD, "")) if heading)
    return "\n".join([title, *(f"{heading[1]} {plain_heading(heading[2])}" for heading in headings)])


def _with_context(chunk: Chunk, known: KnownContext | None) -> Chunk:
    """The chunk with its context on the lines after the context line, which lists the headings and may be
    empty."""
    if known is None or not known.text:
        return chunk
    return replace(chunk, context=f"{chunk.context}\n{known.text}")
