"""Labels by people: sheets as a table to fill in, with the rubric, and their agreement with the judge."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.features.evaluation.grades import Grade
from app.features.evaluation.rubric import CRITERIA, Scale
from app.features.evaluation.sheets import AnswerSheet
from ingest.text import shortened

RUBRIC_ROW: Final = "rubric"
COLUMNS: Final = ("sheet", "question", "context", "reference", "answer", *CRITERIA, "comment")
NEEDED: Final = ("sheet", *CRITERIA)
RECIPE: Final = "people"
CELL_CHARACTERS: Final = 30_000
"""The limit of a context: spreadsheets take 32,767 characters in a cell, and silently cut the rest."""


def label_rows(sheets: Sequence[AnswerSheet], scale: Scale, language: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a table to fill in: the meaning of each score, then each sheet.

    A sheet has the context, numbered as answers cite it, but not the name of its model."""
    meanings = {name: scale.definitions(name, language) for name in CRITERIA}
    for score in scale.scores:
        cells: dict[str, str] = {name: f"{score}: {meanings[name][score]}".rstrip(": ") for name in CRITERIA}
        yield {**dict.fromkeys(COLUMNS, ""), "sheet": RUBRIC_ROW, **cells}
    for sheet in sheets:
        yield {
            **dict.fromkeys(COLUMNS, ""),
            "sheet": sheet.fingerprint,
            "question": sheet.asked,
            "context": _context(sheet),
            "reference": sheet.reference,
            "answer": sheet.answer,
        }


def _context(sheet: AnswerSheet) -> str:
    """Return the texts that the model read, cited ones first, as many as fit into a cell."""
    cited = {source.number for source in sheet.sources if source.cited}
    numbers = [source.number for source in sheet.sources] or list(range(1, len(sheet.context) + 1))
    texts = sorted(zip(numbers, sheet.context, strict=False), key=lambda each: each[0] not in cited)
    return shortened("\n\n".join(f"[{number}] {text}" for number, text in texts), CELL_CHARACTERS)


def read_labels(path: Path, sheets: Sequence[AnswerSheet], scale: Scale, by: str) -> list[Grade]:
    """Read a table that a person has filled in. Rows without any score are left out.

    Raises ``InputError``, which names the row, for a score that is missing or not on the scale, and for
    labels of other sheets.
    """
    known = {sheet.fingerprint for sheet in sheets}
    labels = dict[str, Grade]()
    for number, row in _rows(path):
        name = (row.get("sheet") or "").strip()
        given = {each: (row.get(each) or "").strip() for each in CRITERIA}
        if name in {"", RUBRIC_ROW} or not any(given.values()):
            continue
        if name not in known:
            raise InputError(
                f"{path} row {number}: {name!r} is not one of these sheets: the labels are for others, or "
                "the answers were asked for anew since the export"
            )
        if name in labels:
            raise InputError(f"{path} row {number}: sheet {name!r} already has a label: keep one of the two")
        scores = {each: _score(path, number, each, text, scale) for each, text in given.items()}
        labels[name] = Grade(
            sheet=name,
            judge=by,
            style="criteria",
            scale=str(scale),
            recipe=RECIPE,
            scores=scores,
            reasons={"comment": row["comment"].strip()} if row.get("comment") else {},
        )
    if not labels:
        raise InputError(f"{path} has no label: fill in the columns {', '.join(CRITERIA)}")
    return list(labels.values())


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield the rows with the numbers that spreadsheets give them, whatever separates the cells."""
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: save it as CSV UTF-8") from error
    head = text.partition("\n")[0]
    separator = max(",;\t", key=head.count)
    reader = csv.DictReader(io.StringIO(text), delimiter=separator)
    try:
        if missing := [name for name in NEEDED if name not in (reader.fieldnames or ())]:
            raise InputError(
                f"{path} has no column {missing[0]!r}: fill in what `auskunft labels export` wrote"
            )
        yield from enumerate(reader, start=2)
    except csv.Error as error:
        raise InputError(f"{path} line {reader.line_num} is not CSV: {error}") from error


def _score(path: Path, number: int, criterion: str, text: str, scale: Scale) -> float:
    if text.isdecimal() and int(text) in scale.scores:
        return float(text)
    what = f"{text!r} is not a score" if text else "the score is missing"
    raise InputError(f"{path} row {number}: {criterion}: {what}: use a whole number from {scale}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Agreement of two graders on one criterion, over the ``sheets`` that both have graded. ``exact`` and
    ``within_1`` are shares; ``kappa`` is ``None`` if both gave one and the same score to all."""

    sheets: int
    exact: float | None
    within_1: float | None
    kappa: float | None


def agreement(one: Sequence[Grade], other: Sequence[Grade]) -> dict[str, Agreement]:
    """Compute the agreement of two graders on each criterion.

    Raises ``InputError`` if they share no sheet or use different scales."""
    scales = {grade.scale for grade in (*one, *other) if grade.style == "criteria"}
    if len(scales) > 1:
        raise InputError(
            f"the scores are on different scales ({', '.join(sorted(scales))}): they cannot be compared"
        )
    firsts, seconds = _scored(one), _scored(other)
    shared = sorted(firsts.keys() & seconds.keys())
    if not shared:
        raise InputError("no sheet has scores in both files: the labels are for other sheets")
    found = dict[str, Agreement]()
    for name in CRITERIA:
        pairs = [(firsts[sheet][name], seconds[sheet][name]) for sheet in shared]
        found[name] = Agreement(
            sheets=len(pairs),
            exact=_share([one == other for one, other in pairs]),
            within_1=_share([abs(one - other) <= 1 for one, other in pairs]),
            kappa=kappa(pairs),
        )
    return found


def kappa(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Compute Cohen's kappa: agreement beyond chance, 1 if two always agree; ``None`` if chance is 1.

    Source: Cohen, "A Coefficient of Agreement for Nominal Scales", 1960: (p_o - p_e) / (1 - p_e).
    """
    count = len(pairs)
    observed = sum(one == other for one, other in pairs) / count
    ones, others = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    chance = sum(ones[score] * others[score] for score in ones) / count**2
    return None if chance == 1 else round((observed - chance) / (1 - chance), 3)


def _scored(grades: Sequence[Grade]) -> dict[str, dict[str, float]]:
    """The scores of each sheet that has all three."""
    scored = dict[str, dict[str, float]]()
    for grade in grades:
        found: dict[str, float] = {
            name: score for name in CRITERIA if (score := grade.scores.get(name)) is not None
        }
        if not grade.ungraded and len(found) == len(CRITERIA):
            scored[grade.sheet] = found
    return scored


def _share(verdicts: Sequence[bool]) -> float:
    return round(sum(verdicts) / len(verdicts), 3)
