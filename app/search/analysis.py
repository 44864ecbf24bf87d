"""Analysis of text into search terms, the same for pages and questions.

A *word* is what the short-question rule counts (``self-assessment`` and ``don't`` are one word each). A
*token* is a maximal run of letters and digits, case-folded, without combining marks and stemmed by Snowball
for the text's language. Languages without a stemmer keep the folded token.
"""

import re
import threading
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from importlib.resources import files
from typing import Final

import numpy as np
import numpy.typing as npt
import Stemmer

from ingest.types import FIELDS, FieldName

TokenIds = npt.NDArray[np.uint64]

SHORT_WORDS: Final = 3
"""A question with fewer words is short."""

_WORD: Final = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_TOKEN: Final = re.compile(r"[^\W_]+")
_TARGET: Final = re.compile(r"\]\([^()\n]*\)")
_LINK: Final = re.compile(r"(?<!!)\[([^\[\]\n]*)\]\((?!tel:|mailto:)[^()\n]*\)")
_MARKS: Final = re.compile("[\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]+")

_STEMMERS: Final = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "da": "danish", "nl": "dutch",
    "en": "english", "eo": "esperanto", "et": "estonian", "fi": "finnish", "fr": "french", "de": "german",
    "el": "greek", "hi": "hindi", "hu": "hungarian", "id": "indonesian", "ga": "irish", "it": "italian",
    "lt": "lithuanian", "ne": "nepali", "no": "norwegian", "nb": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sr": "serbian", "es": "spanish", "sv": "swedish", "ta": "tamil",
    "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

# A Snowball stemmer object must not be shared between threads.
_local = threading.local()


def words(text: str) -> list[str]:
    """Return the words of a question, as the short-question rule counts them."""
    return _WORD.findall(text)


def is_short(question: str) -> bool:
    """Return True if a question has too few words to be searched by its meaning."""
    return len(words(question)) < SHORT_WORDS


def tokens(text: str, language: str) -> list[str]:
    """Return the stemmed tokens in text order."""
    return _stem(folded(text), language)


def stems(words: Sequence[str], language: str) -> list[str]:
    """Return the stem of each word. The words must be folded."""
    return _stem(list(words), language)


def without_targets(markdown: str) -> str:
    """Return the text without the targets of its links, because nobody sees their words."""
    return _TARGET.sub("]", markdown)


def link_share(markdown: str) -> float:
    """Return the share of a text's letters and digits that belong to links to pages; 0 with fewer than two
    links."""
    links = _LINK.findall(markdown)
    linked = sum(map(_letters, links)) if len(links) > 1 else 0
    return linked / max(linked + _letters(_LINK.sub("", markdown)), 1)


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def forms(word: str, languages: Iterable[str]) -> frozenset[str]:
    """Return every stemmed form of the word's tokens in these languages, and of the other words of their
    families, which questions and pages use for the same thing ("geöffnet", "Öffnungszeiten")."""
    found = folded(word)
    return frozenset(
        form
        for language in languages
        for stem in _stem(found, language)
        for form in _families(language).get(stem, (stem,))
    )


@lru_cache(maxsize=65_536)
def _token_id(token: str) -> int:
    return int.from_bytes(blake2b(token.encode(), digest_size=8).digest(), "little")


def token_ids(stemmed: Sequence[str]) -> TokenIds:
    """Return stable 64-bit identifiers (BLAKE2b) of tokens, in order."""
    return np.fromiter((_token_id(token) for token in stemmed), dtype=np.uint64, count=len(stemmed))


def page_tokens(fields: Mapping[FieldName, str], language: str) -> TokenIds:
    """Return a page's token identifiers, in the order of :func:`page_stems`."""
    return token_ids(page_stems(fields, language))


def page_stems(fields: Mapping[FieldName, str], language: str) -> list[str]:
    """Return a page's stemmed tokens, content first, so that windows over them stay within the text."""
    order = sorted(FIELDS, key=lambda name: name != "content")
    texts = (without_targets(fields.get(name, "")) for name in order)
    return [token for text in texts for token in tokens(text, language)]


def content_words(question: str, language: str) -> tuple[str, ...]:
    """Return the question's distinct tokens without the language's stop words; all tokens if none is left."""
    distinct = tuple(dict.fromkeys(folded(question)))
    return tuple(token for token in distinct if token not in stop_words(language)) or distinct


@cache
def _families(language: str) -> Mapping[str, Sequence[str]]:
    """Return the stems of each word family, by each stem in it."""
    path = files("app.search").joinpath("word_families", f"{language}.txt")
    if not path.is_file():
        return {}
    families = [_stem(folded(line), language) for line in path.read_text("utf-8").splitlines()]
    return {stem: family for family in families for stem in family}


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the function words, which do not show a subject; empty for languages without a list."""
    path = files("app.search").joinpath("stopwords", f"{language}.txt")
    if not path.is_file():
        return frozenset()
    return frozenset(token for word in path.read_text("utf-8").split() for token in folded(word))


@cache
def function_words(language: str | None = None) -> frozenset[str]:
    """Return the stop words of German, English and French, and of the given language: in a question of
    unknown language they are no subject either."""
    return frozenset[str]().union(*map(stop_words, ("de", "en", "fr", language or "")))


def folded(text: str) -> list[str]:
    """Return the text's tokens without stemming, in text order."""
    return _TOKEN.findall(_MARKS.sub("", unicodedata.normalize("NFC", text).casefold()))


def _stem(unstemmed: list[str], language: str) -> list[str]:
    algorithm = _STEMMERS.get(language)
    if algorithm is None:
        return unstemmed
    stemmers: dict[str, Stemmer.Stemmer] = _local.__dict__
    if algorithm not in stemmers:
        stemmers[algorithm] = Stemmer.Stemmer(algorithm)
    stemmed: list[str] = stemmers[algorithm].stemWords(unstemmed)
    return stemmed
