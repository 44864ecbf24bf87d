"""Texts of acts as they lie or come, before they are parsed."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final, Protocol

from ingest.fetching import Validators

NOTHING_KNOWN: Final = Validators()


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """The HTML of an act, and what is known of it otherwise; empty or ``None`` what is not."""

    html: str
    celex: str = ""
    version: date | None = None
    language: str = ""
    validators: Validators = NOTHING_KNOWN


class Texts(Protocol):
    """Where texts are. Each has a key, which names it to people."""

    def keys(self) -> Iterator[str]:
        """Every text, broken ones too. Raises ``SourceError``."""
        ...

    def document(self, key: str) -> str:
        """The name of the text's document, empty if only its content tells."""
        ...

    def read(self, key: str, known: Validators) -> Text | None:
        """The text; ``None`` if it is what came with the ``known`` validators, or there is none yet.

        Raises ``PageError`` and ``SourceUnavailableError``.
        """
        ...
