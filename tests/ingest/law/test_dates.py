"""Dates as acts print them, in all languages."""

from datetime import date

import pytest

from ingest.law.dates import first_date


@pytest.mark.parametrize(
    "printed",
    [
        "13 June 2024", "13. Juni 2024", "13 juin 2024", "13.6.2024", "13. 6. 2024", "13 giugno 2024",
        "13 de junio de 2024", "13 de junho de 2024", "13 juni 2024", "13. juni 2024",
        "13 päivänä kesäkuuta 2024",
        "13 czerwca 2024", "13. června 2024", "13. júna 2024", "13. junija 2024", "13. lipnja 2024.",
        "13 iunie 2024", "13 юни 2024", "13 Ιουνίου 2024", "13. juuni 2024", "13 ta’ Ġunju 2024",
        "2024. június 13-i", "2024 m. birželio 13 d.", "2024. gada 13. jūnijs",
    ],
)  # fmt: skip
def test_a_day_is_read_in_every_language(printed: str) -> None:
    assert first_date(f"no 12 hives 2020 of {printed} on bees") == date(2024, 6, 13)


@pytest.mark.parametrize(
    "printed", ["32 June 2024", "13 bees 2024", "13 listopada 2024", "2024", "0.0.0000", ""]
)
def test_what_is_no_day_or_could_be_two_is_none(printed: str) -> None:
    assert first_date(printed) is None
