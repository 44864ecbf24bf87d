"""Texts of acts from files or servers, before they are parsed."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final, Protocol

from ingest.fetching.validators import Validators

NOTHING_KNOWN: Final = Validators()


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """The HTML of an act, and metadata from its file name or server; empty or ``None`` if unknown."""

    html: str
    celex: str = ""
    version: date | None = None
    language: str = ""
    validators: Validators = NOTHING_KNOWN


class Texts(Protocol):
    """A collection of texts, each with a key that names it in messages."""

    def keys(self) -> Iterator[str]:
        """Yield every text's key, even of broken ones. Raises ``SourceError``."""

    def document(self, key: str) -> str:
        """Return the name of the text's document; empty if only its content determines it."""

    def read(self, key: str, known: Validators) -> Text | None:
        """Read the text, or return None if it is unchanged since the ``known`` validators or does not exist
        yet.

        Raises ``PageError`` and ``SourceUnavailableError``.
        """
