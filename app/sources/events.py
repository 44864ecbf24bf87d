"""The events of a CMS: JSON, validated as a whole and turned into changes of pages.

The models are the contract that docs/cms.md and ``/openapi.json`` describe.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Final, Literal, Self, get_args
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)

from app.errors import EventsError, InputError, PageError
from app.pages.intake import MAX_REVISION
from app.pages.types import Announcement
from ingest.errors import without_pydantic_prefix
from ingest.sources.distinct_keys import DuplicateKeyError, distinct_keys
from ingest.sources.records import Record, base64_text, page_fields, page_metadata
from ingest.types import (
    MAX_ID_CHARACTERS,
    MAX_URL_CHARACTERS,
    UNDETERMINED,
    Change,
    Delete,
    PageRef,
    RawPage,
    Save,
)

MAX_EVENTS: Final = 500
MAX_PROBLEMS: Final = 20
MAX_PROBLEM_CHARACTERS: Final = 200
CANNOT_PULL: Final = "this source cannot be pulled: send the fields"

_BARE: Final = {"type", "id", "language", "revision", "republish"}
_ANNOUNCED: Final = "page.announced"
_CONTENTS: Final = ("html", "markdown", "text", "pdf", "docx", "odt", "file_url")


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _id(value: str) -> str:
    return PageRef(source="any", id=value, language=UNDETERMINED).id


def _language(value: str) -> str:
    return PageRef(source="any", id="any", language=value).language


def _url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.netloc or not value.isprintable() or " " in value:
        raise ValueError("use an address with http:// or https://, without spaces and control characters")
    return value


def _file(value: str) -> str:
    try:
        return base64_text(value)
    except PageError as error:
        raise ValueError(str(error)) from error


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _moment(value: object) -> datetime:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise ValueError("use a date with time and zone, such as 2026-03-31T12:00:00+02:00")
    return moment


_ID_SCHEMA: Final = {"oneOf": [{"type": "string", "maxLength": MAX_ID_CHARACTERS}, {"type": "integer"}]}
_LANGUAGE_SCHEMA: Final = {"type": "string", "pattern": "^([a-z]{2}|und)$"}
_FILE_SCHEMA: Final = {"type": "string", "contentEncoding": "base64"}
_KEYWORDS_SCHEMA: Final = {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}

PageId = Annotated[str, BeforeValidator(_as_text), AfterValidator(_id), WithJsonSchema(_ID_SCHEMA)]
Language = Annotated[str, AfterValidator(_language), WithJsonSchema(_LANGUAGE_SCHEMA)]
Revision = Annotated[int, Field(ge=0, le=MAX_REVISION, description="the CMS's number; higher is newer")]
Url = Annotated[str, Field(max_length=MAX_URL_CHARACTERS), AfterValidator(_url)]
File = Annotated[str, AfterValidator(_file), WithJsonSchema(_FILE_SCHEMA)]
Keywords = Annotated[list[str], BeforeValidator(_as_list), WithJsonSchema(_KEYWORDS_SCHEMA)]
Moment = Annotated[datetime, BeforeValidator(_moment)]


class _Event(BaseModel):
    """The fields of all events."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: PageId
    revision: Revision | None = None


class _Content(_Event):
    """A page with all its fields; those that are not given are empty."""

    language: Language
    url: Url
    name: str | None = None
    title: str | None = None
    description: str | None = None
    keywords: Keywords | None = None
    html: str | None = None
    markdown: str | None = None
    text: str | None = None
    pdf: File | None = None
    docx: File | None = None
    odt: File | None = None
    updated: Moment | None = None
    publish_from: Moment | None = None
    publish_until: Moment | None = None
    republish: bool = False

    @model_validator(mode="after")
    def _has_one_content(self) -> Self:
        given = [name for name in _CONTENTS if getattr(self, name, None)]
        if len(given) > 1:
            raise ValueError(f"has {' and '.join(given)}: use only one of them")
        return self

    def save(self, source: str, page_id: str) -> Save:
        """Return the change that saves the page as ``page_id``."""
        page = RawPage(
            ref=PageRef(source=source, id=page_id, language=self.language),
            document=page_id,
            url=self.url,
            fields=page_fields(self.model_dump()),
            revision=self.revision,
            updated=self.updated,
            publish_from=self.publish_from,
            publish_until=self.publish_until,
        )
        return Save(page=page, republish=self.republish)


