"""Raised digits keep their meaning: cents and minutes, powers, marks of footnotes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.html.line import to_line
from ingest.html.markdown import to_markdown
from tests.growth import grows_with_size


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("4<sup>50</sup> €", "4,50 €"),
        ("4,<sup>50</sup> €", "4,50 €"),
        ("€ 4<sup>50</sup>", "€ 4,50"),
        ("£4<sup>50</sup>", "£4.50"),
        ("<b>1.234</b><sup>50</sup> Euro", "**1.234**,50 Euro"),
        ("4<sup>50</sup>–8<sup>00</sup> €", "4,50–8,00 €"),
        ('4<span style="vertical-align: super">50</span> €', "4,50 €"),
        ("8<sup>30</sup>–12<sup>00</sup> Uhr", "8:30–12:00 Uhr"),
        ("8<sup>30</sup> bis 12 Uhr", "8:30 bis 12 Uhr"),
        ("8<sup>30</sup>–12<sup>00</sup>, 14<sup>00</sup> Uhr", "8 ³⁰–12 ⁰⁰, 14:00 Uhr"),
    ],
)
def test_raised_cents_and_minutes_are_written_behind_a_separator(html: str, text: str) -> None:
    assert to_markdown(f"<p>{html}</p>") == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("€ 18<sup>1</sup>", "€ 18 ¹"),
        ("18 €<sup>1</sup>", "18 € ¹"),
        ("18<sup>1)</sup> €", "18 ¹) €"),
        ('18<sup><a href="#n">12</a></sup> €', "18 ¹² €"),
        ("18<sup>1,2</sup>", "18 ¹,²"),
        ("18<sup>1</sup><sup>2</sup>", "18 ¹ ²"),
        ("Tageskarte<sup>1</sup>", "Tageskarte ¹"),
        ("Im Jahr 2026.<sup>12</sup>", "Im Jahr 2026.¹²"),
        ("Telefon 069 111-5<sup>20</sup>", "Telefon 069 111-5 ²⁰"),
        ("8–12<sup>2</sup> Uhr", "8–12 ² Uhr"),
    ],
)
def test_the_mark_of_a_footnote_changes_no_number(html: str, text: str) -> None:
    assert to_markdown(f"<p>{html}</p>") == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("20 m<sup>2</sup>", "20 m²"),
        ("5 km<sup>2</sup>", "5 km²"),
        ("CO<sub>2</sub>", "CO2"),
        ("Ca<sup>2+</sup>", "Ca²⁺"),
        ("3 × 10<sup>6</sup>", "3 × 10⁶"),
        ("s<sup>-1</sup>", "s⁻¹"),
        ("the 1<sup>st</sup> day", "the 1st day"),
        ("Weg 12<sup>a</sup>", "Weg 12a"),
        ("2<sup>1</sup>/<sub>2</sub> Stunden", "2 1/2 Stunden"),
        ("log 2<sub>10</sub>", "log 2₁₀"),
    ],
)
def test_units_ordinals_and_formulas_stay_as_they_are_written(html: str, text: str) -> None:
    assert to_markdown(f"<p>{html}</p>") == to_line(html) == text


@given(st.from_regex("[0-9]{1,4}", fullmatch=True), st.from_regex("[0-9]{1,3}", fullmatch=True))
def test_a_number_with_raised_digits_is_never_another_number(number: str, raised: str) -> None:
    for form in ("{}<sup>{}</sup>", "{}<sup>{}</sup> €", "€ {}<sup>{}</sup>", "{}<sup>{}</sup> Uhr"):
        assert f"{number}{raised}" not in to_markdown(f"<p>{form.format(number, raised)}</p>")


def test_cells_do_not_explain_each_other() -> None:
    table = "<table><tr><td>4<sup>50</sup></td><td>€</td></tr><tr><td>a</td><td>b</td></tr></table>"
    assert to_markdown(table).splitlines()[0] == "| 4 ⁵⁰ | € |"


def test_the_work_grows_with_the_page() -> None:
    assert grows_with_size(lambda size: to_markdown("<p>" + "8<sup>30</sup>–" * size), 500)
