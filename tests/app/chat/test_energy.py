"""The energy of an answer, against examples that were computed by hand."""

import pytest

from app.chat.documents import EnergyDocument
from app.chat.energy import Energy, hair_dryer_seconds, phone_percent


def test_a_hair_dryer_of_2200_watts_uses_1_1_wh_in_1_8_seconds() -> None:
    assert hair_dryer_seconds(1.1) == pytest.approx(1.8)


def test_a_phone_of_5000_mah_at_5_volts_is_charged_by_3_2_percent_with_1_wh() -> None:
    """1 Wh at 5 V is 200 mAh; 200 of 5,000 is 4 %, of which 80 % arrive."""
    assert phone_percent(1) == pytest.approx(3.2)


def test_the_data_centres_overhead_is_added_to_this_machine_and_not_to_the_models_declared_value() -> None:
    """1.16 x (0.4 + 0.1) + 0.7 = 1.28."""
    energy = Energy(parts={"cpu": 0.4, "ram": 0.1, "model": 0.7}, pue=1.16)
    assert energy.watt_hours == pytest.approx(1.28)


@pytest.mark.parametrize(
    ("parts", "basis"),
    [
        ({"cpu": 1, "ram": 1}, "measured"),
        ({"cpu": 1, "ram": 1, "gpu": 1}, "measured"),
        ({"cpu": 1, "ram": 1, "model": 1}, "estimated"),
        ({"machine": 1}, "estimated"),
    ],
)
def test_what_is_declared_makes_an_estimate(parts: dict[str, float], basis: str) -> None:
    assert Energy(parts=parts).basis == basis  # type: ignore[arg-type]


def test_the_document_has_every_part_and_three_digits() -> None:
    """0.123456 + 0.01 = 0.133456 Wh: x 3,600 / 2,200 = 0.21838 s; 26.6912 mAh of 5,000 x 0.8 = 0.42706 %."""
    assert EnergyDocument.of(Energy(parts={"cpu": 0.123456, "ram": 0.01})).to_json() == {
        "wh": 0.133,
        "basis": "measured",
        "pue": 1.0,
        "parts": {"cpu": 0.123, "ram": 0.01},
        "hair_dryer_seconds": 0.218,
        "phone_percent": 0.427,
    }
