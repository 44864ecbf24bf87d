"""A message as an e-mail in plain text."""

from collections.abc import Iterator, Mapping
from email.message import EmailMessage
from email.utils import format_datetime

from app.features.handover.documents import ExchangeDocument, HandoverDocument
from app.settings.mail import is_mailbox


def email_of(
    handover: HandoverDocument, site_name: str, to: str, sender: str, texts: Mapping[str, str]
) -> EmailMessage:
    """Return the e-mail. ``texts``: in the language of its recipients.

    Its subject contains only the number and the site's name. It has a Reply-To only if the visitor gave one
    plain address.
    """
    message = EmailMessage()
    message["From"] = sender
    message["To"] = to
    subject = texts["handover_mail_subject"].format(number=handover.number, site=site_name)
    message["Subject"] = " ".join(subject.split())
    message["Date"] = format_datetime(handover.made_at)
    message["Message-ID"] = f"<{handover.number}.handover@{sender.partition('@')[2]}>"
    if is_mailbox(handover.contact):
        message["Reply-To"] = handover.contact
    message.set_content("\n".join(_lines(handover, texts)), cte="quoted-printable")
    return message


def _lines(handover: HandoverDocument, texts: Mapping[str, str]) -> Iterator[str]:
    yield f"{texts['handover_number']}: {handover.number}"
    yield f"{texts['handover_contact']}: {handover.contact}"
    if handover.name:
        yield f"{texts['handover_name']}: {handover.name}"
    yield texts["handover_mail_delete"].format(day=handover.delete_on)
    if handover.message:
        yield from ("", f"{texts['handover_message']}:", "", handover.message)
    if handover.conversation:
        yield from ("", f"{texts['handover_conversation']}:")
    for exchange in handover.conversation:
        yield from _exchange_lines(exchange, texts)


def _exchange_lines(exchange: ExchangeDocument, texts: Mapping[str, str]) -> Iterator[str]:
    mark = f" ({texts['handover_unanswered']})" if exchange.unanswered else ""
    yield from ("", f"{texts['handover_question']}{mark}: {exchange.question}")
    yield from (f"{texts['handover_answer']}:", *(f"> {line}" for line in exchange.answer.splitlines()))
    for page in exchange.pages:
        yield f"- {page.title} {page.url}".rstrip()
