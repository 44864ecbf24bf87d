"""Work on pages that may end between two steps: what is done is kept, the rest goes back."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Final

from app.pages.types import Waiting

HANDED_BACK: Final = Waiting(reason="interrupted", seconds=0)

Stop = Callable[[], bool]
"""Asked between steps, none of which takes longer than a page's conversion or a batch of windows."""


class StoppedError(Exception):
    """The work on a claim is to end here; what was embedded is kept."""


def never() -> bool:
    """Goes on to the end."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkControl:
    """Who hears of the work on a claim, and who may end it."""

    progress: Callable[[int], None]
    stop: Stop

    def embedded(self) -> Callable[[int], None]:
        """To be told of embedded windows, first of those known before. Raises ``StoppedError`` only after
        new ones, so that however often work is ended, it comes to its end."""
        told = count()

        def tell(windows: int) -> None:
            self.progress(windows)
            if next(told) and self.stop():
                raise StoppedError

        return tell
