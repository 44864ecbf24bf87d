"""The items of a long list by their heads: the first words of each that tell it from the others."""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from app.search.extracts import OMITTED

HEAD_CHARACTERS: Final = 90
"""The most of an item that is shown, beside its marker and number."""

WHOLE_CHARACTERS: Final = 130
"""An item of one line that is no longer, without the addresses of links, is shown whole."""

SHARED_CHARACTERS: Final = 40
"""A beginning that is as long, and that of another item too, is left out."""

_LABEL: Final = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\(\w{1,5}\)[ \t]+)?")
_LINK: Final = re.compile(r"\[([^\[\]\n]*)\]\([^()\n]*\)")
_EMPHASIS: Final = re.compile(r"\*\*|__|`")


def heads(items: Sequence[str]) -> list[str]:
    """Return each item of a list by its head, without links; what is left out of it is marked. A short item
    is returned as it is."""
    split = [_label_and_words(item) for item in items]
    words = [words for _, words in split]
    return [
        item if _is_short(item) else f"{label}{_head(text, _shared(number, words))}"
        for number, (item, (label, text)) in enumerate(zip(items, split, strict=True))
    ]


def _is_short(item: str) -> bool:
    return "\n" not in item and len(_LINK.sub(r"\1", item)) <= WHOLE_CHARACTERS


def _label_and_words(item: str) -> tuple[str, list[str]]:
    line = _EMPHASIS.sub("", _LINK.sub(r"\1", item.partition("\n")[0]))
    label = _LABEL.match(line)
    end = label.end() if label else 0
    return line[:end], line[end:].split()


def _shared(number: int, texts: Sequence[Sequence[str]]) -> int:
    """How many words the text begins with as another one does, if these are long enough."""
    text = texts[number]
    most = max((_alike(text, other) for place, other in enumerate(texts) if place != number), default=0)
    is_long = len(" ".join(text[:most])) >= SHARED_CHARACTERS
    return most if is_long and most < len(text) else 0


def _alike(text: Sequence[str], other: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(text, other, strict=False)))


def _head(words: Sequence[str], skipped: int) -> str:
    """The words after those skipped, as many as fit, between marks."""
    kept, length = list[str](), 0
    for word in words[skipped:]:
        length += len(word) + 1
        if kept and length > HEAD_CHARACTERS:
            break
        kept.append(word)
    return " ".join(([OMITTED] if skipped else []) + kept + [OMITTED])
