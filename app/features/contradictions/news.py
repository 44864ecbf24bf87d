"""Open contradictions as news for editors."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import shorten
from typing import TYPE_CHECKING, Final

from app.accounts.news import Line, Reader, Section, Span
from app.console.addresses import PREFIX
from app.console.texts import TEXTS
from app.features.contradictions.services import ContradictionServices

if TYPE_CHECKING:
    from app.services import Services

ADDRESS: Final = f"{PREFIX}/contradictions"
TEXT_CHARACTERS: Final = 120


def news(services: Services, reader: Reader, _span: Span) -> Iterator[Section]:
    """Yield the contradictions that nobody has dismissed, newest first, however old they are."""
    entries = services.feature(ContradictionServices).store.entries(sources=reader.sources)
    lines = tuple(
        Line(
            " ≠ ".join(shorten(each.text, TEXT_CHARACTERS, placeholder=" …") for each in sides),
            " – ".join(f"{each.ref.source}/{each.ref.id}" for each in sides),
            ADDRESS,
        )
        for sides in ((each.found.one, each.found.other) for each in entries)
    )
    yield Section(30, TEXTS[reader.language]["menu_contradictions"], ADDRESS, lines)
