"""The converter for plain text."""

import re
from typing import Final

from ingest.types import RawField

_BLANK_LINES: Final = re.compile(r"\n{3,}")


class PlainConverter:
    """Keeps text as Markdown paragraphs, separated by blank lines.

    Nothing is escaped: backslashes would disturb search and people, and a Markdown renderer has to disable
    raw HTML anyway.
    """

    version = "2"

    def accepts(self, field: RawField) -> bool:
        return field.media_type == "text/plain"

    def convert(self, field: RawField, url: str) -> str:
        lines = (line.rstrip() for line in field.text.splitlines())
        return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip("\n")
