"""The request models of pages for editors. Unknown fields and wrong types are refused."""

from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from app.api.schemas import PageName, Text, ref_of
from app.pages.page_list import LISTED
from app.pages.types import PageState
from ingest.types import PageRef

MOST: Final = 200
"""Pages in a part of a list, at most."""


def cursor_of(ref: PageRef | None) -> str | None:
    """Return the cursor behind a page: ``source/language/id``."""
    return None if ref is None else f"{ref.source}/{ref.language}/{ref.id}"


class PagesQuery(BaseModel):
    """The query of ``GET /api/admin/pages``."""

    model_config = ConfigDict(extra="forbid")

    q: Text = Field(default="", max_length=200, description="words in title, address or id")
    state: PageState | None = None
    source: Text | None = Field(default=None, description="only pages of this source")
    after: PageName | None = Field(default=None, description="`next` of the part before")
    limit: int = Field(default=LISTED, ge=1, le=MOST, description="pages in the part")

    @property
    def after_ref(self) -> PageRef | None:
        """The page that ``after`` names."""
        return None if self.after is None else ref_of(self.after)
