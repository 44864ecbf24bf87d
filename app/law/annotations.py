"""What people annotate in units of law: where a text is cut into chunks, and what it refers to.

An annotation belongs to a text: it is found by act, unit, language and the text's hash, so that it holds for
every version of the act with this text, however often it is imported, and for no other text. What an
annotation says takes the place of what is found automatically.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from itertools import pairwise
from threading import Lock
from typing import Any, Final

from sqlalchemy import Connection, Engine, delete, insert, select, update

from app.errors import ConflictError, InputError, NotFoundError
from app.law.links import Target
from app.law.units import law_unit
from app.pages import audit, page_queue
from app.pages.database import reading, writing
from app.pages.editor_tables import annotations
from app.pages.refs import AnyRow
from app.pages.store import utc_now
from app.pages.tables import meta, pages
from app.search.types import IndexedPage
from ingest.chunkers.fields import Piece, chunks_of
from ingest.protocols import Chunker, Recipe
from ingest.types import FIELDS, Chunk, Page, PageRef

MOST_CUTS: Final = 200
MOST_REFERENCES: Final = 50
CHUNK_CHARACTERS: Final = 4_000
"""The longest chunk: embedders read no more of it."""

LISTED: Final = 50
"""Annotations in a part of the list, where the caller does not say how many."""

_REFERENCE: Final = re.compile(r"[0-9][0-9A-Z()/-]{3,40}/[A-Za-z0-9_.-]{1,100}")
_COUNT: Final = meta.c.name == "annotations"
_CHANGES: Final = select(meta.c.value).where(_COUNT)
_RAISE: Final = update(meta).where(_COUNT).values(value=meta.c.value + 1)

Key = tuple[str, str, str, str]
"""Source, act (CELEX number), unit and language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """A stored annotation. ``cuts``: the characters of the text (Markdown) where a chunk begins, without the
    first; ``references``: ``CELEX/unit``, the most important first; of both, ``None``: found automatically.
    ``version``: from 1, one more with each change."""

    number: int
    source: str
    act: str
    unit: str
    language: str
    text: str
    cuts: tuple[int, ...] | None
    references: tuple[str, ...] | None
    version: int
    changed_by: str
    changed_at: datetime

    @property
    def key(self) -> Key:
        """What it is kept by, beside the text."""
        return self.source, self.act, self.unit, self.language


def key_of(page: IndexedPage | Page) -> Key | None:
    """What annotations of the page's unit are kept by; ``None`` for a page that is no unit of law."""
    unit = law_unit(page)
    return (page.ref.source, unit.celex, unit.unit, page.ref.language) if unit else None


def check(text: str, cuts: Sequence[int] | None, references: Sequence[str] | None) -> None:
    """Raise ``InputError`` if a text cannot be cut like this, or may not have these references."""
    if cuts is not None:
        _check_cuts(text, cuts)
    if references is None:
        return
    if len(references) > MOST_REFERENCES:
        raise InputError(f"references: give {MOST_REFERENCES} at most")
    for reference in references:
        if not _REFERENCE.fullmatch(reference):
            raise InputError(f"references: {reference!r} is none: give CELEX/unit, such as 32024R1689/art_3")
    if len(set(references)) < len(references):
        raise InputError("references: one is there twice")


def _check_cuts(text: str, cuts: Sequence[int]) -> None:
    if len(cuts) > MOST_CUTS:
        raise InputError(f"cuts: give {MOST_CUTS} at most")
    bounds = [0, *cuts, len(text)]
    for start, end in pairwise(bounds):
        if not 0 <= start < end <= len(text):
            raise InputError(f"cuts: give rising numbers from 1 to {len(text) - 1}, not {end} after {start}")
        if not text[start:end].strip():
            raise InputError(f"cuts: nothing is between {start} and {end}")
        if end - start > CHUNK_CHARACTERS:
            raise InputError(
                f"cuts: the chunk from {start} to {end} is longer than {CHUNK_CHARACTERS} characters: cut it"
            )


class UnitAnnotations:
    """The annotations at one moment. Compared by identity, so that it can be a key of a cache."""

    def __init__(self, found: Sequence[Annotation] = ()) -> None:
        self._by_unit: dict[Key, dict[str, Annotation]] = defaultdict(dict)
        for annotation in found:
            self._by_unit[annotation.key][annotation.text] = annotation

    def of(self, page: IndexedPage | Page) -> Annotation | None:
        """The annotation of the page's text, if it has one."""
        if not self._by_unit:
            return None
        key = key_of(page)
        return self._by_unit[key].get(page.fields.get("content", "")) if key in self._by_unit else None

    def references(self, page: IndexedPage) -> list[Target] | None:
        """What people say that the page refers to; ``None`` where they say nothing."""
        found = self.of(page)
        if found is None or found.references is None:
            return None
        parts = (reference.partition("/") for reference in found.references)
        return [Target(celex=celex, unit=unit) for celex, _, unit in parts]


