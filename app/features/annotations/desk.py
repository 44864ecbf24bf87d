"""Reads, annotates and lists pages and units of law, and reports texts that have changed since."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from app.errors import NotFoundError
from app.features.annotations.annotations import Annotation, Key, check, key_of, without_chunks
from app.features.annotations.cuts import carried
from app.features.annotations.store import LISTED, AnnotationStore, unknown
from app.law.links import references_of
from app.search.index import SearchIndex
from app.search.types import IndexedPage
from ingest.types import PageRef

AnnotationState = Literal["current", "changed", "missing"]
"""The newest version of the act has the annotated text; has a different text; or has no such unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedUnit:
    """A page or unit of law with its annotations.

    ``text``: its Markdown. ``cuts`` and ``references``: those in use, from the ``annotation`` or found
    automatically. ``earlier``: annotations of other texts of this unit.
    """

    ref: PageRef
    title: str
    text: str
    cuts: tuple[int, ...]
    references: tuple[str, ...]
    annotation: Annotation | None
    earlier: tuple[Annotation, ...]

    def taken_over(self, earlier: Annotation) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Return the cuts and references of an annotation of another text, as far as they fit this one.

        If a cut is lost, references of single chunks become references of the whole page.
        """
        cuts = self.cuts if earlier.cuts is None else carried(earlier.text, earlier.cuts, self.text)
        if earlier.references is None:
            return cuts, self.references
        is_cut_alike = earlier.cuts is None or len(cuts) == len(earlier.cuts)
        return cuts, earlier.references if is_cut_alike else without_chunks(earlier.references)


class AnnotationDesk:
    """Changes annotations.

    In every method ``sources`` are those of the editor (``None`` for all); units of other sources do not
    exist for them. Every method raises ``PageStoreUnavailableError`` and ``IndexUnavailableError``.
    """

    def __init__(self, *, store: AnnotationStore, index: Callable[[], SearchIndex]) -> None:
        self._store = store
        self._index = index

    def entries(
        self,
        *,
        below: int | None = None,
        limit: int = LISTED,
        sources: Collection[str] | None = None,
    ) -> list[tuple[Annotation, AnnotationState]]:
        """Return the newest annotations first, each with its state.

        ``below``: the number of the last one on the previous page of the list.
        """
        found = self._store.entries(sources=sources, below=below, limit=limit)
        texts = self._newest_texts({each.key for each in found})
        return [(each, _state(each, texts[each.key])) for each in found]

    def newest(self, units: Collection[Key]) -> dict[Key, PageRef]:
        """Return the page of each unit in the newest version of its act, without units that no longer
        exist."""
        return {key: refs[0] for key, refs in self._store.pages_of(units).items() if refs}

    def unit(self, ref: PageRef, *, sources: Collection[str] | None = None) -> AnnotatedUnit:
        """Return a page with its annotations. Raises ``NotFoundError`` if it is not indexed."""
        page, key = self._unit(ref, sources)
        text = page.fields.get("content", "")
        known = self._store.of_unit(key)
        own = next((each for each in known if each.text == text), None)
        cuts = own.cuts if own and own.cuts is not None else _automatic_cuts(page, text)
        references = own.references if own else None
        if references is None:
            references = tuple(f"{target.celex}/{target.unit}" for target in references_of(page))
        return AnnotatedUnit(
            ref=ref,
            title=page.title,
            text=text,
            cuts=cuts,
            references=references,
            annotation=own,
            earlier=tuple(each for each in known if each is not own),
        )

    def save(
        self,
        ref: PageRef,
        *,
        cuts: Sequence[int] | None,
        references: Sequence[str] | None,
        version: int,
        actor: str,
        sources: Collection[str] | None = None,
    ) -> Annotation:
        """Annotate a unit. ``None`` leaves chunks or references to be found automatically.

        ``version``: of the annotation that was read, 0 for none. References take effect with the next
        question, chunks when the page has been indexed again in the background. Raises ``NotFoundError``,
        ``InputError``, and ``ConflictError`` that names whoever was first.
        """
        page, _ = self._unit(ref, sources)
        check(page.fields.get("content", ""), cuts, references)
        return self._store.save(page, cuts=cuts, references=references, version=version, actor=actor)

    def remove(
        self, number: int, version: int, actor: str, *, sources: Collection[str] | None = None
    ) -> None:
        """Delete an annotation, so that chunks and references are found automatically again.

        Raises the errors of :meth:`save`.
        """
        found = self._store.get(number)
        if sources is not None and found.source not in sources:
            raise unknown(number)
        self._store.remove(number, version, actor)

    def _unit(self, ref: PageRef, sources: Collection[str] | None) -> tuple[IndexedPage, Key]:
        visible = sources is None or ref.source in sources
        page = next(iter(self._index().pages([ref])), None) if visible else None
        if page is None:
            raise NotFoundError(
                "source {source!r} has no page {page!r} in {language!r}",
                source=ref.source,
                page=ref.id,
                language=ref.language,
            )
        return page, key_of(page)

    def _newest_texts(self, units: Collection[Key]) -> dict[Key, str | None]:
        """Return each unit's text in the newest indexed version of its act, or ``None`` if none is
        indexed."""
        versions = self._store.pages_of(units)
        found = self._read(refs[0] for refs in versions.values() if refs)
        found |= self._read(ref for refs in versions.values() for ref in refs[1:] if refs[0] not in found)
        return {
            key: next((found[ref] for ref in refs if ref in found), None) for key, refs in versions.items()
        }

    def _read(self, refs: Iterable[PageRef]) -> dict[PageRef, str]:
        wanted = list(refs)
        pages = self._index().pages(wanted) if wanted else []
        return {page.ref: page.fields.get("content", "") for page in pages}


def _state(annotation: Annotation, text: str | None) -> AnnotationState:
    if text is None:
        return "missing"
    return "current" if text == annotation.text else "changed"


def _automatic_cuts(page: IndexedPage, text: str) -> tuple[int, ...]:
    """The characters at which the chunks of the index begin."""
    data = text.encode()
    return tuple(len(data[:start].decode(errors="ignore")) for start, _ in page.content_spans if start)
