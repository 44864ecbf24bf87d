"""The log of websites that ask for what they may not, for whoever embeds the chat and reads it."""

from typing import Final

import structlog

MOST: Final = 100
"""Lines of one process: strangers may make up as many keys and origins as they like."""

SHOWN_CHARACTERS: Final = 100

log = structlog.get_logger(__name__)


class RefusalLog:
    """Logs each key with an origin that was refused once. Thread-safe."""

    def __init__(self) -> None:
        self._known: set[tuple[str, str]] = set()

    def note(self, key: str, origin: str, reason: str) -> None:
        """Log that pages of ``origin`` were refused the site."""
        pair = (key[:SHOWN_CHARACTERS], origin[:SHOWN_CHARACTERS])
        if pair in self._known or len(self._known) >= MOST:
            return
        self._known.add(pair)
        log.warning("website_refused", site=pair[0], origin=pair[1], reason=reason)
