"""Splits German and English text into sentences. In doubt sentences stay together: a missed end reads better
than a cut within ``z. B.`` or ``3. Mai``."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

_ABBREVIATION: Final = re.compile(
    "abs|abt|allg|anm|art|aufl|az|bd|betr|bez|bsp|bspw|bzgl|bzw|ca|dgl|dipl|dr|eigtl|einschl|etc|evtl|exkl|ff"
    "|ggf|ggü|gem|gez|hl|hr|hrsg|inkl|insb|ing|int|jh|kap|lfd|lit|max|med|min|mind|mio|mrd|nr|obj|od|österr"
    "|pos|prof|rd|sen|sog|st|std|stellv|str|tel|tgl|ua|usf|usw|uvm|vgl|vorm|wg|zb|zt|zzgl"
    "|approx|cf|co|corp|dept|ed|eds|est|fig|figs|gen|gov|inc|jr|ltd|mr|mrs|ms|no|nos|op|para|paras|pp|ref|rev"
    "|sec|sgt|sr|vol|vols|vs",
    re.IGNORECASE,
)
# Possessive quantifiers keep the time linear for text without sentence ends.
_END: Final = re.compile(r"\n++|[.!?…]++[\"'»“”’)\]]*+\s*+|[。！？]++")
_LAST_WORD: Final = re.compile(r"[^\W_]+(?=\.$)")


def ends(text: str) -> Iterator[int]:
    """The end offsets of the sentences; the last one is the end of the text."""
    for match in _END.finditer(text):
        if match.end() < len(text) and _ends(text, match):
            yield match.end()
    if text:
        yield len(text)


def sentences(text: str) -> list[str]:
    """The sentences; joined they are the text."""
    offsets = [0, *ends(text)]
    return [text[start:end] for start, end in pairwise(offsets)]


def _ends(text: str, found: re.Match[str]) -> bool:
    """True if a sentence ends here: not within ``3.5`` or after an abbreviation."""
    mark = found[0].rstrip()
    if mark != ".":
        return found[0] != mark or found[0][0] in "。！？"
    if found[0] == mark or text[found.end()].islower():
        return False
    word = _LAST_WORD.search(text, max(found.start() - 20, 0), found.start() + 1)
    if word is None:
        return True
    ordinal = word[0].isdigit() and len(word[0]) <= 2
    initial = len(word[0]) == 1 and word[0].isalpha()
    return not (ordinal or initial or _ABBREVIATION.fullmatch(word[0]))
