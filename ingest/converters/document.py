"""The converter for documents: files in base64, and Markdown that was made from them earlier."""

import re
from base64 import b64decode
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from ingest.documents import DOCUMENT_TYPES, EXTRA, PACKAGES
from ingest.documents.formats import check_format
from ingest.errors import PageError
from ingest.html import VERSION as HTML_VERSION
from ingest.packages import install_line, missing
from ingest.types import DOCX, PAGED_MARKDOWN, PDF, MediaType, RawField

_UNESCAPED_TAG: Final = re.compile(r"(?<!\\)<(?=[A-Za-z/!?])")


def _version() -> str:
    try:
        return f"3 pypdfium2-{version('pypdfium2')} {HTML_VERSION}"
    except PackageNotFoundError:
        return f"3 {HTML_VERSION}"


class DocumentConverter:
    """Turns a file into Markdown with a form feed between its pages. Packages for PDF are an extra."""

    version = _version()

    def accepts(self, field: RawField) -> bool:
        return field.media_type in DOCUMENT_TYPES

    def convert(self, field: RawField, url: str) -> str:
        if field.media_type == PAGED_MARKDOWN:
            return _UNESCAPED_TAG.sub(r"\\<", field.text)
        if missing(PACKAGES[field.media_type]):
            raise PageError("unsupported", "PDF files need more packages: {line}", line=install_line(EXTRA))
        try:
            data = b64decode(field.text, validate=True)
        except ValueError as error:
            raise PageError("invalid", "the file is not in base64: encode it") from error
        check_format(data, field.media_type)
        try:
            return _read(data, field.media_type, url)
        except RecursionError as error:
            raise PageError(
                "invalid", "nested too deeply: save it again from the program that made it, or as PDF"
            ) from error


def _read(data: bytes, media_type: MediaType, url: str) -> str:
    # imported on first use, because most commands read no documents
    if media_type == PDF:
        from ingest.documents import pdf  # noqa: PLC0415

        return pdf.to_markdown(data)
    if media_type == DOCX:
        from ingest.documents import docx  # noqa: PLC0415

        return docx.to_markdown(data, url)
    from ingest.documents import odt  # noqa: PLC0415

    return odt.to_markdown(data, url)
