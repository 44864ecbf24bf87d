"""Stores annotations in the page store's database."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from threading import Lock
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Engine, delete, insert, select, update

from app.errors import ConflictError, NotFoundError
from app.features.annotations.annotations import AnnotatedTexts, Annotation, Key, key_of
from app.features.annotations.tables import annotations
from app.pages import audit, page_queue
from app.pages.counters import ChangeCount
from app.pages.database import Store, reading, utc_now, writing
from app.pages.refs import AnyRow, from_row
from app.pages.tables import pages
from app.search.types import IndexedPage
from ingest.types import PageRef

LISTED: Final = 50
"""Annotations in one page of the list, unless the caller gives a limit."""

_CHANGES: Final = ChangeCount("annotations")


class AnnotationStore(Store):
    """The annotations in ``engine``'s database. Every method raises ``PageStoreUnavailableError``."""

    def __init__(self, engine: Engine, clock: Callable[[], datetime] = utc_now) -> None:
        super().__init__(engine, clock)
        self._lock = Lock()
        self._changes = -1
        self._current = AnnotatedTexts()

    def current(self) -> AnnotatedTexts:
        """Return all current annotations; the same object until one is changed by any process."""
        with reading(self._engine) as connection:
            changes = _CHANGES.read(connection)
            if changes == self._changes:
                return self._current
            found = [_annotation(row) for row in connection.execute(select(annotations))]
        with self._lock:
            if changes != self._changes:
                self._changes, self._current = changes, AnnotatedTexts(found)
            return self._current

    def entries(
        self, *, sources: Collection[str] | None = None, below: int | None = None, limit: int = LISTED
    ) -> list[Annotation]:
        """Return at most ``limit`` annotations, newest first, limited to ``sources`` if given."""
        query = select(annotations).order_by(annotations.c.number.desc()).limit(limit)
        if sources is not None:
            query = query.where(annotations.c.source.in_(list(sources)))
        if below is not None:
            query = query.where(annotations.c.number < below)
        return [_annotation(row) for row in self._rows(query)]

    def of_unit(self, key: Key) -> list[Annotation]:
        """Return the annotations of all texts of a unit, newest first."""
        query = select(annotations).where(*_same(key)).order_by(annotations.c.number.desc())
        return [_annotation(row) for row in self._rows(query)]

    def get(self, number: int) -> Annotation:
        """Return the annotation with this number. Raises ``NotFoundError``."""
        with reading(self._engine) as connection:
            return _existing(connection, number)

    def pages_of(self, units: Collection[Key]) -> dict[Key, list[PageRef]]:
        """Return the pages of each unit in all versions of its act, newest first."""
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
        """Annotate the text of a page, and make the pages of the unit due.

        ``version``: the one that was read, 0 for none. Raises ``NotFoundError`` if the annotation that was
        read is gone, and ``ConflictError`` that names whoever annotated it in the meantime.
        """
        key, text = key_of(page), page.fields.get("content", "")
        same = *_same(key), annotations.c.text_hash == _hash(text)
        content = {"cuts": cuts, "references": references}
        values = {
            "content": json.dumps(content),
            "version": version + 1,
            "changed_by": actor[: audit.ACTOR_CHARACTERS],
            "changed_at": self._clock(),
        }
        with writing(self._engine) as connection:
            page_queue.rewrite(connection, _refs(connection, key), self._clock())
            _CHANGES.add(connection)
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
        """Delete an annotation, and make the pages of the unit due.

        Raises ``NotFoundError`` and ``ConflictError``.
        """
        with writing(self._engine) as connection:
            before = _existing(connection, number)
            page_queue.rewrite(connection, _refs(connection, before.key), self._clock())
            _CHANGES.add(connection)
            _check_version(before, version)
            connection.execute(delete(annotations).where(annotations.c.number == number))
            self._record(connection, "remove", actor, before, None)

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


def _check_version(before: Annotation | None, version: int) -> None:
    if before is None and version:
        raise NotFoundError("this annotation has been removed, or the text has changed: read it again")
    if before is not None and before.version != version:
        when = before.changed_at.isoformat(" ", "minutes")
        raise ConflictError(
            "{name} annotated this text at {when} (version {version}, yours is {own}): read it again, "
            "then repeat your change",
            name=before.changed_by,
            when=when,
            version=before.version,
            own=version,
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
    """Return the error that there is no such annotation."""
    return NotFoundError("there is no annotation {number}: it may have been removed", number=number)


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
    """The pages of each unit, newest first: their ids contain the date of the version."""
    found: dict[Key, list[PageRef]] = {key: [] for key in units}
    for source, act, language in sorted({(source, act, language) for source, act, _, language in units}):
        same = pages.c.source == source, pages.c.language == language, ~pages.c.deleted
        query = select(pages.c.id).where(*same, _names(units, act)).order_by(pages.c.id.desc())
        for page_id in connection.execute(query).scalars():
            key = source, act, page_id.rpartition("/")[2] if act else page_id, language
            if key in found:
                found[key].append(PageRef(source=source, id=page_id, language=language))
    return found


def _names(units: Collection[Key], act: str) -> ColumnElement[bool]:
    """A condition that is true for the ids of an act's pages or, without an act, of the pages among the
    units."""
    if act:
        return (pages.c.id >= f"{act}@") & (pages.c.id < f"{act}A")  # because A is the character after @
    return pages.c.id.in_([page_id for _, other, page_id, _ in units if not other])


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _annotation(row: AnyRow) -> Annotation:
    content = json.loads(row.content)
    cuts, references = content["cuts"], content["references"]
    return from_row(
        Annotation,
        row,
        cuts=None if cuts is None else tuple(cuts),
        references=None if references is None else tuple(references),
    )
