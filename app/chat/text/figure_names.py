"""Finds possible names of persons: two consecutive words with capital letters."""

import re
from collections import Counter
from typing import Final

from app.chat.text.figure_keys import Figure, Keys
from app.search import analysis

_NAME_WORD: Final = r"[A-ZÄÖÜ][^\W\d_A-Z]+(?:-[A-ZÄÖÜ][^\W\d_]+)?"
_NAME: Final = re.compile(rf"(?=(?<!\w)(?P<first>{_NAME_WORD})[ \u00a0](?P<last>{_NAME_WORD})(?!\w))")
_ARTICLE: Final = re.compile(
    r"\b(?:de[rmns]|die|das|im|am|beim|vom|zu[mr]|ins|eine?[mnrs]?|the|an?)\s\Z", re.IGNORECASE
)
_ARTICLE_LETTERS: Final = 6
"""Persons' names have no article before them; it is looked for so far back."""

_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def names_in(text: str) -> list[Figure]:
    """Return the names in text order, as figures of kind ``name``. They may overlap."""
    found = []
    for match in _NAME.finditer(text):
        start = match.start()
        has_article = _ARTICLE.search(text, max(start - _ARTICLE_LETTERS, 0), start)
        if not _is_function_word(match["first"]) and not has_article:
            keys = frozenset((f"name {match['first']} {match['last']}",))
            span = match.start("first"), match.end("last")
            found.append(Figure(any_of=(keys,), states=keys, kind="name", span=span))
    return found


def names_of(text: str) -> Keys:
    """Return the keys of names whose words occur only in that name, as the words of persons' names do."""
    counts = Counter(_WORD.findall(text))
    pairs = Counter(key for name in names_in(text) for key in name.states)
    return frozenset(
        key for key, count in pairs.items() if all(counts[word] == count for word in key.split()[1:])
    )


def _is_function_word(word: str) -> bool:
    return any(word.casefold() in analysis.stop_words(language) for language in ("de", "en"))
