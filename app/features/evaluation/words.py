"""Finds out if a text contains another one, by their words. Pure functions.

Only letters and digits count, in lower case, so that lists, tables and links may stand between the words. If
the wanted text starts or ends with a figure or short word, a word of the other text must start or end there:
``25 Euro`` is not in ``125 Euro``, nor ``5`` in ``1.5``. Longer words may be a part of another: ``register``
is in ``registered``.
"""

import html
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ingest.text import visible

SHORT_WORD: Final = 4

_WORD: Final = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+")
"""A figure with its separators, or a run of letters and digits."""

_SEPARATOR: Final = re.compile("[.,]")
_DESTINATION: Final = re.compile(
    r"""\]\(\s*(?:<[^<>\n]*>|(?:[^()<>\s]|\([^()\s]*\))*)(?:\s+"[^"\n]*")?\s*\)"""
)
_LIST_NUMBER: Final = re.compile(r"^[ \t>]*\d{1,9}[.)](?=[ \t])", re.MULTILINE)
_CUT_WORD: Final = re.compile(r"[^\W_]+$")


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text, joined without separators. ``starts``, ``ends``: the offsets in ``letters`` where
    a word starts or ends."""

    letters: str
    starts: frozenset[int]
    ends: frozenset[int]
    first: str
    last: str

    def __bool__(self) -> bool:
        return bool(self.letters)

    def holds(self, wanted: "Words") -> bool:
        """Return True if the wanted words stand here one after the other."""
        begins, stops = _is_exact(wanted.first), _is_exact(wanted.last)
        position = self.letters.find(wanted.letters) if wanted else -1
        while position >= 0:
            end = position + len(wanted.letters)
            if not (begins and position not in self.starts) and not (stops and end not in self.ends):
                return True
            position = self.letters.find(wanted.letters, position + 1)
        return False


def words(text: str) -> Words:
    """Return the words of a text as people see it."""
    folded = unicodedata.normalize("NFKC", visible(text)).casefold()
    return _joined([_SEPARATOR.sub("", word) for word in _WORD.findall(folded)])


def markdown_words(markdown: str) -> Words:
    """Return the words of Markdown, without the destinations of links and the numbers of lists."""
    return words(_LIST_NUMBER.sub("", _DESTINATION.sub("]", html.unescape(markdown))))


def beginning(text: str, characters: int) -> str:
    """Return the first characters of the text, without a word that would be cut."""
    cut, rest = text[:characters], text[characters : characters + 1]
    return _CUT_WORD.sub("", cut) if rest.isalnum() else cut


def _joined(found: Sequence[str]) -> Words:
    starts, ends, length = set[int](), set[int](), 0
    for word in found:
        starts.add(length)
        length += len(word)
        ends.add(length)
    return Words(
        letters="".join(found),
        starts=frozenset(starts),
        ends=frozenset(ends),
        first=found[0] if found else "",
        last=found[-1] if found else "",
    )


def _is_exact(word: str) -> bool:
    return len(word) <= SHORT_WORD or any(map(str.isdigit, word))
