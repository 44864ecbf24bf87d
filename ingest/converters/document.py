"""The converter for documents: files in base64, and Markdown that was made of them before."""

import re
from base64 import b64decode
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from ingest.documents import EXTRA, PACKAGES
from ingest.documents.pdf import to_markdown
from ingest.errors import PageError
from ingest.packages import install_line, missing
from ingest.types import PAGED_MARKDOWN, PDF, RawField

_UNESCAPED_TAG: Final = re.compile(r"(?<!\\)<(?=[A-Za-z/!?])")


def _version() -> str:
    try:
        return f"1 pypdfium2-{version('pypdfium2')}"
    except PackageNotFoundError:
        return "1"


class DocumentConverter:
    """Turns a file into Markdown with a form feed between its pages. Its packages are an extra."""

    version = _version()

    def accepts(self, field: RawField) -> bool:
        return field.media_type in (PAGED_MARKDOWN, PDF)

    def convert(self, field: RawField, url: str) -> str:
        if field.media_type == PAGED_MARKDOWN:
            return _UNESCAPED_TAG.sub(r"\\<", field.text)
        if missing(PACKAGES):
            raise PageError("unsupported", f"PDF files need more packages: {install_line(EXTRA)}")
        try:
            data = b64decode(field.text, validate=True)
        except ValueError as error:
            raise PageError("invalid", "the file is not in base64: send it so") from error
        if not data:
            raise PageError("empty", "the file is empty: save it again")
        if b"%PDF-" not in data[:1024]:
            raise PageError("invalid", "no PDF, whatever its name says: give it the suffix of what it is")
        return to_markdown(data)
