"""Text in UTF-8 as it is in files: a damaged place does not cost the page."""

from codecs import BOM_UTF8
from typing import Final

_REPLACEMENT: Final = "\ufffd"


def decoded(data: bytes) -> tuple[str, str]:
    """Return the text, without byte order mark, and a warning if some of it is not UTF-8: there stands
    U+FFFD."""
    data = data.removeprefix(BOM_UTF8)
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        places = text.count(_REPLACEMENT) - data.count(_REPLACEMENT.encode())
        found = f"not UTF-8 in {places:,} place{'s' * (places > 1)}, first at byte {error.start:,}"
        return text, f"{found}: U+FFFD stands there, save the file as UTF-8"
