"""Converts Roman numbers, as in names of annexes and points."""

from itertools import pairwise
from typing import Final

_LETTERS: Final = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_PARTS: Final = (
    (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


def roman(number: int) -> str:
    """Return the number in Roman capitals."""
    text = ""
    for value, letters in _PARTS:
        count, number = divmod(number, value)
        text += letters * count
    return text


def roman_value(text: str) -> int:
    """Return the value of a correctly written number in Roman capitals; 0 for other text."""
    if not text or any(letter not in _LETTERS for letter in text):
        return 0
    values = [_LETTERS[letter] for letter in text]
    total = sum(-one if one < other else one for one, other in pairwise([*values, 0]))
    return total if roman(total) == text else 0
