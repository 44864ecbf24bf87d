"""The look of a document's letters, as far as it determines whether people can see them."""

from dataclasses import dataclass
from typing import Final, Self

TINY_POINTS: Final = 1.5
PAPER: Final = "FFFFFF"
UNKNOWN: Final = "?"
"""A background that is not one colour, or depends on parts that are not read: it hides nothing."""


@dataclass(frozen=True, slots=True)
class Look:
    """Properties of letters; ``None`` if not given. ``colour`` and ``background``: six hex digits, or
    empty for the automatic colour, which is always readable; ``size``: in points."""

    hidden: bool | None = None
    colour: str | None = None
    size: float | None = None
    background: str | None = None

    def over(self, below: Self) -> "Look":
        """Return this look, completed by ``below`` for properties that are not given."""
        return Look(
            hidden=below.hidden if self.hidden is None else self.hidden,
            colour=below.colour if self.colour is None else self.colour,
            size=below.size if self.size is None else self.size,
            background=below.background if self.background is None else self.background,
        )

    @property
    def is_seen(self) -> bool:
        """False if the letters are hidden, tiny, or in the colour of their background."""
        is_tiny = self.size is not None and self.size < TINY_POINTS
        return not (self.hidden or is_tiny or (self.colour and self.colour == self.background))


NO_LOOK: Final = Look()
