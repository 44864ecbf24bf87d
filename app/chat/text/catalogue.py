"""The chat's own sentences: one file for each language, ``catalogues/<language>.json``.

To add a language, add a file. To add a sentence, add a field here and a line to every file. Languages without
a file get English. Functions here compose texts of several sentences.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from app.chat.text.chitchat import Greeting
from app.document import package_json
from app.search.absent_act import AbsentAct
from app.search.intents import Intent
from app.search.retrieval import Degradation, TimeFilter
from ingest.text import sentences
from ingest.types import UNDETERMINED

FALLBACK_LANGUAGE: Final = "en"

_FOLDER: Final = files("app.chat.text").joinpath("catalogues")

LANGUAGES: Final = frozenset(
    each.name.removesuffix(".json") for each in _FOLDER.iterdir() if each.name.endswith(".json")
)
"""Languages with a catalogue (ISO 639-1)."""


TimeNote = Literal["at", "from", "before", "between"]
"""Notes on the time whose law was searched."""

AbsentNote = Literal["unknown", "since", "until"]
"""Sentences on an act that is not searched: it is not in the index, not yet applied, or no longer."""

SILENT_LABELS: Final[frozenset[Degradation]] = frozenset({"rephrase_rejected"})
"""Labels without a sentence for visitors, who miss nothing: their question was searched as asked."""


class Catalogue(BaseModel):
    """The sentences in one language, with placeholders such as ``{contact}``.

    ``written_in``: adverbs such as "in German", by language, for the placeholder in ``original``.
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
    """Return the sentences in this language (ISO 639-1), otherwise in English."""
    return _read(language if language in LANGUAGES else FALLBACK_LANGUAGE)


def all_texts() -> list[Catalogue]:
    """Return the sentences of every language."""
    return [_read(language) for language in sorted(LANGUAGES)]


@cache
def _read(language: str) -> Catalogue:
    return Catalogue.model_validate(package_json("app.chat.text", f"catalogues/{language}.json"))


UNSUPPORTED_MARKS: Final = tuple(each.unsupported_mark for each in all_texts())
"""The marks in all languages."""

_WITHOUT_CONTACT: Final[frozenset[Intent]] = frozenset({"emergency", "abilities"})
_COLON: Final = re.compile(r"\s?:$")


def verbatim_label(language: str, originals: Collection[str] = ()) -> str:
    """Return the sentence above an extractive answer. ``originals``: see :func:`with_original`."""
    return with_original(texts(language).verbatim, language, originals)


def nearest_label(language: str, originals: Collection[str] = ()) -> str:
    """Return the sentence above quotes that may not answer the question. ``originals``: see
    :func:`with_original`."""
    return with_original(texts(language).nearest, language, originals)


def absent_words_label(words: Sequence[str], language: str, originals: Collection[str] = ()) -> str:
    """Return the sentence above an extractive answer to a question with ``words`` that no page has.
    ``originals``: see :func:`with_original`."""
    found = texts(language)
    label = found.absent_word if len(words) == 1 else found.absent_words
    return with_original(label.format(words="*, *".join(words)), language, originals)


def with_original(label: str, language: str, originals: Collection[str]) -> str:
    """Return the label in ``language``, which ends in a colon, with the language of the quotes below it if
    that is another one. ``originals``: the languages of the pages quoted; several are not named."""
    if len(set(originals) - {UNDETERMINED}) != 1 or language in originals:
        return label
    written_in = texts(language).written_in.get(next(iter(set(originals) - {UNDETERMINED})))
    if written_in is None:
        return label
    original = texts(language).original.format(written_in=written_in)
    return _COLON.sub(lambda colon: f" ({original}){colon[0]}", label)


def without_label(answer: str) -> str:
    """Return the answer without the sentence above its passages, if it has one."""
    label = _LABEL.match(answer)
    return answer[label.end() :].lstrip() if label else answer


def supported_part(answer: str, *, is_supported: bool) -> str:
    """Return the answer without a model's unsupported text: the passages below it, empty if there are none.
    An answer that ``is_supported`` and has no such passages is returned whole."""
    *_, label = (None, *_FALLBACKS.finditer(answer))
    if label is not None:
        return answer[label.end() :].lstrip()
    return answer if is_supported else ""


