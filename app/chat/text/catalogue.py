"""The chat's own sentences: one file for each language, ``catalogues/<language>.json``.

A new language is a new file; a new sentence is a new field here and a line in every file. Languages without a
file get English.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from app.chat.text.greetings import Greeting
from app.search.intents import Intent
from app.search.types import Degradation

FALLBACK_LANGUAGE: Final = "en"

_FOLDER: Final = files("app.chat.text").joinpath("catalogues")

LANGUAGES: Final = frozenset(
    each.name.removesuffix(".json") for each in _FOLDER.iterdir() if each.name.endswith(".json")
)
"""Languages with a catalogue (ISO 639-1)."""


TimeNote = Literal["at", "from", "before", "between"]
"""Notes on the time of the law that was searched."""

AbsentNote = Literal["unknown", "since", "until"]
"""Sentences on an act that is not searched: it never was, not yet, or no longer applied."""


class Catalogue(BaseModel):
    """The sentences in one language, with places such as ``{contact}``.

    ``written_in``: adverbs such as "in German", by language, for the place in ``original``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    verbatim: str
    nearest: str
    absent_word: str
    absent_words: str
    unverified: str
    interrupted: str
    wording: str
    summary: str
    unsupported_mark: str
    original: str
    written_in: Mapping[str, str]
    no_answer: str
    offered: str
    other_request: str
    contact: str
    no_contact: str
    page: str
    rows_shown: str
    rows_in_full: str
    all_rows: str
    sources: str
    see_also: str
    more: str
    greetings: Mapping[Greeting, str]
    wishes: Mapping[Intent, str]
    degraded: Mapping[Degradation, str]
    time: Mapping[TimeNote, str]
    absent_act: Mapping[AbsentNote, str]
    which_act: str
    version: str
    ended: str
    some_ended: str


def texts(language: str) -> Catalogue:
    """Return the sentences in this language (ISO 639-1), else in English."""
    return _read(language if language in LANGUAGES else FALLBACK_LANGUAGE)


def all_texts() -> list[Catalogue]:
    """Return the sentences of every language."""
    return [_read(language) for language in sorted(LANGUAGES)]


@cache
def _read(language: str) -> Catalogue:
    return Catalogue.model_validate(json.loads(_FOLDER.joinpath(f"{language}.json").read_text("utf-8")))
