"""Formulas of the energy per answer, against examples that were computed by hand."""

import pytest

from app.features.energy.formulas import memory_watts, model_watt_hours


def test_each_gb_of_memory_in_use_takes_0_375_watts() -> None:
    assert memory_watts(16_000_000_000) == pytest.approx(6)


def test_tokens_of_prompt_and_output_have_their_own_energy() -> None:
    """3,000 tokens at 0.1 Wh for 1,000 are 0.3 Wh, 200 at 2 Wh are 0.4 Wh."""
    assert model_watt_hours(3_000, 200, prompt_wh=0.1, output_wh=2) == pytest.approx(0.7)
