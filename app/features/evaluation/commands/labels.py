"""``auskunft labels``: grades given by people, and the judge's agreement with them."""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table

from app.api.csv import csv_lines
from app.cli.common import TEXT, console, json_option, print_json
from app.cli.values import FILE
from app.errors import InputError
from app.features.evaluation.grades import grade_file, load_grades
from app.features.evaluation.labels import COLUMNS, agreement, label_rows, read_labels
from app.features.evaluation.rubric import Scale
from app.features.evaluation.sheets import AnswerSheet, load_sheets
from app.settings.settings import load_settings


@click.group()
def labels() -> None:
    """Let people grade the answers that `auskunft sheets` wrote, and compare them with the judge."""


@labels.command()
@click.argument("sheets", type=FILE)
@click.option("--out", type=FILE, metavar="CSV", help="File for the table (default: standard output).")
def export(sheets: Path, out: Path | None) -> None:
    """Write a table for spreadsheets with the rubric and all answers, but without the models' names."""
    answers = load_sheets(sheets)
    rows = csv_lines(COLUMNS, label_rows(answers, _scale(), _language(answers)))
    content = "".join(rows).encode("utf-8-sig")  # so that spreadsheets read it as UTF-8
    if out is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        return
    try:
        with out.open("xb") as file:
            file.write(content)
    except FileExistsError:
        raise InputError(f"{out} already exists and may contain labels: choose another --out") from None
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror}") from error
    console().print(f"{len(answers):,} answers written to {out}: fill in the three columns of scores")


@labels.command("import")
@click.argument("table", type=FILE, metavar="CSV")
@click.argument("sheets", type=FILE)
@click.option("--out", type=FILE, required=True, metavar="FILE", help="File for the grades.")
@click.option("--by", type=TEXT, default="people", show_default=True, help="Who filled in the table.")
def import_(table: Path, sheets: Path, out: Path, by: str) -> None:
    """Read a completed table; rows without any score are left out."""
    grades = read_labels(table, load_sheets(sheets), _scale(), by)
    with grade_file(out).appending() as writer:
        if grade_file(out).read():
            raise InputError(f"{out} already contains grades: choose another --out")
        for grade in grades:
            writer.append(grade)
    console().print(f"{len(grades):,} labels written to {out}")


@labels.command("agreement")
@click.argument("one", type=FILE, metavar="GRADES")
@click.argument("other", type=FILE, metavar="LABELS")
@json_option
def compare(one: Path, other: Path, as_json: bool) -> None:
    """Print how far two files of grades agree on each criterion: exactly, within 1, Cohen's kappa."""
    found = agreement(load_grades(one), load_grades(other))
    if as_json:
        print_json({name: asdict(figures) for name, figures in found.items()})
        return
    table = Table("criterion", "answers", "exact", "within 1", "kappa", box=None)
    for name, figures in found.items():
        kappa = "-" if figures.kappa is None else f"{figures.kappa:.2f}"
        table.add_row(name, f"{figures.sheets:,}", f"{figures.exact:.0%}", f"{figures.within_1:.0%}", kappa)
    console().print(table)


def _scale() -> Scale:
    return Scale.of(load_settings().judge.scale)


def _language(answers: Sequence[AnswerSheet]) -> str:
    """The language that most answers are in."""
    return Counter(sheet.language or "en" for sheet in answers).most_common(1)[0][0]
