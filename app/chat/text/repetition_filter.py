"""Ends an answer that says the same again and again, as small models do."""

import re
from typing import Final

MOST_WORDS: Final = 60
"""Of a passage whose repetition is recognised: two or three sentences."""

LEAST_TIMES: Final = 3
LONG_WORDS: Final = 8
LEAST_OWN: Final = 3
"""Different words, other than numbers, of what is more than a cell of a table."""

_PART: Final = re.compile(r"(\w+)|\W")
_UNCOUNTED: Final = re.compile(r"\d{1,2}")


class RepetitionFilter:
    """Passes an answer through until it has said the same words three times in a row (four times fewer than
    ``LONG_WORDS``, ten times one or two, which tables also repeat), whatever stands between them. Numbers of
    list items and citations do not count.

    The output does not depend on how the text is split into pieces. ``has_ended``: true from there on.
    """

    def __init__(self) -> None:
        self.has_ended = False
        self._words: list[str] = []
        self._word = ""
        self._before = "\n"

    def feed(self, text: str) -> str:
        """The part of the answer that is now final."""
        if self.has_ended:
            return ""
        for part in _PART.finditer(text):
            if part[1]:
                self._word += part[1]
                continue
            self._end_word()
            if self.has_ended:
                return text[: part.start()]
            if not part[0].isspace() or part[0] == "\n":
                self._before = part[0]
        return text

    def _end_word(self) -> None:
        word, self._word = self._word.casefold(), ""
        if not word or (self._before in "\n[" and _UNCOUNTED.fullmatch(word)):
            return
        self._before = word
        self._words.append(word)
        del self._words[: -MOST_WORDS * LEAST_TIMES - 1]
        earlier = reversed(self._words[-1 - MOST_WORDS : -1])
        self.has_ended = any(self._repeats(count) for count, said in enumerate(earlier, 1) if said == word)

    def _repeats(self, count: int) -> bool:
        """True if the last ``count`` words were said that often."""
        words = self._words
        last = words[-count:]
        if words[-count * LEAST_TIMES :] != last * LEAST_TIMES:
            return False
        is_short = len({word for word in last if word.isalpha()}) < LEAST_OWN
        times = 10 if is_short else LEAST_TIMES if count >= LONG_WORDS else 4
        return words[-count * times :] == last * times
