"""The model's answer as it grows."""

from collections.abc import Iterator

from app.chat.events import DeltaEvent
from app.chat.text.citations import CitationFilter
from app.chat.text.verdict import Verdict, VerdictFilter
from ingest.text import VisibleFilter


class Draft:
    """Takes the model's pieces and gives what readers see: no status line, no invisible characters, citations
    of ``known`` source numbers alone, no white space in front.

    ``text``: all of it so far; ``cited``: the numbers in it; ``verdict``: the model's own.
    """

    def __init__(self, known: set[int]) -> None:
        self._verdicts = VerdictFilter()
        self._visible = VisibleFilter()
        self._citations = CitationFilter(known)
        self.text = ""

    @property
    def cited(self) -> list[int]:
        """In order of first appearance."""
        return self._citations.cited

    @property
    def verdict(self) -> Verdict | None:
        """``None`` if it gave none."""
        return self._verdicts.verdict

    def add(self, piece: str) -> Iterator[DeltaEvent]:
        """What the piece makes final."""
        return self._append(self._citations.feed(self._visible.feed(self._verdicts.feed(piece))))

    def close(self) -> Iterator[DeltaEvent]:
        """What was held back."""
        rest = self._visible.feed(self._verdicts.close()) + self._visible.close()
        return self._append(self._citations.feed(rest) + self._citations.close())

    def _append(self, text: str) -> Iterator[DeltaEvent]:
        text = text if self.text else text.lstrip()
        if text:
            self.text += text
            yield DeltaEvent(text=text)
