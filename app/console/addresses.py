"""Where the console is, and which addresses are pages of it."""

from typing import Final
from urllib.parse import urlsplit

PREFIX: Final = "/admin"


def own_page(wanted: str) -> str:
    """The path of the wanted page, if it is one of the console; else nothing."""
    parts = urlsplit(wanted)
    is_ours = not parts.scheme and not parts.netloc and parts.path.startswith(f"{PREFIX}/")
    return wanted if is_ours and "\\" not in wanted and wanted.isprintable() else ""
