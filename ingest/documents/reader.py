"""Converts documents for sources, in a child process with limits, because a page needs their language."""

from base64 import b64encode
from dataclasses import dataclass

from ingest import languages
from ingest.chunkers.context import first_heading
from ingest.converters.process import ConverterProcess
from ingest.documents import PAGE_MARK
from ingest.errors import PageError
from ingest.types import PAGED_MARKDOWN, UNDETERMINED, FieldName, MediaType, PageRef, RawField, RawPage


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document in Markdown, with form feeds between its pages. ``title``: its first heading, or empty;
    ``language``: as detected, ``und`` if unclear."""

    markdown: str
    title: str
    language: str

    @property
    def field(self) -> RawField:
        """The content of the document's page; the media type preserves the page marks."""
        return RawField(text=self.markdown, media_type=PAGED_MARKDOWN)

    def page(
        self, source: str, key: str, name: str, *, url: str = "", language: str | None = None
    ) -> RawPage:
        """Return the document as a page with the id ``key``, which is also its address unless ``url`` is
        given. ``language`` replaces the detected one."""
        fields: dict[FieldName, RawField] = {
            "name": RawField(text=name, media_type="text/plain"),
            "title": RawField(text=self.title or name, media_type="text/plain"),
            "content": self.field,
        }
        ref = PageRef(source=source, id=key, language=language or self.language)
        return RawPage(ref=ref, document=key, url=url or key, fields=fields)


class DocumentReader:
    """Converts documents one at a time, with ``timeout`` seconds and ``memory_bytes`` for each."""

    def __init__(self, timeout: float = 60.0, memory_bytes: int = 2 * 1024**3) -> None:
        self._process = ConverterProcess(timeout=timeout, memory_bytes=memory_bytes)

    def read(self, data: bytes, media_type: MediaType) -> Document:
        """Convert the document in ``data``. Raises ``PageError`` with its defect."""
        field = RawField(text=b64encode(data).decode("ascii"), media_type=media_type)
        ref = PageRef(source="any", id="any", language=UNDETERMINED)
        fields = self._process.convert(RawPage(ref=ref, document="any", url="", fields={"content": field}))
        markdown = fields.get("content", "")
        if not markdown.replace(PAGE_MARK, "").strip():
            raise PageError("empty", "the document has no text")
        return Document(markdown=markdown, title=first_heading(markdown), language=languages.detect(markdown))

    def close(self) -> None:
        """End the child process; a later document starts another one."""
        self._process.close()
