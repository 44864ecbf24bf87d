"""Places to split text: after a paragraph, a line, a sentence or a word, in this order of preference.

The patterns are written so that a search takes linear time, whatever the text.
"""

import re
from itertools import pairwise
from typing import Final

PARAGRAPH: Final = re.compile(r"\n(?:[ \t]*\n)+")
LINE: Final = re.compile(r"\n")
SENTENCE: Final = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+")
WORD: Final = re.compile(r"\s+")
SEPARATORS: Final = (PARAGRAPH, LINE, SENTENCE, WORD)


def split_after(separator: re.Pattern[str], text: str) -> list[str]:
    """Split ``text`` into pieces, each with the separator that ends it; joined, they are the text."""
    cuts = [0, *(match.end() for match in separator.finditer(text))]
    if cuts[-1] < len(text):
        cuts.append(len(text))
    return [text[start:end] for start, end in pairwise(cuts)]
