"""Recognises questions that only greet, thank or say goodbye, in the languages of the chat
(``greeting_phrases/``, a file for each).

The whole question must consist of such phrases and the words that go with them. Punctuation, smileys,
drawn-out letters and the spelling of umlauts do not matter. ``Hallo, was kostet ein Pass?`` is a question.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, get_args

from pydantic import BaseModel, ConfigDict

from app.search import analysis
from app.search.language_files import read_by_language
from ingest.text import visible

Greeting = Literal["thanks", "bye", "hello"]
"""Of several kinds in one question the first here counts."""


class Phrases(BaseModel):
    """The phrases of a language. ``beside``: words that may stand with those of a kind, or with ``any``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    thanks: Sequence[str]
    bye: Sequence[str]
    hello: Sequence[str]
    beside: Mapping[Greeting | Literal["any"], Sequence[str]]


MAX_CHARACTERS: Final = 200
"""A longer text is no greeting."""

_ANYWHERE: Final[Mapping[Greeting, Sequence[str]]] = {
    "thanks": ("merci",),
    "bye": ("ciao", "ciao ciao", "adieu"),
    "hello": ("hi", "hey", "hej", "heya", "salut"),
}
"""Phrases of several languages."""

# Letters in smileys: ``:D``, ``;-P``, ``xD``.
_SMILEY: Final = re.compile(r"(?<!\w)(?:[:;=][-^']?[dpo3x]+|xd+|<3+)(?!\w)", re.IGNORECASE)
_MARKS: Final = re.compile("[\u0300-\u036f\u064b-\u0655\u0670]+")
_REPEATED: Final = re.compile(r"(\w)\1+")
_SPELT_OUT: Final = re.compile("(?<=[aou])e")


def greeting(question: str) -> Greeting | None:
    """The kind of a question that is only a greeting, else ``None``; ``Danke, tschüss`` is thanks."""
    kinds = {kind for kind, _ in _phrases(question)}
    return next((kind for kind in get_args(Greeting) if kind in kinds), None)


def greeting_language(question: str) -> str | None:
    """The language of a greeting (ISO 639-1); ``None`` for other questions and for ``Hi``."""
    return next((language for _, language in _phrases(question) if language), None)


def _phrases(question: str) -> list[tuple[Greeting, str]]:
    """The greetings in the question with their languages, in its order; empty if it contains anything
    else."""
    text = visible(question).strip()
    if len(text) > MAX_CHARACTERS:
        return []
    words = _words(_SMILEY.sub(" ", text))
    found: list[tuple[Greeting, str]] = []
    others: set[str] = set()
    while words:
        length = next((n for n in range(_LONGEST, 0, -1) if words[:n] in _KNOWN), 0)
        if length:
            found.append(_KNOWN[words[:length]])
        else:
            others.add(words[0])
        words = words[length or 1 :]
    accompanying = _ACCOMPANYING_ANY.union(*(_ACCOMPANYING[kind] for kind, _ in found))
    return found if others <= accompanying else []


def _words(text: str) -> tuple[str, ...]:
    """The words, folded so that ``Tschüß``, ``tschuess`` and ``Tschüüüss`` are equal."""
    folded = unicodedata.normalize("NFD", text.replace("’", "'").casefold())
    folded = _SPELT_OUT.sub("", _REPEATED.sub(r"\1", _MARKS.sub("", folded)))
    return tuple(analysis.words(folded))


def _read() -> Mapping[str, Phrases]:
    """The phrases by language (ISO 639-1)."""
    read = read_by_language("app.chat.text", "greeting_phrases")
    return {language: Phrases.model_validate(phrases) for language, phrases in read.items()}


def _known(phrases: Mapping[str, Phrases]) -> Iterable[tuple[tuple[str, ...], tuple[Greeting, str]]]:
    for kind in get_args(Greeting):
        for language, found in phrases.items():
            for phrase in getattr(found, kind):
                yield _words(phrase), (kind, language)
        for phrase in _ANYWHERE[kind]:
            yield _words(phrase), (kind, "")


def _beside(phrases: Iterable[Phrases], kind: Greeting | Literal["any"]) -> frozenset[str]:
    return frozenset(word for each in phrases for text in each.beside.get(kind, ()) for word in _words(text))


_PHRASES: Final = _read()
_KNOWN: Final = dict(_known(_PHRASES))
_LONGEST: Final = max(map(len, _KNOWN))
_ACCOMPANYING_ANY: Final = _beside(_PHRASES.values(), "any")
_ACCOMPANYING: Final = {kind: _beside(_PHRASES.values(), kind) for kind in get_args(Greeting)}
