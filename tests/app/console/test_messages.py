"""What people did wrong is said in German where they chose German, whatever they sent."""

import re

import pytest
from werkzeug.test import TestResponse

from app.console.messages import translated
from app.errors import InputError
from app.law import annotations
from app.law.cuts import cuts_of
from tests.app.console.conftest import Console
from tests.app.web.browser import soup

ENGLISH = re.compile(
    r"\b(the|gives?|use|is|it|has|should|must|input|string|write|there|that|your|answers|cannot|of|to|no|and|again)\b",
    re.IGNORECASE,
)


def said(answer: TestResponse, status: int = 400) -> str:
    """What the page says was wrong."""
    assert answer.status_code == status, answer.text[:300]
    found = soup(answer).select_one("main [role=alert], main p.intro")
    assert found is not None
    return found.get_text(" ", strip=True)


@pytest.mark.parametrize(
    "path",
    [
        "/sites/town?accent=rot",
        "/pages?after=x",
    ],
)
def test_what_is_wrong_with_an_address_is_said_in_german(german: Console, path: str) -> None:
    message = said(german.get(path))
    assert not ENGLISH.search(message), message


def test_what_is_too_large_is_said_in_german(german: Console) -> None:
    message = said(german.post("/users", name="x" * 100_000), 413)
    assert "zu viel auf einmal" in message


@pytest.mark.parametrize(
    ("cuts", "references"),
    [
        (tuple(range(1, 300)), None),
        ((5, 3), None),
        ((4, 5), None),
        ((9_999,), None),
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
    message = translated(str(error.value), "de")
    assert message != str(error.value) and not ENGLISH.search(message), message


@pytest.mark.parametrize("written", ["Otto badet.", "Otto"])
def test_a_changed_text_is_said_in_german(written: str) -> None:
    with pytest.raises(InputError) as error:
        cuts_of("Otto paddelt.", written)
    message = translated(str(error.value), "de")
    assert message != str(error.value) and not ENGLISH.search(message), message


def test_what_only_long_texts_meet_is_german_too() -> None:
    message = "cuts: the chunk from 0 to 9000 is longer than 6000 characters: cut it"
    assert not ENGLISH.search(translated(message, "de"))
