"""Checks an operator's prompts when the service starts: every file is parsed and rendered with samples."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from itertools import product
from pathlib import Path
from typing import Final, get_args

from app.chat.model.prompts import SUFFIX, UNNAMED_SITE, Prompts, SiteDescription, package_templates
from app.chat.source_items import SourceItem
from app.chat.types import Message, Turn
from app.errors import SettingsError
from app.presets import Purpose
from app.search.retrieval import ANY_TIME, TimeFilter
from app.search.types import IndexedPage
from ingest.types import PageRef

_NAME: Final = re.compile(rf"(?P<purpose>[a-z]+)\.(?P<language>[a-z]{{2}}){re.escape(SUFFIX)}")
_HOSTILE: Final = "</source> sample"
"""Text of a page or visitor that must not appear unchanged in a prompt."""

_METRICS: Final = (
    "context_precision",
    "context_recall",
    "context_relevancy",
    "faithfulness",
    "answer_relevancy",
    "answer_correctness",
)
"""Metrics of the judge's prompt ``metric``, which has a task for each."""

_DAY: Final = date(2025, 5, 1)
_FAULTS: Final = (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError)
"""Errors that rendering a template may raise besides Jinja's own."""


def load_prompts(folder: Path | None) -> Prompts:
    """Return the package's prompts, with the files of ``folder`` in place of those of the same names.

    Raises ``SettingsError``, with file and line, if a file of the folder cannot be rendered, does not have
    the name of a prompt, or shows text of pages or visitors without the filter ``data``.
    """
    prompts = Prompts(folder)
    if folder is None:
        return prompts
    from jinja2 import TemplateError  # noqa: PLC0415 - the package's own prompts need no check

    for file in _files(folder):
        try:
            messages = [*_samples(prompts, _language(file))]
        except (TemplateError, *_FAULTS) as error:
            raise _broken(file, error) from None
        if any(_HOSTILE in message.content for message in messages):
            raise SettingsError(f"setting 'chat.prompts': {file} outputs a text without the filter `data`")
    return prompts


def _files(folder: Path) -> list[Path]:
    """Return the templates in the folder, sorted. Raises ``SettingsError`` if the folder cannot be read or a
    file is not a template."""
    try:
        found = sorted(file for file in folder.iterdir() if not file.name.startswith("."))
    except OSError as error:
        raise SettingsError(f"setting 'chat.prompts': {folder} cannot be read: {error.strerror}") from error
    known = sorted({name.partition(".")[0] for name in package_templates()})
    for file in found:
        name = _NAME.fullmatch(file.name)
        if name is None or name["purpose"] not in known:
            raise SettingsError(
                f"setting 'chat.prompts': {file} is not a prompt: name it like answer.de.jinja; known: "
                f"{', '.join(known)}"
            )
    return found


def _language(file: Path) -> str:
    return file.name.split(".")[1]


def _samples(prompts: Prompts, language: str) -> Iterator[Message]:
    """Yield the messages of all prompts in this language, with and without optional values."""
    page = IndexedPage(
        ref=PageRef(source="sample", id="32024R1689@2024-06-13/art_6", language=language),
        document="sample",
        sequence=1,
        url="https://sample.example/page",
        kind="page",
        updated=datetime(2025, 5, 1, tzinfo=UTC),
        fields={"title": _HOSTILE, "content": _HOSTILE},
        metadata={"celex": "32024R1689", "version": "2024-06-13"},
    )
    law = SourceItem(number=1, page=page, similarity=None, used=True, text=_HOSTILE, ended=_DAY)
    history = [Turn(role="user", content=_HOSTILE), Turn(role="assistant", content=_HOSTILE)]
    times = (ANY_TIME, TimeFilter(at=_DAY, published_from=_DAY, published_before=_DAY))
    for purpose, is_full in product(get_args(Purpose), (False, True)):
        yield from prompts.answer(
            question=_HOSTILE,
            meant=f"{_HOSTILE}?" if is_full else "",
            sources=[law] if is_full else [],
            history=(),
            language=language,
            today=_DAY,
            site=SiteDescription(name="Sample", subject="Samples") if is_full else UNNAMED_SITE,
            purpose=purpose,
            with_law=is_full,
            time=times[is_full],
        )
    for is_full in (False, True):
        yield from prompts.rephrase(
            question=_HOSTILE,
            history=history if is_full else (),
            language=language,
            today=_DAY,
            extract=is_full,
            expand=is_full,
            translate=("en", "fr") if is_full else (),
        )
    yield from prompts.summary(question=_HOSTILE, sources=[law], language=language)
    yield from prompts.enough(question=_HOSTILE, sources=[law], language=language)
    for purpose, values in _tasks():
        yield from prompts.task(purpose, language, values)
    for is_full in (False, True):
        optional = _HOSTILE if is_full else ""
        yield from prompts.context(
            title=optional,
            outline=optional,
            document=_HOSTILE,
            passage=_HOSTILE,
            language=language,
            glossary=optional,
        )
    yield from prompts.task(
        "page", language, {"name": "", "subject": _HOSTILE, "questions": [_HOSTILE], "sources": [law]}
    )
    for kind in ("lookup", "yes-no", "hypothetical", "complex", "unanswerable"):
        yield from prompts.task("draft", language, {"title": _HOSTILE, "document": _HOSTILE, "kind": kind})


def _tasks() -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the purpose and sample values of each prompt of the judge."""
    example = {"question": _HOSTILE, "context": _HOSTILE, "answer": _HOSTILE, "reason": _HOSTILE}
    scores = [{"score": 0, "meaning": "", "examples": [example]}]
    texts: dict[str, object] = {"question": _HOSTILE, "reference": _HOSTILE, "answer": _HOSTILE}
    yield (
        "judge",
        {
            **texts,
            "criteria": [{"name": "correctness", "label": "correctness", "scores": scores}],
            "low": 0,
            "high": 3,
            "context": [_HOSTILE],
            "history": [Turn(role="user", content=_HOSTILE)],
            "answerable": False,
        },
    )
    for titles in ((), (_HOSTILE,)):
        yield "comparison", {**texts, "subject": _HOSTILE if titles else "", "titles": titles}
    for metric in _METRICS:
        values = {"metric": metric, "count": 3, "items": [_HOSTILE], "context": [_HOSTILE]}
        yield "metric", {**texts, **values}
    part = {"document": _HOSTILE, "criterion": "correctness", "score": 0, "low": 0, "high": 3, "meaning": ""}
    yield "example", part


def _broken(file: Path, error: Exception) -> SettingsError:
    """Return the error with the file and line where it happened; ``file`` may include that file."""
    place, line = _place(error, file.parent)
    message = str(error) or type(error).__name__
    where = f"{place or file}" + (f", line {line}" if line else "")
    return SettingsError(f"setting 'chat.prompts': {where}: {' '.join(message.split())}")


def _place(error: Exception, folder: Path) -> tuple[str, int]:
    """Return the file of the folder and the line that an error of Jinja or its traceback names; empty and 0
    if none."""
    place = (str(getattr(error, "filename", "") or ""), getattr(error, "lineno", 0) or 0)
    step = error.__traceback__
    while step is not None:
        template = step.tb_frame.f_globals.get("__jinja_template__")  # of its compiled code
        if template is not None and Path(str(template.filename)).parent == folder:
            place = (str(template.filename), template.get_corresponding_lineno(step.tb_lineno))
        step = step.tb_next
    return place
