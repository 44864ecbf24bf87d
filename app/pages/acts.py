"""The pages of whole acts of law (kind ``act``), which state the versions of acts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import structlog
from sqlalchemy import Engine, and_, exists, func, select

from app.errors import PageError
from app.pages.bodies import load_body
from app.pages.column_types import AsBytes
from app.pages.database import Store, reading
from app.pages.refs import REF_COLUMNS, AnyRow, is_same_page, ref_of
from app.pages.tables import bodies, pages
from ingest.types import PageRef

KIND: Final = "act"

log = structlog.get_logger(__name__)

_SERVED: Final = and_(pages.c.kind == KIND, ~pages.c.deleted, pages.c.indexed_at.is_not(None))
"""The condition for pages that the index has or had: an act's page does not count before it is first
indexed."""

_STAMP: Final = select(func.count().filter(_SERVED), func.coalesce(func.max(pages.c.sequence), 0)).where(
    pages.c.kind == KIND
)
"""A first indexing of an act changes the count; a removal or change raises the sequence."""

_ANY: Final = select(exists().where(_SERVED))

_ALL: Final = (
    select(*REF_COLUMNS, pages.c.document, AsBytes(bodies.c.body).label("body"))
    .join_from(pages, bodies, is_same_page(pages, bodies))
    .where(_SERVED)
    .order_by(*REF_COLUMNS)
)

Stamp = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActPage:
    """An act's page, with the ``metadata`` that :mod:`ingest.law.pages` made."""

    ref: PageRef
    document: str
    metadata: Mapping[str, str]


class ActPages(Store):
    """The pages of acts in ``engine``'s database. Every method raises ``PageStoreUnavailableError`` or
    ``DataFolderError``."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._were_any = False

    def were_any(self) -> bool:
        """Return True if an act's page is served, or was at an earlier call."""
        if not self._were_any:
            with reading(self._engine) as connection:
                self._were_any = bool(connection.execute(_ANY).scalar_one())
        return self._were_any

    def stamp(self) -> Stamp:
        """A value that changes whenever :meth:`all` may return something else."""
        with reading(self._engine) as connection:
            count, sequence = connection.execute(_STAMP).one()
        return int(count), int(sequence)

    def all(self) -> list[ActPage]:
        """Every served page of an act that can be loaded, by source, id and language."""
        return [page for row in self._rows(_ALL) if (page := _act_page(row))]


def _act_page(row: AnyRow) -> ActPage | None:
    try:
        metadata = load_body(row.body)["metadata"]
    except PageError as error:
        log.warning("act_left_out", source=row.source, page=row.id, reason=str(error))
        return None
    return ActPage(ref=ref_of(row), document=row.document, metadata=metadata)
