"""Checks if the sources of an answer state its figures."""

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from app.chat.text.figure_keys import Figure, Keys, is_stated
from app.chat.text.figures import keys_of
from ingest.text import visible

_PARAGRAPH_END: Final = re.compile(r"\n\n(?=[^\n]{40})")
"""Short lines stay with the text above them, because a calendar may have day, month and year on a line
each."""


class Evidence:
    """The figures of the texts that an answer may rely on. They are found when the first figure is checked,
    paragraph by paragraph, because many answers rely on the same paragraphs (the results are cached)."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = tuple(texts)

    def lacks(self, figures: Iterable[Figure]) -> bool:
        """Return True if one of the figures is not in the texts."""
        return not all(is_stated(figure, *self._stated) for figure in figures)

    @cached_property
    def _stated(self) -> tuple[Keys, str]:
        paragraphs = [each for text in self._texts for each in _PARAGRAPH_END.split(visible(text))]
        read = [keys_of(paragraph) for paragraph in paragraphs]
        return frozenset().union(*(keys for keys, _ in read)), "\n".join(compact for _, compact in read)
