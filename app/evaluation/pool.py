"""Question pools: JSON Lines, one question a line.

``question`` is required; ``gold`` lists the ids of the pages that answer it (empty: unanswerable);
``id``, ``language``, ``kind`` and ``history`` (earlier turns as ``role`` and ``content``) are optional.
"""

import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.chat.types import Turn
from app.errors import PoolError


class PoolQuestion(BaseModel):
    """One line of a pool."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    question: str = Field(min_length=1)
    id: str = ""
    language: str | None = None
    kind: str = ""
    gold: tuple[str, ...] = ()
    history: tuple[Turn, ...] = ()

    @property
    def answerable(self) -> bool:
        """Whether any page answers it."""
        return bool(self.gold)


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
        where = ".".join(str(part) for part in first["loc"])
        raise PoolError(f"{path} line {number}: {where}: {first['msg'].lower()}") from error
