"""Real acts with classes lose no word, and have the units that they print."""

from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from benchmarks.law_parse import NAME, measure, printed_units
from ingest.law.model import Act
from ingest.law.parse import layout_of, parse, tree
from tests.shared import LAW, needs

COUNTED = {
    "12012E062_2012-10-26_fr": (0, 1, 0),
    "31977L0388_2004-05-01_fr": (19, 60, 11),
    "31977L0799_2007-01-01_fr": (10, 15, 0),
    "31994L0004_2007-01-01_en": (0, 4, 0),
    "31996L0071_1996-12-16_fr": (25, 9, 1),
    "31998L0027_2005-06-12_fr": (16, 10, 1),
    "31998L0070_2011-06-22_en": (26, 22, 4),
    "31998R0994_1998-05-07_en": (12, 9, 0),
    "32009L0081_2010-01-01_fr": (79, 75, 8),
    "32010R0920_2013-05-04_fr": (25, 36, 13),
    "32010R1031_2013-11-15_en": (61, 66, 3),
    "32012L0027_2019-06-12_fr": (0, 36, 16),
    "32012L0027_2023-05-04_fr": (0, 36, 15),
    "32016R1052_2016-06-30_fr": (0, 9, 0),
}
"""Recitals, articles and annexes by their printed captions, where the markup has no identifiers."""

pytestmark = [pytest.mark.slow, needs(LAW)]


def text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def acts() -> dict[Path, Act]:
    """All acts with classes, by their files."""
    return {file: read(file) for file in sorted(LAW.glob("*html")) if layout_of(tree(text(file))) != "legacy"}


def read(file: Path) -> Act:
    name = NAME.fullmatch(file.name)
    assert name is not None
    return parse(
        text(file),
        celex=name["celex"],
        language=name["language"],
        version=date.fromisoformat(name["version"]),
    )


def test_every_word_of_a_real_act_is_in_one_unit(acts: dict[Path, Act], subtests: pytest.Subtests) -> None:
    for file, act in acts.items():
        with subtests.test(file.stem):
            measured = measure(text(file), act)
            assert measured.kept >= 0.995
            assert measured.doubled == 0
            assert len({unit.id for unit in act.units}) == len(act.units)


def test_a_real_act_has_the_units_that_it_prints(acts: dict[Path, Act], subtests: pytest.Subtests) -> None:
    assert {file.stem for file in acts} >= COUNTED.keys()
    for file, act in acts.items():
        with subtests.test(file.stem):
            kinds = Counter(unit.kind for unit in act.units if not unit.part)
            found = (kinds["recital"], kinds["article"], kinds["annex"])
            assert found == COUNTED.get(file.stem, printed(file) or found)


def printed(file: Path) -> tuple[int, int, int] | None:
    """The recitals, articles and annexes that the markup has identifiers for; ``None`` where it has none."""
    named = printed_units(tree(text(file)))
    counts = (named.get("recital", 0), named.get("article", 0), named.get("annex", 0))
    return counts if any(counts) else None


def test_the_annexes_whose_identifiers_repeat_have_their_printed_numbers() -> None:
    act = read(LAW / "32023L1791_2023-09-13_en.xhtml")
    annexes = [unit for unit in act.units if unit.kind == "annex"]
    assert [unit.number for unit in annexes][-3:] == ["XV", "XVI", "XVII"]
    assert len({unit.anchor for unit in annexes}) == len(annexes)


def test_what_a_real_consolidated_text_prints_about_itself_is_known() -> None:
    act = parse(text(LAW / "32024R1689_2026-07-27_en.html"))
    assert (act.celex, act.language, act.version) == ("32024R1689", "en", date(2026, 7, 27))
    assert act.amended_by == (("M1", "32026R1744"),)
    assert act.short_title == "Artificial Intelligence Act"
    changed = next(unit for unit in act.units if unit.id == "art_2")
    assert changed.amended_by == ("M1",)
