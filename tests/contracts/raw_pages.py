"""Pages and changes to put into a page store, as short as a test wants them."""

from datetime import datetime

from ingest.types import Delete, PageRef, RawField, RawPage, Save


def ref(page_id: str = "p", language: str = "de", source: str = "town") -> PageRef:
    return PageRef(source=source, id=page_id, language=language)


def page(
    page_id: str = "p",
    text: str = "text",
    *,
    revision: int | None = None,
    language: str = "de",
    source: str = "town",
    document: str | None = None,
    publish_from: datetime | None = None,
    publish_until: datetime | None = None,
) -> RawPage:
    return RawPage(
        ref=ref(page_id, language, source),
        document=page_id if document is None else document,
        url=f"https://town.example/{page_id}",
        fields={
            "title": RawField(text=f"Title of {page_id}", media_type="text/plain"),
            "content": RawField(text=text, media_type="text/html"),
        },
        revision=revision,
        publish_from=publish_from,
        publish_until=publish_until,
    )


def save(
    page_id: str = "p", text: str = "text", revision: int | None = None, *, language: str = "de"
) -> Save:
    return Save(page=page(page_id, text, revision=revision, language=language))


def delete(page_id: str = "p", revision: int | None = None, *, language: str | None = "de") -> Delete:
    return Delete(source="town", id=page_id, language=language, revision=revision)
