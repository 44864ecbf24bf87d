"""Turns the model's raw output into the text that visitors see, while it streams."""

from collections.abc import Collection, Iterator

from app.chat.events import DeltaEvent
from app.chat.text.citations import CitationFilter
from app.chat.text.figure_filter import FigureFilter
from app.chat.text.opening_filter import OpeningFilter
from app.chat.text.repetition_filter import EchoFilter, RepetitionFilter
from app.chat.text.unwrapping import ReplyFormFilter
from app.chat.text.verdict import Verdict, VerdictFilter
from ingest.text import VisibleFilter


class AnswerFilter:
    """Unwraps and cleans the answer, and marks unsupported sentences by ``figures``.

    It removes the status line, invisible characters, leading white space, a repeated ``question`` and
    citations of numbers that are not ``known``. It ends the answer where a line of the ``instructions`` is
    repeated or the text repeats itself. An answer without a word of its own is empty. ``text``: the filtered
    answer so far.
    """

    def __init__(
        self, known: set[int], figures: FigureFilter, instructions: Collection[str] = (), question: str = ""
    ) -> None:
        self._form = ReplyFormFilter()
        self._verdicts = VerdictFilter()
        self._visible = VisibleFilter()
        self._opening = OpeningFilter(question, instructions)
        self._echoes = EchoFilter((*instructions, question))
        self._repetitions = RepetitionFilter()
        self._citations = CitationFilter(known)
        self._figures = figures
        self.text = ""

    @property
    def cited(self) -> list[int]:
        """The cited source numbers, in order of first appearance."""
        return self._citations.cited

    @property
    def verdict(self) -> Verdict | None:
        """The model's verdict; ``None`` without a status line."""
        return self._verdicts.verdict

    @property
    def is_repetitive(self) -> bool:
        """True if the answer repeated itself again and again."""
        return self._repetitions.has_ended

    @property
    def has_ended(self) -> bool:
        """True once the model has repeated an instruction, or itself again and again."""
        return self._echoes.has_ended or self.is_repetitive

    def feed(self, piece: str) -> Iterator[DeltaEvent]:
        """Yield the text that is final after this piece."""
        opened = self._opening.feed(self._visible.feed(self._verdicts.feed(self._form.feed(piece))))
        own = self._repetitions.feed(self._echoes.feed(opened))
        return self._append(self._figures.feed(self._citations.feed(own)))

    def close(self) -> Iterator[DeltaEvent]:
        """Yield the text that the filters held back."""
        unwrapped = self._verdicts.feed(self._form.close()) + self._verdicts.close()
        rest = self._visible.feed(unwrapped) + self._visible.close()
        opened = self._opening.feed(rest) + self._opening.close()
        own = self._repetitions.feed(self._echoes.feed(opened) + self._echoes.close())
        cited = self._citations.feed(own) + self._citations.close()
        return self._append(self._figures.feed(cited) + self._figures.close())

    def _append(self, text: str) -> Iterator[DeltaEvent]:
        text = text if self.text else text.lstrip()
        if text:
            self.text += text
            yield DeltaEvent(text=text)
