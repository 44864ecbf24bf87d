"""The services of the weekly letter: its recipients and its schedule. :mod:`.writer` writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from app.features.letter.ledger import Ledger
from app.features.letter.weeks import is_open, week_of
from app.lazy import lazy
from app.monitoring.check import Check
from app.pages.database import utc_now
from app.services.feature_services import FeatureServices
from ingest.said import Said

if TYPE_CHECKING:
    from app.services import Services
    from app.settings.letter import LetterRecipient


def is_used(services: Services) -> bool:
    """Return True if somebody gets the letter."""
    return bool(services.settings.letter.to)


def letter(services: Services) -> list[Check]:
    """Report letters that could not be sent."""
    of_feature = services.feature(LetterServices)
    addresses = of_feature.recipients
    if not addresses:
        return []
    problems = of_feature.ledger.problems(addresses)
    detail = Said("sent weekly to {count:,}", count=len(addresses))
    if problems:
        detail = Said(
            "{failed:,} of {count:,} not sent: {problem}",
            failed=len(problems),
            count=len(addresses),
            problem=problems[0],
        )
    return [Check(name="letter", ok=not problems, detail=detail, required=False)]


class LetterServices(FeatureServices):
    """Knows the recipients, and the letters that they got."""

    clock = staticmethod(utc_now)

    @lazy
    def ledger(self) -> Ledger:
        """The record of who got the letter of which week."""
        return Ledger(self._services.engine, self.clock)

    @property
    def recipients(self) -> dict[str, LetterRecipient]:
        """The recipients in the settings, by address."""
        return {each.email: each for each in self._services.settings.letter.to}

    @property
    def week(self) -> str:
        """The Monday of the current week."""
        return week_of(self.clock(), self._zone)

    def due(self) -> list[str]:
        """Return the addresses to which the letter should be sent now."""
        if not self.recipients or not is_open(self.clock(), self._services.settings.letter, self._zone):
            return []
        return self.ledger.due(self.recipients, self.week)

    @property
    def _zone(self) -> ZoneInfo:
        return ZoneInfo(next((site.time_zone for site in self._services.chat.sites.all()), "Europe/Berlin"))
