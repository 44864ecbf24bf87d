"""The line of ``/readyz`` about the weekly letter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.features.letter.services import LetterServices
from app.monitoring.check import Check

if TYPE_CHECKING:
    from app.services import Services


def letter(services: Services) -> list[Check]:
    """Report letters that could not be sent."""
    of_feature = services.feature(LetterServices)
    addresses = of_feature.recipients
    if not addresses:
        return []
    problems = of_feature.ledger.problems(addresses)
    detail = f"sent weekly to {len(addresses)}"
    if problems:
        detail = f"{len(problems)} of {len(addresses)} not sent: {problems[0]}"
    return [Check(name="letter", ok=not problems, detail=detail, required=False)]
