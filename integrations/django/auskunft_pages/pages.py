"""There are no pages but those of views, by their addresses."""

from collections.abc import Iterable

from auskunft_django.config import Config
from auskunft_django.website import Version


def kinds() -> list[str]:
    """Return none: nothing is sent that is not reported."""
    return []


def roots() -> list[str]:
    """Return none: what was reported once is sent again by itself."""
    return []


def below(_page: str) -> list[str]:
    """Return none."""
    return []


def versions(_page: str, _config: Config) -> list[Version] | None:
    """Return that there is no such page."""
    return None


def titles(_pages: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return none."""
    return {}
