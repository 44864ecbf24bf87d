"""Writes letters, and sends them."""

from __future__ import annotations

from itertools import chain
from operator import attrgetter
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Final, Literal

from app.accounts.news import Reader
from app.accounts.types import User
from app.console.texts import TEXTS
from app.errors import NotFoundError, SendingError
from app.features.letter.letter import Letter, email_of
from app.features.letter.services import LetterServices
from app.features.letter.weeks import last_week
from app.mail import smtp
from app.web.texts import LANGUAGES

if TYPE_CHECKING:
    from app.services import Services
    from app.settings.letter import LetterRecipient

STOP: Final = "/letter"
"""The path of the link that stops the letter."""

EVERYBODY: Final = User(name="", role="admin")
"""The reader for an address that belongs to no user."""

Delivery = Literal["sent", "empty", "had", "stopped"]
"""The result: sent, nothing to report, sent before, or not wanted."""

KEY_PLACEHOLDER: Final = "—"
"""Replaces the key in a letter that is only displayed."""


class LetterWriter:
    """Writes letters from the news of all features."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._letters = services.feature(LetterServices)

    def letter(self, user: User, language: str, address: str, key: str = KEY_PLACEHOLDER) -> Letter:
        """Write a user's letter about the last seven days.

        ``language``: empty for that of the first site that they may see. ``address``: of this service.
        ``key``: of the link that stops the letter.
        """
        known = self._services.chat.sites.all()
        sites = [site for site in known if user.may_see_all(frozenset(site.sources))]
        language = language or next((site.language for site in sites), "")
        language = language if language in LANGUAGES else LANGUAGES[0]
        reader, span = Reader.of(user, known, language), last_week(self._letters.clock())
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

    def letter_to(self, recipient: LetterRecipient, address: str, key: str = KEY_PLACEHOLDER) -> Letter:
        """Write a recipient's letter. Raises ``NotFoundError`` if their user was removed."""
        user = self._services.users.get(recipient.user) if recipient.user else EVERYBODY
        return self.letter(user, recipient.language, address, key)

    def send(self, address: str, *, empty_counts: bool = True) -> Delivery:
        """Send an address its letter of this week.

        ``empty_counts``: if there is nothing to report, the week is done. Raises ``SendingError``, after
        which the letter is tried again later.
        """
        ledger, week = self._letters.ledger, self._letters.week
        state = ledger.state(address)
        if not ledger.begin(address, week):
            return "stopped" if state.stopped_at else "had"
        message_id = f"{week}.{state.recipient[:16]}"
        try:
            is_sent = self._deliver(self._letters.recipients[address], state.key, message_id)
        except SendingError as error:
            ledger.postpone(address, str(error))
            raise
        except Exception as error:  # postponed, so that it does not block the letters behind it
            ledger.postpone(address, f"it could not be sent ({type(error).__name__})")
            raise
        if is_sent or empty_counts:
            ledger.finish(address, is_sent=is_sent)
        else:
            ledger.take_back(address, state)
        return "sent" if is_sent else "empty"

    def _deliver(self, recipient: LetterRecipient, key: str, message_id: str) -> bool:
        settings = self._services.settings
        try:
            letter = self.letter_to(recipient, settings.public_url.rstrip("/"), key)
        except NotFoundError as error:
            raise SendingError("{reason}", reason=str(error)) from None
        if letter.is_empty:
            return False
        server, now = settings.smtp, self._letters.clock()
        smtp.send(email_of(letter, recipient.email, server.sender, now, message_id), server)
        return True
