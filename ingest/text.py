"""Removes invisible characters from text, and splits it into sentences.

What people cannot see must not be indexed or reach a model. Sentences stay together if in doubt, because a
missed end reads better than a cut within ``z. B.`` or ``3. Mai``.
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

_HIDDEN: Final = (
    "\x00-\x08\x0e-\x1b\x7f-\x9f"  # controls except tab, newline and separators
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, fillers
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"  # zero width, bidi controls
    "\ufff9-\ufffb\U000e0000-\U000e0fff"  # annotations, tags, variation selectors supplement
    "\ud800-\udfff"  # lone surrogates: not encodable
)
_SUSPECT: Final = re.compile(f"[{_HIDDEN}\x0b-\x0d\x1c-\x1f\u200c\u200d\u2028\u2029]")
_INVISIBLE: Final = re.compile(f"[{_HIDDEN}]+")
_JOINER: Final = re.compile("[\u200c\u200d]+")
_LINE_END: Final = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")  # as str.splitlines has them
_UNIT_SEPARATOR: Final = "\x1f"

JOINING_SCRIPTS: Final = frozenset({
    "ARABIC", "BALINESE", "BENGALI", "DEVANAGARI", "GUJARATI", "GURMUKHI", "JAVANESE", "KANNADA",
    "KHMER", "MALAYALAM", "MANDAIC", "MONGOLIAN", "MYANMAR", "NKO", "ORIYA", "SINHALA", "SYRIAC",
    "TAMIL", "TELUGU", "TIBETAN",
})  # fmt: skip
"""First words of the Unicode names of letters between which a (non-)joiner changes the spelling."""


def visible(text: str) -> str:
    """Return ``text`` without invisible characters, lines ending in ``\\n``.

    * Separators keep separating: form feeds, vertical tabs and the separators of files, groups and records
      become newlines, unit separators become blanks.
    * Removed: the other C0 and C1 controls except tab and newline, soft hyphens, zero-width and bidi control
      characters, the tag block (from U+E0000 up), lone surrogates.
    * U+200C and U+200D stay only between two letters or marks of a script whose spelling needs them
      (:data:`JOINING_SCRIPTS`).

    Idempotent, keeps NFC, linear.
    """
    if not _SUSPECT.search(text):  # nearly all text needs one search instead of three
        return text
    text = _LINE_END.sub("\n", text).replace(_UNIT_SEPARATOR, " ")
    text = _INVISIBLE.sub("", text)
    return _JOINER.sub(_joiner, text)


def shortened(text: str, characters: int) -> str:
    """Return at most ``characters`` of ``text``: cut after a word if possible, with an ellipsis."""
    if len(text) <= characters:
        return text
    kept = text[: characters - 1]
    if not text[characters - 1].isspace():
        kept = (kept.rsplit(maxsplit=1) or [""])[0]
    return f"{kept.rstrip()}…"


def _joiner(match: re.Match[str]) -> str:
    text, start, end = match.string, match.start(), match.end()
    if start == 0 or end == len(text) or not _joins(text[start - 1]) or not _joins(text[end]):
        return ""
    return match.group()[0]


def _joins(character: str) -> bool:
    return unicodedata.name(character, "").partition(" ")[0] in JOINING_SCRIPTS


class VisibleFilter:
    """:func:`visible` for a text that arrives in pieces, however it is split.

    Line ends and joiners at the end of a piece are held back, because they depend on the next character.
    """

    def __init__(self) -> None:
        self._held = ""
        self._last = ""

    def feed(self, piece: str) -> str:
        """Return the part of the visible text that is now final."""
        text = self._held + piece
        end = len(text)
        while end and _SUSPECT.match(text, end - 1):
            end -= 1
        self._held = text[end:]
        return self._passed(text[:end])

    def close(self) -> str:
        """Return the rest of the visible text."""
        held, self._held = self._held, ""
        return self._passed(held)

    def _passed(self, text: str) -> str:
        """Return the visible part of ``text``; ``_last``, the visible character before it, decides about a
        joiner at its start."""
        passed = visible(self._last + text)[len(self._last) :]
        self._last = passed[-1:] or self._last
        return passed


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
    """Yield the end offsets of the sentences; the last one is the end of the text."""
    for match in _END.finditer(text):
        if match.end() < len(text) and _ends(text, match):
            yield match.end()
    if text:
        yield len(text)


def sentences(text: str) -> list[str]:
    """Return the sentences; joined, they are the text."""
    offsets = [0, *ends(text)]
    return [text[start:end] for start, end in pairwise(offsets)]


def _ends(text: str, found: re.Match[str]) -> bool:
    """Return True if a sentence ends here: not within ``3.5`` or after an abbreviation."""
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