NO_ANNOTATIONS: Final = UnitAnnotations()


class AnnotationStore:
    """The annotations in ``engine``'s database. Every method raises ``PageStoreUnavailableError``."""

    def __init__(self, engine: Engine, clock: Callable[[], datetime] = utc_now) -> None:
        self._engine = engine
        self._clock = clock
        self._lock = Lock()
        self._changes = -1
        self._current = NO_ANNOTATIONS

    def current(self) -> UnitAnnotations:
        """All annotations as of now; the same object until one is changed, by whatever process."""
        with reading(self._engine) as connection:
            changes = connection.execute(_CHANGES).scalar_one()
            if changes == self._changes:
                return self._current
            found = [_annotation(row) for row in connection.execute(select(annotations))]
        with self._lock:
            if changes != self._changes:
                self._changes, self._current = changes, UnitAnnotations(found)
            return self._current

    def entries(
        self, *, sources: Collection[str] | None = None, below: int | None = None, limit: int = LISTED
    ) -> list[Annotation]:
        """Return the newest annotations first, at most ``limit``, of ``sources`` if they are given."""
        query = select(annotations).order_by(annotations.c.number.desc()).limit(limit)
        if sources is not None:
            query = query.where(annotations.c.source.in_(list(sources)))
        if below is not None:
            query = query.where(annotations.c.number < below)
        with reading(self._engine) as connection:
            return [_annotation(row) for row in connection.execute(query)]

    def of_unit(self, key: Key) -> list[Annotation]:
        """The annotations of all texts of a unit, the newest first."""
        query = select(annotations).where(*_same(key)).order_by(annotations.c.number.desc())
        with reading(self._engine) as connection:
            return [_annotation(row) for row in connection.execute(query)]

    def get(self, number: int) -> Annotation:
        """The annotation with this number. Raises ``NotFoundError``."""
        with reading(self._engine) as connection:
            return _existing(connection, number)

    def pages_of(self, units: Collection[Key]) -> dict[Key, list[PageRef]]:
        """The pages of each unit, of every version of its act, the newest first."""
        with reading(self._engine) as connection:
            return _refs_of(connection, units)

    def save(
        self,
        page: IndexedPage,
        *,
        cuts: Sequence[int] | None,
        references: Sequence[str] | None,
        version: int,
        actor: str,
    ) -> Annotation:
        """Annotate the text of a page; the pages of the unit are made due. ``version``:
        the one that was read, 0 for none.

        Raises ``ConflictError`` that says who annotated it meanwhile.
        """
        key, text = key_of(page), page.fields.get("content", "")
        if key is None:
            raise InputError(f"{page.ref.id!r} is no unit of law")
        same = *_same(key), annotations.c.text_hash == _hash(text)
        content = {"cuts": cuts, "references": references}
        values = self._stamp(actor) | {"content": json.dumps(content), "version": version + 1}
        with writing(self._engine) as connection:
            page_queue.rewrite(connection, _refs(connection, key), self._clock())
            connection.execute(_RAISE)
            row = connection.execute(select(annotations).where(*same).with_for_update()).first()
            before = _annotation(row) if row else None
            _check_version(before, version)
            names = dict(zip(("source", "act", "unit", "language"), key, strict=True))
            new = values | names | {"text": text, "text_hash": _hash(text)}
            changed = (
                update(annotations).where(annotations.c.number == before.number).values(values)
                if before
                else insert(annotations).values(new)
            )
            after = _annotation(connection.execute(changed.returning(annotations)).one())
            self._record(connection, "save", actor, before, after)
        return after

    def remove(self, number: int, version: int, actor: str) -> None:
        """Delete an annotation; the pages of the unit are made due. Raises ``NotFoundError`` and
        ``ConflictError``."""
        with writing(self._engine) as connection:
            before = _existing(connection, number)
            page_queue.rewrite(connection, _refs(connection, before.key), self._clock())
            connection.execute(_RAISE)
            _check_version(before, version)
            connection.execute(delete(annotations).where(annotations.c.number == number))
            self._record(connection, "remove", actor, before, None)

    def _stamp(self, actor: str) -> dict[str, Any]:
        return {"changed_by": actor[: audit.ACTOR_CHARACTERS], "changed_at": self._clock()}

    def _record(
        self,
        connection: Connection,
        action: str,
        actor: str,
        before: Annotation | None,
        after: Annotation | None,
    ) -> None:
        one = after or before
        audit.record(
            connection,
            at=self._clock(),
            actor=actor,
            action=f"annotation.{action}",
            target=f"annotation/{one.number}" if one else "annotation",
            before=_document(before),
            after=_document(after),
        )


