"""Contents of curation entries, validated. Pure functions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from app.errors import FieldError, InputError
from app.pages.column_types import check_storable
from app.search import analysis
from app.search.languages import question_language

Kind = Literal["pin", "answer", "synonyms", "blocked", "example"]
"""Effect of an entry: puts a page first, answers with a text written by editors, treats words as equal,
declines a subject, or offers a question in the chat."""

KINDS: Final = get_args(Kind)

PHRASINGS: Final = 50
PHRASING_CHARACTERS: Final = 500
TEXT_CHARACTERS: Final = 5_000
WORDS: Final = 10
WORD_CHARACTERS: Final = 100
EXAMPLE_CHARACTERS: Final = 200


def _stripped(text: str) -> str:
    return check_storable(text).strip()


Text = Annotated[str, AfterValidator(_stripped)]
Phrasing = Annotated[Text, Field(max_length=PHRASING_CHARACTERS)]
Word = Annotated[Text, Field(max_length=WORD_CHARACTERS)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PinnedPage(_Strict):
    """The page that a pin puts first. ``language``: its version in this language; empty for the
    question's."""

    source: Annotated[Text, Field(min_length=1, max_length=64)]
    id: Annotated[Text, Field(min_length=1, max_length=2_000)]
    language: str = Field(default="", pattern=r"^([a-z]{2,3})?$")


class Content(_Strict):
    """The content of an entry; its kind decides which fields it has (``FIELDS``).

    ``phrasings``: questions; all questions with the same meaning count as these. ``page``: of a pin.
    ``text``: of a fixed answer or a blocked subject, as Markdown; of an example, the question. ``words``:
    synonyms. ``contact``: where a declined question is directed. ``replaces``: True if the examples in the
    settings are not shown beside this one. ``language``: of the questions that the entry applies to (ISO
    639-1); empty for all. ``until``: the last day on which it is in effect. ``paused``: True while it has no
    effect. ``owner``: the person responsible for it.
    """

    phrasings: list[Phrasing] = Field(default=[], max_length=PHRASINGS)
    page: PinnedPage | None = None
    text: Annotated[Text, Field(max_length=TEXT_CHARACTERS)] = ""
    words: list[Word] = Field(default=[], max_length=WORDS)
    contact: Annotated[Text, Field(max_length=500)] = ""
    replaces: bool = False
    language: str = Field(default="", pattern=r"^([a-z]{2})?$")
    until: date | None = None
    paused: bool = False
    owner: Annotated[Text, Field(max_length=100)] = ""

    def document(self) -> dict[str, Any]:
        """Return the fields that are set, for JSON."""
        return self.model_dump(mode="json", exclude_defaults=True)


FIELDS: Final[Mapping[Kind, frozenset[str]]] = {
    "pin": frozenset({"phrasings", "page"}),
    "answer": frozenset({"phrasings", "text"}),
    "synonyms": frozenset({"words"}),
    "blocked": frozenset({"phrasings", "text", "contact"}),
    "example": frozenset({"text", "replaces"}),
}
"""The fields of the entries of each kind, besides those that every entry may have."""

_NO_WORD: Final = {
    "phrasings": "phrasings: number {number} contains no word: write one, or leave it out",
    "words": "words: number {number} contains no word: write one, or leave it out",
}
"""By field. Each message contains its field's name so that translations can name the field too."""

_COMMON: Final = frozenset({"language", "until", "paused", "owner"})
_OPTIONAL: Final = frozenset({"contact", "replaces"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A stored entry. ``version``: starts at 1 and grows with each change."""

    number: int
    site: str
    kind: Kind
    version: int
    content: Content
    changed_by: str
    changed_at: datetime

    def is_valid(self, day: date) -> bool:
        """Return True if the entry is in effect on that day."""
        return not self.content.paused and not self.is_past(day)

    def is_past(self, day: date) -> bool:
        """Return True if the entry's last day was before that day."""
        return self.content.until is not None and self.content.until < day

    def is_for(self, language: str | None) -> bool:
        """Return True if the entry applies to questions in this language; ``None`` if the language is
        unknown."""
        return not self.content.language or language in (None, self.content.language)


def read_content(document: Mapping[str, Any]) -> Content:
    """Return the content in a JSON document. Raises ``InputError`` that names the field."""
    try:
        return Content.model_validate(document)
    except ValidationError as error:
        raise FieldError(error.errors()[0]) from None


def check(kind: Kind, content: Content, today: date) -> None:
    """Raise ``InputError`` if an entry of this kind may not have this content.

    A field is missing or not allowed, a text is empty or repeated, or its last day has passed.
    """
    given = set(content.document())
    for name in sorted(given - FIELDS[kind] - _COMMON):
        raise InputError("an entry of kind {kind!r} has no {name!r}: leave it out", kind=kind, name=name)
    for name in sorted(FIELDS[kind] - _OPTIONAL - given):
        raise InputError("an entry of kind {kind!r} needs {name!r}", kind=kind, name=name)
    _check_texts("phrasings", content.phrasings)
    _check_texts("words", content.words)
    if kind == "synonyms":
        _check_synonyms(content)
    if kind == "example" and len(content.text) > EXAMPLE_CHARACTERS:
        raise InputError(
            "text: an example question can have at most {count} characters", count=EXAMPLE_CHARACTERS
        )
    if content.until is not None and content.until < today:
        raise InputError(
            "until: {day} is in the past: use today or a later day, or leave it out", day=content.until
        )


def normalised(text: str) -> str:
    """Return a text's words, folded: two texts with the same result count as the same."""
    return " ".join(analysis.folded(text))


def _check_texts(name: str, texts: list[str]) -> None:
    known: set[str] = set()
    for number, text in enumerate(texts, start=1):
        folded = normalised(text)
        if not folded:
            raise InputError(_NO_WORD[name], number=number)
        if folded in known:
            raise InputError("{name}: {text!r} appears twice", name=name, text=text)
        known.add(folded)


def _check_synonyms(content: Content) -> None:
    if len(content.words) < 2:
        raise InputError("words: enter at least two that mean the same")
    for word in content.words:
        functional = analysis.stop_words(content.language or question_language(word) or "de")
        if not word.isupper() and set(analysis.folded(word)) <= functional:
            raise InputError(
                "words: {word!r} has no meaning by itself: it would change most questions", word=word
            )
