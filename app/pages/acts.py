"""The pages that stand for whole acts of law, from which the versions of acts are known."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import structlog
from sqlalchemy import Engine, and_, func, select

from app.errors import PageError
from app.pages.bodies import load_body
from app.pages.column_types import AsBytes
from app.pages.database import reading
from app.pages.refs import REF_COLUMNS, AnyRow, ref_of
from app.pages.tables import bodies, pages
from ingest.types import PageRef

KIND: Final = "act"

log = structlog.get_logger(__name__)

_SERVED: Final = and_(pages.c.kind == KIND, ~pages.c.deleted, pages.c.indexed_at.is_not(None))
"""Those that the index has or had: one that waits for its first write does not stand for a version yet."""

_STAMP: Final = select(func.count().filter(_SERVED), func.coalesce(func.max(pages.c.sequence), 0)).where(
    pages.c.kind == KIND
)
"""A page that comes into service changes the number; one that goes or changes gets a higher sequence."""

_ALL: Final = (
    select(*REF_COLUMNS, pages.c.document, AsBytes(bodies.c.body).label("body"))
    .join_from(
        pages, bodies, and_(*(pages.c[name] == bodies.c[name] for name in ("source", "id", "language")))
    )
    .where(_SERVED)
    .order_by(*REF_COLUMNS)
)

Stamp = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActPage:
    """An act's page: ``metadata`` as :mod:`ingest.law.pages` gives it."""

    ref: PageRef
    document: str
    metadata: Mapping[str, str]


class ActPages:
    """Reads the acts' pages. Every method raises ``PageStoreUnavailableError`` or ``DataFolderError``."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def stamp(self) -> Stamp:
        """Another one whenever :meth:`all` may give something else."""
        with reading(self._engine) as connection:
            count, sequence = connection.execute(_STAMP).one()
        return int(count), int(sequence)

    def all(self) -> list[ActPage]:
        """Every act's page that is served and can be read, by source, id and language."""
        with reading(self._engine) as connection:
            return [page for row in connection.execute(_ALL) if (page := _act_page(row))]


def _act_page(row: AnyRow) -> ActPage | None:
    try:
        metadata = load_body(row.body)["metadata"]
    except PageError as error:
        log.warning("act_left_out", source=row.source, page=row.id, reason=str(error))
        return None
    return ActPage(ref=ref_of(row), document=row.document, metadata=metadata)
