"""What is wrong with an annotation is said in German where people chose German."""

import pytest

from app.console.messages import translated
from app.errors import InputError
from app.features.annotations import annotations
from app.features.annotations.cuts import cuts_of
from tests.app.console.test_messages import ENGLISH


@pytest.mark.parametrize(
    ("cuts", "references"),
    [
        (tuple(range(1, 300)), None),
        ((5, 3), None),
        ((4, 5), None),
        ((9_999,), None),
        ((1,), None),
        (None, ("art 3",)),
        (None, ("32024R1689/art_3",) * 2),
        (None, tuple(f"32024R1689/art_{number}" for number in range(51))),
    ],
)
def test_what_is_wrong_with_an_annotation_is_said_in_german(
    cuts: tuple[int, ...] | None, references: tuple[str, ...] | None
) -> None:
    with pytest.raises(InputError) as error:
        annotations.check("Otto " + " " * 10 + "x" * 20_000, cuts, references)
    message = translated(error.value, "de")
    assert message != str(error.value) and not ENGLISH.search(message), message


@pytest.mark.parametrize("written", ["Otto badet.", "Otto"])
def test_a_changed_text_is_said_in_german(written: str) -> None:
    with pytest.raises(InputError) as error:
        cuts_of("Otto paddelt.", written)
    message = translated(error.value, "de")
    assert message != str(error.value) and not ENGLISH.search(message), message
