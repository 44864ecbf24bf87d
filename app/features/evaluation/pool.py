"""Question pools: JSON Lines, one question a line.

``question`` is required; ``gold`` lists what answers it (empty: unanswerable): ids of pages, or units of law
as ``{"celex", "unit"}``, in any version and language. ``id``, ``language``, ``kind`` and ``history`` (earlier
turns as ``role`` and ``content``, or earlier questions, which are asked first) are optional. ``draft``: true
in a line that a model wrote and nobody has accepted yet; pools with such lines are refused. The fields that
locate the answer (:class:`app.features.evaluation.spans.GoldAnswer`) are optional too; they may also come in
a separate file, with the question's ``id`` on each line.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError, model_validator

from app.chat.types import Turn
from app.errors import PoolError
from app.features.evaluation.spans import GoldAnswer, LawSpan, looked_up
from app.features.evaluation.validation import first_error
from ingest.types import PageRef

_UNIT_PAGE: Final = re.compile(r"(?P<celex>[^@/]+)@[^/]*/(?P<unit>[^./]+)(?:\.[^/]*)?")
"""The id of a page of law: ``CELEX@DATE/unit``, or ``CELEX@DATE/unit.part``."""


Line = TypeVar("Line", bound=BaseModel)

SPAN_FORMS: Final = (
    '{"page", "text"} or, of law, {"celex", "unit", "version", "language", "start", "end"}, each with '
    '"partial": true if it is not the whole answer'
)


ACCEPT: Final = 'check each, correct it, and write "draft": false in its line, or delete it'


class GoldUnit(BaseModel):
    """An article, recital or annex of an act. ``celex`` names the act, ``unit`` the part, as ``art_9a``."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    celex: str = Field(min_length=1)
    unit: str = Field(min_length=1)

    def __str__(self) -> str:
        return f"{self.celex}/{self.unit}"


Gold = Annotated[
    Annotated[str, Tag("id")] | Annotated[GoldUnit, Tag("unit")],
    Discriminator(lambda gold: "unit" if isinstance(gold, dict | GoldUnit) else "id"),
]
"""A page's id, or a unit of law."""


def is_page_of(gold: Gold, page: str) -> bool:
    """Return True if ``page`` is the id of the gold page, or of a page of the gold unit."""
    if isinstance(gold, str):
        return gold == page
    named = _UNIT_PAGE.fullmatch(page)
    return named is not None and (named["celex"], named["unit"]) == (gold.celex, gold.unit)


def gold_of(page: str) -> str | dict[str, str]:
    """Return the name of a page as gold of a pool: its id, or its unit of law, in any version."""
    named = _UNIT_PAGE.fullmatch(page)
    return {"celex": named["celex"], "unit": named["unit"]} if named else page


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingGold:
    """Gold of a pool that is not indexed. ``gold``: each once, out of ``total``. ``questions``: the number of
    answerable questions without any other gold."""

    gold: tuple[Gold, ...]
    total: int
    questions: int


class PoolQuestion(GoldAnswer):
    """One line of a pool. ``earlier``: the questions of a ``history`` without answers, oldest first.
    ``answer``: the reference answer. ``word``: of an unanswerable question, the word that it is about and
    that no page has."""

    question: str = Field(min_length=1)
    id: str = ""
    language: Annotated[str, Field(pattern=r"^([a-z]{2}|und)?$")] | None = None
    kind: str = ""
    gold: tuple[Gold, ...] = ()
    history: tuple[Turn, ...] = ()
    earlier: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    answer: str = ""
    word: str | None = None
    draft: bool = False

    @model_validator(mode="before")
    @classmethod
    def _tells_questions_from_turns(cls, line: Any) -> Any:
        history = line.get("history") if isinstance(line, dict) else None
        if not isinstance(history, list) or not all(isinstance(each, str) for each in history):
            return line
        return {**line, "history": [], "earlier": history}

    @property
    def is_follow_up(self) -> bool:
        """True if it continues a conversation."""
        return bool(self.history or self.earlier)

    @property
    def answerable(self) -> bool:
        """True if some page answers it."""
        return bool(self.gold)