class AnnotatedChunker:
    """Cuts texts as people annotated them, and all others by another chunker."""

    def __init__(self, chunker: Chunker, current: Callable[[], UnitAnnotations]) -> None:
        self._chunker = chunker
        self._current = current
        self.recipe: Recipe = chunker.recipe

    def chunk(self, page: Page) -> Sequence[Chunk]:
        """See :class:`ingest.protocols.Chunker`. Raises ``PageStoreUnavailableError``."""
        chunks = self._chunker.chunk(page)
        annotation = self._current().of(page) if law_unit(page) else None
        if annotation is None or annotation.cuts is None:
            return chunks
        ranked = any(chunk.ranked for chunk in chunks)
        others = [chunk for chunk in chunks if chunk.field != "content"]
        own = _cut(page, annotation.cuts, self.recipe, ranked=ranked)
        return sorted((*own, *others), key=lambda chunk: FIELDS.index(chunk.field))


def _cut(page: Page, cuts: Sequence[int], recipe: Recipe, *, ranked: bool) -> list[Chunk]:
    """The chunks of the page's content."""

    def pieces(markdown: str) -> list[Piece]:
        bounds = [0, *(cut for cut in cuts if cut < len(markdown)), len(markdown)]
        offsets = [len(markdown[:bound].encode()) for bound in bounds]
        return [
            Piece(offsets[at], offsets[at + 1], markdown[bounds[at] : bounds[at + 1]])
            for at in range(len(bounds) - 1)
        ]

    found = chunks_of(page, pieces, context_line=bool(recipe.get("context_line")))
    return [replace(chunk, ranked=ranked) for chunk in found if chunk.field == "content"]


def _check_version(before: Annotation | None, version: int) -> None:
    if before is None and version:
        raise NotFoundError("this annotation was removed meanwhile, or the text has changed: read it again")
    if before is not None and before.version != version:
        when = before.changed_at.isoformat(" ", "minutes")
        raise ConflictError(
            f"{before.changed_by} annotated this text at {when} (version {before.version}, yours is "
            f"{version}): read it again, then repeat your change"
        )


def _same(key: Key) -> tuple[Any, ...]:
    columns = annotations.c.source, annotations.c.act, annotations.c.unit, annotations.c.language
    return tuple(column == value for column, value in zip(columns, key, strict=True))


def _existing(connection: Connection, number: int) -> Annotation:
    row = connection.execute(select(annotations).where(annotations.c.number == number)).first()
    if row is None:
        raise unknown(number)
    return _annotation(row)


def unknown(number: int) -> NotFoundError:
    """The error that there is no such annotation."""
    return NotFoundError(f"there is no annotation {number}: it may have been removed")


def _document(annotation: Annotation | None) -> Mapping[str, Any] | None:
    if annotation is None:
        return None
    return {
        "source": annotation.source,
        "act": annotation.act,
        "unit": annotation.unit,
        "language": annotation.language,
        "cuts": annotation.cuts,
        "references": annotation.references,
    }


def _refs(connection: Connection, key: Key) -> list[PageRef]:
    return _refs_of(connection, [key])[key]


def _refs_of(connection: Connection, units: Collection[Key]) -> dict[Key, list[PageRef]]:
    """The pages of each unit, the newest first: their ids have the day of the version."""
    found: dict[Key, list[PageRef]] = {key: [] for key in units}
    for source, act, language in sorted({(source, act, language) for source, act, _, language in units}):
        names = pages.c.id >= f"{act}@", pages.c.id < f"{act}A"  # the character after @
        query = select(pages.c.id).where(
            pages.c.source == source, *names, pages.c.language == language, ~pages.c.deleted
        )
        for page_id in connection.execute(query.order_by(pages.c.id.desc())).scalars():
            key = source, act, page_id.rpartition("/")[2], language
            if key in found:
                found[key].append(PageRef(source=source, id=page_id, language=language))
    return found


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _annotation(row: AnyRow) -> Annotation:
    content = json.loads(row.content)
    cuts, references = content["cuts"], content["references"]
    return Annotation(
        number=row.number,
        source=row.source,
        act=row.act,
        unit=row.unit,
        language=row.language,
        text=row.text,
        cuts=None if cuts is None else tuple(cuts),
        references=None if references is None else tuple(references),
        version=row.version,
        changed_by=row.changed_by,
        changed_at=row.changed_at,
    )
