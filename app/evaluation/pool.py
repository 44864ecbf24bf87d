"""Question pools: JSON Lines, one question a line.

``question`` is required; ``gold`` lists what answers it (empty: unanswerable): ids of pages, or units of law
as ``{"celex", "unit"}``, in any version and language. ``id``, ``language``, ``kind`` and ``history`` (earlier
turns as ``role`` and ``content``) are optional.
"""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError

from app.chat.types import Turn
from app.errors import PoolError

_UNIT_PAGE: Final = re.compile(r"(?P<celex>[^@/]+)@[^/]*/(?P<unit>[^./]+)(?:\.[^/]*)?")
"""The id of a page of law: ``CELEX@DATE/unit``, or ``CELEX@DATE/unit.part``."""


class GoldUnit(BaseModel):
    """An article, recital or annex of an act: ``celex`` names the act, ``unit`` is such as ``art_9a``."""

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
    """True if ``page`` is the id of the gold page, or of a page of the gold unit."""
    if isinstance(gold, str):
        return gold == page
    named = _UNIT_PAGE.fullmatch(page)
    return named is not None and (named["celex"], named["unit"]) == (gold.celex, gold.unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingGold:
    """Gold of a pool that is not indexed. ``gold``: each once, of ``total``. ``questions``: how many
    answerable questions have no other."""

    gold: tuple[Gold, ...]
    total: int
    questions: int


class PoolQuestion(BaseModel):
    """One line of a pool."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    question: str = Field(min_length=1)
    id: str = ""
    language: str | None = None
    kind: str = ""
    gold: tuple[Gold, ...] = ()
    history: tuple[Turn, ...] = ()

    @property
    def answerable(self) -> bool:
        """True if some page answers it."""
        return bool(self.gold)


def missing_gold(questions: Sequence[PoolQuestion], indexed: Collection[str]) -> MissingGold:
    """The gold of the questions that is not among the ids of the ``indexed`` pages."""
    units = {(named["celex"], named["unit"]) for page in indexed if (named := _UNIT_PAGE.fullmatch(page))}

    def is_missing(gold: Gold) -> bool:
        return gold not in indexed if isinstance(gold, str) else (gold.celex, gold.unit) not in units

    every = dict.fromkeys(gold for question in questions for gold in question.gold)
    return MissingGold(
        gold=tuple(filter(is_missing, every)),
        total=len(every),
        questions=sum(question.answerable and all(map(is_missing, question.gold)) for question in questions),
    )


def load_pool(path: Path) -> list[PoolQuestion]:
    """Read a pool. Raises ``PoolError`` that names the file and the line."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise PoolError(f"question pool {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PoolError(f"question pool {path} is not UTF-8 at byte {error.start:,}") from error
    questions = [_parse(path, number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if not questions:
        raise PoolError(f"question pool {path} holds no question: write one JSON object a line")
    return questions


def _parse(path: Path, number: int, line: str) -> PoolQuestion:
    try:
        return PoolQuestion.model_validate(json.loads(line))
    except (json.JSONDecodeError, RecursionError) as error:
        raise PoolError(f"{path} line {number} is not JSON: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        raise PoolError(f"{path} line {number}: {where}: {first['msg'].lower()}") from error
