"""``auskunft letter``: the weekly letter to editors."""

from collections.abc import Mapping
from typing import Final

import click

from app.cli.common import console, open_services
from app.errors import InputError, NotFoundError, SendingError
from app.features.letter.letter import Letter
from app.features.letter.services import LetterServices
from app.features.letter.writer import EVERYBODY, Delivery, LetterWriter
from app.services import Services
from app.serving.address import server_address

_SAID: Final[Mapping[Delivery, str]] = {
    "sent": "sent",
    "empty": "there is nothing to say",
    "had": "they had this week's",
    "stopped": "they stopped it",
}


@click.command()
@click.option("--send", "is_sent", is_flag=True, help="Send it now to those who did not get this week's.")
def letter(is_sent: bool) -> None:
    """Show the letter to each recipient in the settings as it would be sent now; without recipients, the
    letter about everything."""
    with open_services() as services:
        _send(services) if is_sent else _show(services)


def _show(services: Services) -> None:
    writer, address = services.feature(LetterWriter), server_address(services.settings, services.data)
    recipients = services.feature(LetterServices).recipients
    if not recipients:
        _print("nobody: set [letter] to", writer.letter(EVERYBODY, "", address))
    for each in recipients.values():
        try:
            _print(each.email, writer.letter_to(each, address))
        except NotFoundError as error:
            console().print(f"To: {each.email}\n\n{error}\n")


def _print(to: str, letter: Letter) -> None:
    text = "nothing to say: no letter is sent\n" if letter.is_empty else letter.text
    console().print(f"To: {to}\nSubject: {letter.subject}\n\n{text}")


def _send(services: Services) -> None:
    writer, out = services.feature(LetterWriter), console()
    recipients = services.feature(LetterServices).recipients
    if not recipients:
        raise InputError("nobody gets the letter: set recipients in the settings ([letter] to)")
    failed: SendingError | None = None
    for address in recipients:
        try:
            said = _SAID[writer.send(address, empty_counts=False)]
        except SendingError as error:
            said, failed = str(error), error
        out.print(f"{address}: {said}")
    if failed is not None:
        raise failed