class PageSaved(_Content):
    """A page was created, changed or published again. ``file_url``: where its file is fetched from."""

    type: Literal["page.saved"]
    file_url: Url | None = None

    def changes(self, source: str) -> list[Change | Announcement]:
        """Return the save of the page, or its announcement if its file has to be fetched."""
        return [self._announcement(source) if self.file_url else self.save(source, self.id)]

    def _announcement(self, source: str) -> Announcement:
        ref = PageRef(source=source, id=self.id, language=self.language)
        known = self.model_dump(mode="json", exclude={"type", "revision", "republish"}, exclude_none=True)
        return Announcement(
            ref=ref, revision=self.revision, republish=self.republish, record=json.dumps(known)
        )


class PageAnnounced(_Event):
    """A page was saved, sent without its fields: it is fetched, from a source that can be pulled."""

    type: Literal["page.saved"]
    language: Language
    republish: bool = False

    @model_validator(mode="after")
    def _can_be_fetched(self, info: ValidationInfo) -> Self:
        if not (info.context or {}).get("can_pull"):
            raise ValueError(CANNOT_PULL)
        return self

    def changes(self, source: str) -> list[Change | Announcement]:
        """Return the announcement of the page."""
        ref = PageRef(source=source, id=self.id, language=self.language)
        return [Announcement(ref=ref, revision=self.revision, republish=self.republish)]


class PageMoved(_Content):
    """A page has another id, another address, or both: the old one is deleted as the new one is saved."""

    type: Literal["page.moved"]
    new_id: PageId | None = None

    def changes(self, source: str) -> list[Change | Announcement]:
        """Return the delete of the old id, if there is a new one, and the save of the page."""
        saved = self.save(source, self.new_id or self.id)
        if self.new_id in (None, self.id):
            return [saved]
        return [Delete(source=source, id=self.id, language=self.language, revision=self.revision), saved]


class _Gone(_Event):
    """A page is gone; without a language in all languages, later ones too."""

    language: Language | None = None

    def changes(self, source: str) -> list[Change | Announcement]:
        """Return the delete, which a save with a higher revision undoes."""
        return [Delete(source=source, id=self.id, language=self.language, revision=self.revision)]


class PageDeleted(_Gone):
    """A page was deleted."""

    type: Literal["page.deleted"]


class PageUnpublished(_Gone):
    """A page was taken offline; it comes back with its next save."""

    type: Literal["page.unpublished"]


Event = PageSaved | PageAnnounced | PageMoved | PageDeleted | PageUnpublished
MODELS: Final[tuple[type[Event], ...]] = get_args(Event)
TYPES: Final = ("page.saved", "page.moved", "page.deleted", "page.unpublished")


def _kind(event: object) -> str | None:
    """Return the tag of the event's model: its type, or ``_ANNOUNCED`` for a page without its fields."""
    if not isinstance(event, dict):
        return "page.saved"  # any model reports that this is not an object
    kind = event.get("type")
    if kind == "page.saved" and event.keys() <= _BARE:
        return _ANNOUNCED
    return kind if isinstance(kind, str) else None


_Tagged = (
    Annotated[PageSaved, Tag("page.saved")]
    | Annotated[PageAnnounced, Tag(_ANNOUNCED)]
    | Annotated[PageMoved, Tag("page.moved")]
    | Annotated[PageDeleted, Tag("page.deleted")]
    | Annotated[PageUnpublished, Tag("page.unpublished")]
)
_Typed = Annotated[_Tagged, Discriminator(_kind)]
_EVENT: Final[TypeAdapter[Event]] = TypeAdapter(_Typed)


