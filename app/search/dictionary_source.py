"""Reduces the Ding dictionary of TU Chemnitz (German and English) to what a search needs.

    python -m app.search.dictionary_source de-en.txt app/search/dictionaries

writes ``de-en.txt.xz`` and ``en-de.txt.xz``. A line is a word with its translations, the usual ones first:
``passport|Pass|Reisepass``. Phrases, and translations of rare meanings, are left out.
"""

import lzma
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Final

from app.search import analysis

MOST_TRANSLATIONS: Final = 4
LEAST_SHARE: Final = 0.05
"""A translation with a smaller share of the best one's weight counts as a rare meaning."""

_REMARK: Final = re.compile(r"\{[^{}]*\}|\[[^\[\]]*\]|\([^()]*\)|<[^<>]*>|/[^/;|]*/")
_ALTERNATIVES: Final = re.compile(r";(?![^{]*\})")  # "to pay {paid; paid}" is one
_FIELD: Final = re.compile(r"\[[a-zäöü]{2,}\.\]")
_OF_TOWNS: Final = {"[adm.]", "[jur.]", "[fin.]", "[soc.]", "[econ.]", "[pol.]", "[med.]", "[constr.]"}
_RARE: Final = re.compile(
    r"\[(?:obs|veralte|dated|archaic|poet|humor|slang|vulg|pej|Schw|Scot|Ir|hist)[^\]]*\]"
)
_FILLER: Final = re.compile(
    r"\b(?:jdn?|jdm|jds|etw|sb|sth|sich|to|the|a|an|der|die|das|oneself|so)(?:\.|\b)(?:[’']s)?", re.IGNORECASE
)
_WORD: Final = re.compile(r"[^\W\d_](?:[\w’'-]*[^\W_])?")

FIELD_WEIGHT: Final = 0.5
RARE_WEIGHT: Final = 0.2
"""Weights of words of a field that towns have little to do with, and of old, regional and coarse words."""


def translations(lines: Sequence[str]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the English words of each German word, and the German words of each English word, best first: a
    translation weighs more the more entries have it, and the more frequent it is in the whole dictionary."""
    common = Counter(word for line in lines for word in _WORD.findall(line))
    english_of: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    german_of: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for line in lines:
        if line.startswith("#") or " :: " not in line:
            continue
        german, english = line.strip().split(" :: ", 1)
        for de, en, weight in _pairs(german.split(" | "), english.split(" | ")):
            english_of[de][en] += weight * math.sqrt(common[en])
            german_of[en][de] += weight * math.sqrt(common[de])
    return _best(english_of), _best(german_of)


def _pairs(german: Sequence[str], english: Sequence[str]) -> Iterator[tuple[str, str, float]]:
    """Yield the words at the same place of both sides, with their weight: in an entry of many words, each
    weighs less."""
    for number, (left, right) in enumerate(zip(german, english, strict=False)):
        of_left, of_right = (_ALTERNATIVES.split(side) for side in (left, right))
        for de, en in product(of_left, of_right):
            words = _word(de), _word(en)
            if all(words):
                share = _weight(de, left) * _weight(en, right) / len(of_left) / len(of_right)
                yield *words, share / (1 + number)


def _weight(text: str, segment: str) -> float:
    if _RARE.search(text):
        return RARE_WEIGHT
    fields = [each for each in _FIELD.findall(segment) if each not in _OF_TOWNS]
    return FIELD_WEIGHT if fields else 1.0


def _word(text: str) -> str:
    bare = " ".join(_FILLER.sub(" ", _REMARK.sub(" ", text)).split())
    return bare if _WORD.fullmatch(bare) and len(bare) > 1 else ""


def _best(weights: Mapping[str, Mapping[str, float]]) -> dict[str, list[str]]:
    found = {}
    for word, known in weights.items():
        ordered = sorted(known, key=lambda each: (-known[each], each))
        least = LEAST_SHARE * known[ordered[0]]
        found[word] = [each for each in ordered[:MOST_TRANSLATIONS] if known[each] >= least]
    return found


def _written(found: Mapping[str, list[str]], language: str) -> str:
    """Return one line per word, without words that differ from another only in the ending and have the same
    translations."""
    lines = dict[tuple[str, ...], str]()
    for word in sorted(found, key=lambda each: (len(each), each)):
        key = (*analysis.tokens(word, language), *(each.casefold() for each in found[word]))
        lines.setdefault(key, "|".join((word, *found[word])))
    return "\n".join(sorted(lines.values()))


def main() -> None:
    """Read the file of the first argument and write both directions into the folder of the second."""
    source, folder = map(Path, sys.argv[1:])
    german, english = translations(source.read_text("utf-8").splitlines())
    for name, found in (("de-en", german), ("en-de", english)):
        packed = lzma.compress(_written(found, name[:2]).encode(), preset=9 | lzma.PRESET_EXTREME)
        folder.joinpath(f"{name}.txt.xz").write_bytes(packed)


if __name__ == "__main__":
    main()
