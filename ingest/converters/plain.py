"""The converter for plain text."""

import re
from typing import Final

from ingest.types import RawField

_BLANK_LINES: Final = re.compile(r"\n{3,}")


class PlainConverter:
    """Text as Markdown paragraphs, where an empty line is.

    Nothing is escaped: backslashes would stand in the way of search and of reading, and whoever renders
    Markdown has to keep raw HTML off anyway.
    """

    version = "1"

    def accepts(self, field: RawField) -> bool:
        return field.media_type == "text/plain"

    def convert(self, field: RawField, url: str) -> str:
        lines = (line.rstrip() for line in field.text.splitlines())
        return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip("\n")
