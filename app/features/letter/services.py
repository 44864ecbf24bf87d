"""The services of the weekly letter: who gets it, what it says, and sending it."""

from __future__ import annotations

from itertools import chain
from operator import attrgetter
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from app.accounts.news import Reader
from app.accounts.types import User
from app.console.texts import TEXTS
from app.errors import NotFoundError, SendingError
from app.features.letter.ledger import Ledger
from app.features.letter.letter import Letter, email_of
from app.features.letter.weeks import is_open, last_week, week_of
from app.lazy import lazy
from app.mail import smtp
from app.pages.store import utc_now
from app.settings.letter import LetterRecipient
from app.web.texts import LANGUAGES

if TYPE_CHECKING:
    from app.services import Services
    from app.settings.sites import SiteSettings

STOP: Final = "/letter"
"""The path of the link that stops the letter."""

EVERYBODY: Final = User(name="", role="admin")
"""Who gets it at an address that is no user's."""

HELD_BACK: Final = "—"
"""In place of a key, where a letter is only shown."""


def is_used(services: Services) -> bool:
    """True if somebody gets the letter."""
    return bool(services.settings.letter.to)


class LetterServices:
    """Writes and sends letters."""

    def __init__(self, services: Services) -> None:
        self.lock = services.lock
        self.clock = utc_now
        self._services = services

    @lazy
    def ledger(self) -> Ledger:
        """Who got the letter of which week."""
        return Ledger(self._services.engine, self.clock)

    @property
    def recipients(self) -> dict[str, LetterRecipient]:
        """Those of the settings, by address."""
        return {each.email: each for each in self._services.settings.letter.to}

    @property
    def week(self) -> str:
        """The Monday of the week that it is."""
        return week_of(self.clock(), self._zone)

    def due(self) -> list[str]:
        """Return the addresses whose letter is to be sent now."""
        if not self.recipients or not is_open(self.clock(), self._services.settings.letter, self._zone):
            return []
        return self.ledger.due(self.recipients, self.week)

    def letter(self, user: User, language: str, address: str, key: str = HELD_BACK) -> Letter:
        """Write a user's letter of the last seven days. ``language``: empty for that of the first site that
        they see; ``address``: of this service; ``key``: of the link that stops it."""
        sites = [site for site in self._sites if user.may_see_all(frozenset(site.sources))]
        language = language or next((site.language for site in sites), "")
        language = language if language in LANGUAGES else LANGUAGES[0]
        reader, span = Reader.of(user, self._sites, language), last_week(self.clock())
        named = chain.from_iterable(feature.news for feature in self._services.features)
        made = chain.from_iterable(resolve_name(name)(self._services, reader, span) for name in named)
        return Letter(
            name=next((site.name for site in sites if site.name), "Auskunft"),
            language=language,
            texts=TEXTS[language],
            sections=sorted((each for each in made if each.lines), key=attrgetter("order")),
            address=address,
            stop=f"{address}{STOP}?key={key}",
        )

    def letter_to(self, recipient: LetterRecipient, address: str, key: str = HELD_BACK) -> Letter:
        """Write a recipient's letter. Raises ``NotFoundError`` for one whose user was removed."""
        user = self._services.users.get(recipient.user) if recipient.user else EVERYBODY
        return self.letter(user, recipient.language, address, key)

    def send(self, address: str) -> bool:
        """Send an address its letter of this week. False if it got it, has stopped it, or there is nothing to
        say. Raises ``SendingError``, after which it is due again."""
        state, week = self.ledger.state(address), self.week
        if not self.ledger.begin(address, week):
            return False
        try:
            is_sent = self._deliver(self.recipients[address], state.key, f"{week}.{state.recipient[:16]}")
        except SendingError as error:
            self.ledger.postpone(address, str(error))
            raise
        except Exception as error:  # it waits, so that the next attempt takes those behind it
            self.ledger.postpone(address, f"it could not be sent ({type(error).__name__})")
            raise
        self.ledger.finish(address, is_sent=is_sent)
        return is_sent

    def _deliver(self, recipient: LetterRecipient, key: str, message_id: str) -> bool:
        settings = self._services.settings
        try:
            letter = self.letter_to(recipient, settings.public_url.rstrip("/"), key)
        except NotFoundError as error:
            raise SendingError("{reason}", reason=str(error)) from None
        if not letter.is_empty:
            server = settings.smtp
            smtp.send(email_of(letter, recipient.email, server.sender, self.clock(), message_id), server)
        return not letter.is_empty

    @property
    def _sites(self) -> list[SiteSettings]:
        return self._services.chat.sites.all()

    @property
    def _zone(self) -> ZoneInfo:
        return ZoneInfo(next((site.time_zone for site in self._sites), "Europe/Berlin"))