class Batch(BaseModel):
    """Several events at once, in order."""

    model_config = ConfigDict(extra="forbid", strict=True)

    events: list[_Typed] = Field(min_length=1, max_length=MAX_EVENTS)


def changes_of(
    source: str, body: bytes, *, can_pull: bool, declared: Collection[str] = ()
) -> list[Change | Announcement]:
    """Parse a message's body and return its changes, in order.

    ``body`` is ``{"events": [...]}`` or one event; ``can_pull``: pages may come without their fields;
    ``declared``: the names of metadata that events may have beside them (docs/fields.md).
    Raises ``InputError`` if it is not JSON, and ``EventsError`` with every invalid field; then none of the
    events counts.
    """
    document = _parse_json(body)
    is_batch = isinstance(document, dict) and "events" in document
    context = {"can_pull": can_pull}
    sent = document["events"] if isinstance(document, dict) and is_batch else [document]
    metadata = [_taken(event, declared) for event in sent] if isinstance(sent, list) else []
    try:
        if is_batch:
            events = Batch.model_validate(document, context=context).events
        else:
            events = [_EVENT.validate_python(document, context=context)]
    except ValidationError as error:
        raise EventsError(_problems(error, is_batch)) from error
    return [
        _with_metadata(change, own)
        for event, own in zip(events, metadata, strict=True)
        for change in event.changes(source)
    ]


def _taken(event: object, declared: Collection[str]) -> Record:
    """Remove the ``declared`` metadata from an event that has a page's fields, and return it. A page that is
    fetched has the metadata that it is fetched with."""
    if not isinstance(event, dict) or event.get("type") not in ("page.saved", "page.moved"):
        return {}
    own = event.keys() & declared
    return {name: event.pop(name) for name in own} if event.keys() - own - _BARE else {}


def _with_metadata(change: Change | Announcement, own: Record) -> Change | Announcement:
    match change:
        case Save():
            return replace(change, page=replace(change.page, metadata=page_metadata(own)))
        case Announcement(record=record) if record:
            return replace(change, record=json.dumps({**json.loads(record), **own}))
    return change


def _parse_json(body: bytes) -> object:
    try:
        return json.loads(body.decode("utf-8"), object_pairs_hook=distinct_keys)
    except UnicodeDecodeError as error:
        raise InputError(f"the body is not UTF-8 at byte {error.start:,}: send JSON in UTF-8") from error
    except DuplicateKeyError as error:
        raise InputError(f"the body is ambiguous: {error}") from error
    except RecursionError as error:
        raise InputError("the body is nested too deeply: an event is flat") from error
    except ValueError as error:
        raise InputError(f"the body is not JSON: {error}") from error


def _problems(error: ValidationError, is_batch: bool) -> Mapping[str, str]:
    """Return field -> problem, for the first ``MAX_PROBLEMS``."""
    details = error.errors(include_url=False, include_input=False)
    return {
        _path(detail["loc"], detail["type"], is_batch)[:MAX_PROBLEM_CHARACTERS]: _complaint(detail)
        for detail in details[:MAX_PROBLEMS]
    }


def _path(location: Sequence[int | str], problem: str, is_batch: bool) -> str:
    """Return a path such as ``events[3].language``, without the event's type that pydantic puts before the
    field."""
    steps = [*location[:2], *location[3:]] if is_batch else list(location[1:])
    if problem.startswith("union_tag"):
        steps.append("type")
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return text.removeprefix(".") or "body"


def _complaint(detail: Mapping[str, Any]) -> str:
    match detail["type"]:
        case "extra_forbidden":
            return "unknown field"
        case "missing":
            return "is missing"
        case "union_tag_invalid" | "union_tag_not_found":
            return f"give one of {', '.join(TYPES)}"
        case "model_attributes_type" | "model_type" | "dict_type":
            return "give an object: one event, or {'events': [...]}"
    return without_pydantic_prefix(detail["msg"])[:MAX_PROBLEM_CHARACTERS]