def missing_gold(questions: Sequence[PoolQuestion], indexed: Collection[str]) -> MissingGold:
    """Return the gold of the questions that is not among the ids of the ``indexed`` pages."""
    units = {(named["celex"], named["unit"]) for page in indexed if (named := _UNIT_PAGE.fullmatch(page))}

    def is_missing(gold: Gold) -> bool:
        return gold not in indexed if isinstance(gold, str) else (gold.celex, gold.unit) not in units

    every = dict.fromkeys(gold for question in questions for gold in question.gold)
    return MissingGold(
        gold=tuple(filter(is_missing, every)),
        total=len(every),
        questions=sum(question.answerable and all(map(is_missing, question.gold)) for question in questions),
    )


def gold_sources(served: Iterable[PageRef]) -> dict[Gold, set[str]]:
    """Map everything that may be gold, page ids and units of law, to the sources of the served pages."""
    sources = defaultdict[Gold, set[str]](set)
    for ref in served:
        sources[ref.id].add(ref.source)
        if named := _UNIT_PAGE.fullmatch(ref.id):
            sources[GoldUnit(celex=named["celex"], unit=named["unit"])].add(ref.source)
    return dict(sources)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingSpans:
    """Spans of law that cannot be looked up. ``spans``: each once, out of ``total``. ``questions``: the
    number of questions left without a text to look for."""

    spans: tuple[LawSpan, ...]
    total: int
    questions: int


def with_texts(
    questions: Sequence[PoolQuestion], texts: Mapping[LawSpan, str]
) -> tuple[list[PoolQuestion], MissingSpans]:
    """Return the questions with the ``texts`` of their spans of law, and the spans that have none."""
    every = dict.fromkeys(span for question in questions for span in question.law_spans)
    filled = [
        question.model_copy(update={"spans": looked_up(question.spans, texts)}) for question in questions
    ]
    pairs = zip(questions, filled, strict=True)
    missing = MissingSpans(
        spans=tuple(span for span in every if not texts.get(span)),
        total=len(every),
        questions=sum(bool(asked.law_spans) and not found.has_text for asked, found in pairs),
    )
    return filled, missing


def parsed_pool(name: str, text: str) -> list[PoolQuestion]:
    """Parse the ``text`` of a pool. Raises ``PoolError``, which gives the file's ``name`` and the line."""
    lines = numbered_lines(text)
    numbered = [(number, parsed_line(name, number, line, PoolQuestion)) for number, line in lines]
    if drafts := [number for number, question in numbered if question.draft]:
        raise PoolError(
            "{name} line {number} is a draft that nobody has accepted, and so are {count} others: "
            'check each, correct it, and write "draft": false in its line, or delete it',
            name=name,
            number=drafts[0],
            count=len(drafts) - 1,
        )
    if not numbered:
        raise PoolError(
            "question pool {name} contains no questions: write one JSON object per line", name=name
        )
    return [question for _, question in numbered]


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Return the lines of a file that are not empty, with their numbers."""
    return ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def parsed_line(name: str, number: int, line: str, model: type[Line]) -> Line:
    """Parse a line of the file ``name`` as a ``model``. Raises ``PoolError``."""
    try:
        return model.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            why = first["ctx"]["error"].replace(" at line 1 ", " at ")
            raise PoolError(
                "{name} line {number} is not JSON: {why}", name=name, number=number, why=why
            ) from error
        if not first["loc"]:
            raise PoolError(
                "{name} line {number} is not a JSON object: write one for each question",
                name=name,
                number=number,
            ) from error
        form = f" (write {SPAN_FORMS})" if "spans" in first["loc"] else ""
        raise PoolError(
            "{name} line {number}: {why}", name=name, number=number, why=f"{first_error(error)}{form}"
        ) from error
