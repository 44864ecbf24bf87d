"""What two presets do not have in common."""

from itertools import product

import pytest

from app.presets.collection import Presets
from app.presets.differences import differences

PRESETS = Presets()


@pytest.mark.parametrize("name", PRESETS.names())
def test_a_preset_does_not_differ_from_itself(name: str) -> None:
    assert differences(PRESETS.load(name), PRESETS.load(name)) == []


@pytest.mark.parametrize(("name", "other"), list(product(PRESETS.names(), repeat=2)))
def test_what_differs_is_told_once_value_by_value_and_the_same_from_both_sides(name: str, other: str) -> None:
    found = differences(PRESETS.load(name), PRESETS.load(other))
    back = differences(PRESETS.load(other), PRESETS.load(name))
    assert {each.key: (each.value, each.other) for each in found} == {
        each.key: (each.other, each.value) for each in back
    }
    assert len({each.key for each in found}) == len(found)
    assert all(each.value != each.other for each in found)
    assert not any(isinstance(value, dict) for each in found for value in (each.value, each.other))


def test_thresholds_that_only_one_preset_has_are_told_too() -> None:
    keys = {each.key for each in differences(PRESETS.load("default"), PRESETS.load("egocms"))}
    assert {"embedders.all-minilm-l6-v2.content", "question.k.name", "question.links.hits"} <= keys
