"""German compounds in word search: those of questions are taken apart; words of short questions are searched
for in the compounds of titles, too ("Müll" in *Sperrmüll*)."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from app.search import analysis
from app.search.recorder import Correction, record
from app.search.spelling import Words, is_spelt

PART: Final = 4
"""The fewest letters of a part of a compound."""

SPLITS_TRIED: Final = 3
"""In how many ways a compound is split in three, the longest last parts first."""

LINKS: Final = ("", "s", "n", "e", "es", "en", "er")
"""What German puts between the parts of a compound."""

_COMPOUNDING: Final = ("de", None)
"""Languages of questions whose words are taken apart; ``None``: not known."""

_UMLAUTS: Final = str.maketrans("äöü", "aou")

BESIDE: Final = 3
"""The fewest letters before a word in a compound: with fewer it is part of a word ("Ente" of *Rente*)."""

SHORT: Final = 3
"""Letters of a word that is only looked for at the ends of compounds ("Bad" of *Hallenbad*)."""

MOST_COMPOUNDS: Final = 16
"""Of a word."""

_VOWEL: Final = re.compile("[aouäöü]")
_NOUN: Final = re.compile(r"\b[A-ZÄÖÜ][a-zäöüß]+")


def in_parts(words: Sequence[str], unknown: Sequence[str], language: str | None, pages: Words) -> list[str]:
    """Return the words, the German compounds among the ``unknown`` as their parts, if pages have these. Only
    words are searched for in parts: the meaning is that of the question as it was written.
    Raises ``IndexUnavailableError``."""
    if language not in _COMPOUNDING:
        return list(words)
    parts = {word: compound_parts(word, pages) for word in unknown if is_spelt(word)}
    for word in filter(parts.get, parts):
        record(Correction, word=word, spelt=" ".join(parts[word]), is_compound=True)
    return list(dict.fromkeys(part for word in words for part in parts.get(word) or (word,)))


def with_compounds(
    words: Sequence[str],
    language: str | None,
    titles_like: Callable[[str], Sequence[str]],
    pages: Words,
) -> tuple[str, ...]:
    """Return the words, each that no title has together with the compounds in titles that it is a part of,
    as one (:class:`app.search.types.QuerySpec`). ``titles_like``: returns the titles that have a pattern, in
    which "_" is any letter. Raises ``IndexUnavailableError``, and what ``titles_like`` raises."""
    if language not in _COMPOUNDING:
        return tuple(words)
    return tuple(" ".join((word, *_compounds(word, titles_like, pages))) for word in words)


def _compounds(word: str, titles_like: Callable[[str], Sequence[str]], pages: Words) -> list[str]:
    stem = _stem(word)
    if not word.isalpha() or len(stem) < SHORT:
        return []
    titles = titles_like(_VOWEL.sub("_", word[: len(stem)]))
    if any(stem in analysis.tokens(title, "de") for title in titles):
        return []
    nouns = [each for title in titles for noun in _NOUN.findall(title) for each in analysis.folded(noun)]
    ends = {noun: _behind(word, noun) for noun in dict.fromkeys(nouns)}
    known = [end for some in ends.values() for end in some if end]
    having = dict(zip(known, pages.frequencies(known), strict=True)) | {"": 1}
    return [noun for noun, some in ends.items() if any(having[end] for end in some)][:MOST_COMPOUNDS]


def _behind(word: str, noun: str) -> list[str]:
    """What may stand behind a word in a compound, without what links them; "" where it is the compound's end,
    nothing where it is no part of it. A plural is no part of a singular."""
    stem = _stem(word)
    part, whole = (stem, _stem(noun)) if word.translate(_UMLAUTS) == stem else (word, noun)
    if whole.endswith(part):
        return [""] if len(whole) - len(part) >= BESIDE + (len(part) <= SHORT) else []
    before, found, end = noun.translate(_UMLAUTS).partition(word.translate(_UMLAUTS))
    if not found or len(part) <= SHORT or 0 < len(before) < BESIDE:
        return []
    rest = noun[len(noun) - len(end) :]
    return [rest[len(link) :] for link in LINKS if rest.startswith(link) and len(rest) >= len(link) + PART]


def compound_parts(word: str, pages: Words, *, inner: bool = False) -> list[str]:
    """The parts of a compound that pages have, without what links them; none if they do not have all.

    Of several ways to split it in two, that with the most frequent parts by geometric mean (Koehn and Knight,
    Empirical Methods for Compound Splitting, EACL 2003). What cannot be split in two may be in three:
    ``inner`` says that this is being tried.
    """
    splits = [
        (word[: at - len(link)], word[at:])
        for at in range(PART, len(word) - PART + 1)
        for link in LINKS
        if word[:at].endswith(link) and at - len(link) >= PART
        if not _has_link(word[: at - len(link)]) and len(_stem(word[at:])) >= PART
    ]
    parts = list(dict.fromkeys(part for split in splits for part in split))
    having = dict(zip(parts, pages.frequencies(parts), strict=True))
    best = max(splits, key=lambda split: (having[split[0]] * having[split[1]], split), default=None)
    if best and having[best[0]] * having[best[1]]:
        return list(best)
    heads = (
        []
        if inner
        else sorted((split for split in splits if having[split[1]]), key=lambda split: len(split[0]))
    )
    for before, head in heads[:SPLITS_TRIED]:
        if first := compound_parts(before, pages, inner=True):
            return [*first, head]
    return []


def _has_link(part: str) -> bool:
    """True if the part has the link of a compound at its end: "grunds" is no word, though pages have its
    stem."""
    return part.endswith("s") and _stem(part) == part[:-1].translate(_UMLAUTS)


def _stem(word: str) -> str:
    return analysis.tokens(word, "de")[0]
