"""The request models of pages for editors. Unknown fields and wrong types are refused."""

from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from app.api.schemas import Text
from app.pages.page_list import LISTED
from app.pages.types import PageState
from ingest.types import PageRef

MOST: Final = 200
"""Pages in a part of a list, at most."""


def cursor_of(ref: PageRef | None) -> str | None:
    """Return the cursor behind a page: ``source/language/id``."""
    return None if ref is None else f"{ref.source}/{ref.language}/{ref.id}"


def _ref_of(cursor: str) -> PageRef:
    source, _, rest = cursor.partition("/")
    language, _, page_id = rest.partition("/")
    return PageRef(source=source, id=page_id, language=language)


def _checked(cursor: str) -> str:
    _ref_of(cursor)
    return cursor


class PagesQuery(BaseModel):
    """The query of ``GET /api/admin/pages``."""

    model_config = ConfigDict(extra="forbid")

    q: Text = Field(default="", max_length=200, description="words in title, address or id")
    state: PageState | None = None
    source: Text | None = Field(default=None, description="only pages of this source")
    after: Annotated[Text, AfterValidator(_checked)] | None = Field(
        default=None, max_length=600, description="`next` of the part before"
    )
    limit: int = Field(default=LISTED, ge=1, le=MOST, description="pages in the part")

    @property
    def after_ref(self) -> PageRef | None:
        """The page that ``after`` names."""
        return None if self.after is None else _ref_of(self.after)
