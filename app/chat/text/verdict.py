"""Reads and removes the status line of an answer: a first line ``STATUS: answered``, the model's own verdict.

Letter case, markup, quotes and brackets around the words, German words and a missing colon are accepted, as
models vary. The line must contain nothing else; only after ``STATUS`` in capitals may the answer begin on the
same line. ``Status: your application is ...`` is an answer.
"""

import re
from collections.abc import Mapping
from typing import Final, Literal

from ingest.text import visible

HELD_CHARACTERS: Final = 40

Verdict = Literal["answered", "partly", "none", "outside"]
"""The sources answer the question in full, in part or not at all; ``outside``: it is no question for this
website."""

_WORDS: Final[Mapping[str, Verdict]] = {
    "answered": "answered", "beantwortet": "answered",
    "partly": "partly", "partially": "partly", "teilweise": "partly",
    "none": "none", "keine": "none",
    "outside": "outside", "außerhalb": "outside",
}  # fmt: skip
_ALONE: Final = ("answered", "beantwortet", "partly", "partially", "teilweise")
"""Words that are a status line without ``STATUS``, too: no answer is one of them."""

_LINES: Final = {
    **{f"status{word}".casefold(): verdict for word, verdict in _WORDS.items()},
    **{word: _WORDS[word] for word in _ALONE},
}
_AROUND: Final = re.compile(r"[\s*_`~#>|\"'„“”‚‘’«»‹›()\[\]{}<:=.–—-]+")
_SAME_LINE: Final = re.compile(r"[^\w:]*STATUS[^\w:]*:\W*(?P<word>\w+)[^\w\s]*\s+")


def with_status_line(verdict: Verdict, answer: str) -> str:
    """The answer as the model writes it: below its status line."""
    return f"STATUS: {verdict}\n{answer}"


class VerdictFilter:
    """Passes an answer through without its status line.

    At most ``HELD_CHARACTERS`` and one line of the beginning are held back. ``verdict``: ``None`` before the
    status line, and in an answer without one.
    """

    def __init__(self) -> None:
        self.verdict: Verdict | None = None
        self._held = ""
        self._decided = False
        self._has_begun = False

    def feed(self, text: str) -> str:
        """The part of the answer that is now final."""
        taken = 0
        while not self._decided and taken < len(text):
            self._held += text[taken]
            taken += 1
            self._decide()
        if not self._decided:
            return ""
        held, self._held = self._held, ""
        return self._passed(held + text[taken:])

    def close(self) -> str:
        """The rest of the answer."""
        held, self._held = self._held, ""
        self.verdict = self.verdict or _LINES.get(_letters(held))
        return "" if self.verdict else held

    def _decide(self) -> None:
        """Decide if the beginning is a status line, at the first possible character, so that the result does
        not depend on how the text is split into pieces."""
        letters = _letters(self._held)
        if self._held.endswith("\n") and self._held.strip():
            self._end(_LINES.get(letters), after=len(self._held))
        elif not any(line.startswith(letters) for line in _LINES):
            same_line = None if self._held[-1].islower() else _SAME_LINE.match(self._held)
            verdict = _WORDS.get(same_line["word"].lower()) if same_line else None
            self._end(verdict, after=same_line.end() if same_line else 0)
        elif len(self._held) > HELD_CHARACTERS:
            self._end(None, after=0)

    def _end(self, verdict: Verdict | None, after: int) -> None:
        self.verdict, self._decided = verdict, True
        self._held = self._held[after:] if verdict else self._held

    def _passed(self, text: str) -> str:
        """The text without the white space between status line and answer."""
        if self.verdict and not self._has_begun:
            text = text.lstrip()
            self._has_begun = bool(text)
        return text


def _letters(text: str) -> str:
    """The line without markup and punctuation, in lower case."""
    return _AROUND.sub("", visible(text)).casefold()
