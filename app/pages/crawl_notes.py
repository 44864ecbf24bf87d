"""Notes of a pull that is not over yet, so that another worker can resume it."""

import json
import zlib
from dataclasses import dataclass
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from app.errors import HaltCode
from app.pages.column_types import storable
from ingest.errors import Reason
from ingest.fetching.validators import Validators
from ingest.types import ListingItem, PageRef, RawPage
from ingest.website.visits import Step, Trail

Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The comparison of a known page with what a pull found. ``lost``: what is wrong with it, ``None`` if
    nothing; ``added``: its new text. ``is_deleted``: its server says that it is gone."""

    lost: HaltCode | None = None
    added: frozenset[str] = frozenset()
    is_deleted: bool = False


@dataclass(slots=True, kw_only=True)
class Note:
    """A pull's visit of one page.

    * ``item``: the page's entry in the listing at that time, if it is listed
    * ``watermark``: the page store's sequence before it was fetched
    * ``is_known``: the page was stored before the pull; ``look``: how it compares
    * ``page``: held back until the website is known to be well
    * ``validators``: of a page that was stored or is held back
    * ``waits_for``: why nothing came; ``failure``: reason and message if the response cannot be read
    """

    step: Step
    item: ListingItem | None = None
    watermark: int = 0
    is_known: bool = False
    look: Look | None = None
    page: RawPage | None = None
    validators: Validators | None = None
    waits_for: str = ""
    failure: tuple[Reason, str] | None = None


def address_of(ref: PageRef) -> str:
    """Return the stand-in for the address of a listed page."""
    return f"{ref.language}/{ref.id}"


NOTES: Final = TypeAdapter(Note)
TRAILS: Final = TypeAdapter(Trail)


def packed(kind: TypeAdapter[Kept], kept: Kept) -> bytes:
    """Return ``kept`` as compressed JSON, without characters that databases cannot store."""
    written = json.dumps(kind.dump_python(kept, mode="json"), ensure_ascii=False)
    return zlib.compress(storable(written).encode(), 1)


def unpacked(kind: TypeAdapter[Kept], stored: bytes) -> Kept | None:
    """Undo :func:`packed`; return ``None`` for anything else, so that its address is visited again."""
    try:
        return kind.validate_json(zlib.decompress(stored))
    except (zlib.error, ValidationError):
        return None