def unsure_sentence(label: str) -> str:
    """Return the label of quotes that may not answer the question, without its last sentence, which announces
    the quotes."""
    return " ".join(sentence.strip() for sentence in sentences(label)[:-1])


def page_label(number: int, language: str) -> str:
    """Return the name of a page of a file, with its number."""
    return texts(language).page.format(number=number)


def rows_shown(language: str, shown: int, total: int, link: str) -> str:
    """Return the line below a list or table of which only a part is shown. ``link``: the address of the
    whole, may be empty."""
    return _with_all_rows(texts(language).rows_shown, language, shown, total, link)


def rows_in_full(language: str, shown: int, total: int, link: str) -> str:
    """Return the line below a list whose other items are shown by their heads. ``link``: see
    :func:`rows_shown`."""
    return _with_all_rows(texts(language).rows_in_full, language, shown, total, link)


def _with_all_rows(text: str, language: str, shown: int, total: int, link: str) -> str:
    line = text.format(shown=shown, total=total)
    return f"{line}, [{texts(language).all_rows}]({link})" if link else line


def no_answer(language: str, *, has_sources: bool, contact: str) -> str:
    """Return the text for a question that no page answers: that there is no answer, that pages are listed
    (``has_sources``), and the contact."""
    parts = [texts(language).no_answer]
    if has_sources:
        parts.append(texts(language).offered)
    if contact:
        parts.append(contact_sentence(language, contact))
    return " ".join(parts)


def contact_sentence(language: str, contact: str) -> str:
    """Return the sentence with the contact."""
    return texts(language).contact.format(contact=contact)


def intent_reply(intent: Intent, language: str, contact: str) -> str:
    """Return the reply to a wish that no page answers, with the ``contact`` if there is one. Without it,
    replies that need a person refer to the website's contact pages."""
    text = texts(language).wishes[intent]
    if contact:
        return f"{text}\n\n{contact_sentence(language, contact)}"
    return text if intent in _WITHOUT_CONTACT else f"{text} {texts(language).no_contact}"


def _labels() -> re.Pattern[str]:
    """Return a pattern for the labels in all languages, with or without the language of the original."""
    found = ((each.verbatim, each.nearest, each.absent_word, each.absent_words) for each in all_texts())
    labels = (re.escape(_COLON.sub("", label)) for each in found for label in each)
    pattern = "|".join(labels).replace(re.escape("{words}"), r"[^\n]+?")
    return re.compile(rf"(?:{pattern})(?: \([^()\n]+\))?\s?:")


_LABEL: Final = _labels()
_FALLBACKS: Final = re.compile(
    "|".join(re.escape(label) for each in all_texts() for label in (each.unverified, each.interrupted))
)


def describe(label: Degradation, language: str = FALLBACK_LANGUAGE) -> str:
    """Return the sentence of the label."""
    return texts(language).degraded[label]


def visitor_sentences(labels: Iterable[Degradation], language: str = FALLBACK_LANGUAGE) -> list[str]:
    """Return the sentences of those labels that visitors are told about."""
    return [describe(label, language) for label in labels if label not in SILENT_LABELS]


def describe_absent(acts: Iterable[AbsentAct], language: str = FALLBACK_LANGUAGE) -> str:
    """Return the sentences on acts that a question is about but that are not searched; empty without any."""
    notes = texts(language).absent_act
    return " ".join(
        notes["since" if act.since else "until" if act.until else "unknown"].format(
            act=f"{act.name} ({act.celex})" if act.name else act.celex,
            at=act.at,
            since=act.since,
            until=act.until,
        )
        for act in acts
    )


def describe_time(time: TimeFilter, language: str = FALLBACK_LANGUAGE) -> str:
    """Return the notes on the time whose law was searched; empty for a search without a time."""
    notes = texts(language).time
    start, end = time.published_from, time.published_before
    published: TimeNote | None = ("between" if end else "from") if start else "before" if end else None
    named: tuple[TimeNote | None, ...] = ("at" if time.at else None, published)
    return " ".join(notes[name].format(at=time.at, start=start, end=end) for name in named if name)
