"""Files of question pools and of their gold spans, for commands."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import Field

from app.errors import PoolError
from app.features.evaluation.pool import Line, PoolQuestion, numbered_lines, parsed_line, parsed_pool
from app.features.evaluation.spans import GoldAnswer


def load_pool(path: Path, spans: Path | None = None) -> list[PoolQuestion]:
    """Load a pool, with the gold spans of a separate file if given.

    Raises ``PoolError``, which names the file and the line."""
    questions = parsed_pool(str(path), _text(path))
    return load_spans(spans, questions) if spans else questions


def pool_lines(path: Path) -> Iterator[tuple[int, str, PoolQuestion | PoolError]]:
    """Yield the lines of a pool with their numbers, each with its question or its error; drafts, too.

    Raises ``PoolError`` if the file cannot be read.
    """
    for number, line in numbered_lines(_text(path)):
        try:
            yield number, line, parsed_line(str(path), number, line, PoolQuestion)
        except PoolError as error:
            yield number, line, error


class _SpansLine(GoldAnswer):
    id: str = Field(min_length=1)


def load_spans(path: Path, questions: Sequence[PoolQuestion]) -> list[PoolQuestion]:
    """Return the questions with the gold spans of a separate file; questions not in it keep their own.

    Raises ``PoolError``, which names the file and the line.
    """
    spans = dict[str, tuple[int, _SpansLine]]()
    for number, line in _read(path, _SpansLine):
        if line.id in spans:
            raise PoolError(
                f"{path} line {number}: id {line.id!r} is also on line {spans[line.id][0]}: join the two"
            )
        spans[line.id] = number, line
    if not {question.id for question in questions} & set(spans):
        raise PoolError(f"{path} has no id of a question in the pool: use the file of spans for this pool")
    return [
        _with_spans(question, spans[question.id][1]) if question.id in spans else question
        for question in questions
    ]


def _with_spans(question: PoolQuestion, gold: GoldAnswer) -> PoolQuestion:
    return question.model_copy(update={name: getattr(gold, name) for name in GoldAnswer.model_fields})


def _read(path: Path, model: type[Line]) -> Iterator[tuple[int, Line]]:
    for number, line in numbered_lines(_text(path)):
        yield number, parsed_line(str(path), number, line, model)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise PoolError(f"question pool {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PoolError(f"question pool {path} is not UTF-8 at byte {error.start:,}") from error
