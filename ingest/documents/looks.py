"""Looks of a document's letters, as far as they decide whether somebody sees them."""

from dataclasses import dataclass
from typing import Final, Self

TINY_POINTS: Final = 1.5
PAPER: Final = "FFFFFF"
UNKNOWN: Final = "?"
"""A ground that is no single colour, or depends on what is not read: it hides nothing."""


@dataclass(frozen=True, slots=True)
class Look:
    """What is said of letters; ``None``: nothing. ``colour`` and ``ground``: six hexadecimal digits, or empty
    for the automatic colour, which can always be read; ``size``: in points."""

    hidden: bool | None = None
    colour: str | None = None
    size: float | None = None
    ground: str | None = None

    def over(self, below: Self) -> "Look":
        """Return this look where it says something, and ``below`` elsewhere."""
        return Look(
            hidden=below.hidden if self.hidden is None else self.hidden,
            colour=below.colour if self.colour is None else self.colour,
            size=below.size if self.size is None else self.size,
            ground=below.ground if self.ground is None else self.ground,
        )

    @property
    def is_seen(self) -> bool:
        """False for what is hidden, tiny, or in the colour of its ground."""
        is_tiny = self.size is not None and self.size < TINY_POINTS
        return not (self.hidden or is_tiny or (self.colour and self.colour == self.ground))


NO_LOOK: Final = Look()
