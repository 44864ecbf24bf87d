"""Decodes UTF-8 from files: a page with damaged places is still read."""

from codecs import BOM_UTF8
from typing import Final

_REPLACEMENT: Final = "\ufffd"


def decoded(data: bytes) -> tuple[str, str]:
    """Return the text, without byte order mark, and a warning if parts of it are not UTF-8: these become
    U+FFFD."""
    data = data.removeprefix(BOM_UTF8)
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        places = text.count(_REPLACEMENT) - data.count(_REPLACEMENT.encode())
        found = f"not UTF-8 in {places:,} place{'s' * (places > 1)}, first at byte {error.start:,}"
        return text, f"{found}: U+FFFD stands there, save the file as UTF-8"
