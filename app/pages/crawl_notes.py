"""Notes of a pull that is not over yet, so that another worker goes on where it stopped."""

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
    """The look of a known page that came again. ``lost``: what is wrong with it, ``None`` if nothing;
    ``added``: the text that is new in it. ``is_deleted``: its server says that it is gone."""

    lost: HaltCode | None = None
    added: frozenset[str] = frozenset()
    is_deleted: bool = False


@dataclass(slots=True, kw_only=True)
class Note:
    """A visit of a pull. ``is_known``: of a page that was stored before the pull; ``look``: how it came;
    ``item``: of a page that is listed, as it was listed then; ``watermark``: the page store's sequence before
    it was fetched.

    ``page``: is held until the website is known to be well; ``validators``: of a page that was stored or is
    held. ``waits_for``: why nothing came; ``failure``: the reason, and the words, of why what came cannot be
    read.
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
    """Return what stands for the address of a page that is listed."""
    return f"{ref.language}/{ref.id}"


NOTES: Final = TypeAdapter(Note)
TRAILS: Final = TypeAdapter(Trail)


def packed(kind: TypeAdapter[Kept], kept: Kept) -> bytes:
    """Return it as compressed JSON, without what no database stores."""
    written = json.dumps(kind.dump_python(kept, mode="json"), ensure_ascii=False)
    return zlib.compress(storable(written).encode(), 1)


def unpacked(kind: TypeAdapter[Kept], stored: bytes) -> Kept | None:
    """Return what was :func:`packed`; ``None`` for anything else: its address is visited again."""
    try:
        return kind.validate_json(zlib.decompress(stored))
    except (zlib.error, ValidationError):
        return None
