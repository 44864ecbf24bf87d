"""A message as an e-mail in plain text, and sending it by SMTP."""

import smtplib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from email.message import EmailMessage
from email.utils import format_datetime
from ssl import create_default_context
from typing import Final

from app.errors import SendingError
from app.features.handover.documents import ExchangeDocument, HandoverDocument
from app.settings.handover import SmtpSettings, is_mailbox

SECONDS: Final = 30.0
"""For each step of the exchange with the server."""


def email_of(
    handover: HandoverDocument, site_name: str, to: str, sender: str, texts: Mapping[str, str]
) -> EmailMessage:
    """Return the e-mail. ``texts``: in the language of those who read it. Only the number and the site's name
    are in its subject, and Reply-To is there only where the visitor gave one plain address."""
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


def send(message: EmailMessage, smtp: SmtpSettings) -> None:
    """Send an e-mail. Raises ``SendingError``, which repeats nothing of it."""
    try:
        server = _connected(smtp)
        try:
            if smtp.user:
                server.login(smtp.user, smtp.password.get_secret_value())
            server.send_message(message)
        finally:
            with suppress(smtplib.SMTPException, OSError):  # it is sent, or that is known
                server.quit()
    except (smtplib.SMTPException, OSError, ValueError) as error:  # a password beyond ASCII is a ValueError
        raise SendingError(
            "the mail server {server} {reason}", server=f"{smtp.host}:{smtp.port}", reason=_reason(error)
        ) from None


def _connected(smtp: SmtpSettings) -> smtplib.SMTP:
    if smtp.security == "tls":
        return smtplib.SMTP_SSL(smtp.host, smtp.port, timeout=SECONDS, context=create_default_context())
    server = smtplib.SMTP(smtp.host, smtp.port, timeout=SECONDS)
    try:
        if smtp.security == "starttls":
            server.starttls(context=create_default_context())
    except BaseException:
        server.close()
        raise
    return server


def _reason(error: Exception) -> str:
    """The server's reply in few words, without its words, which may repeat the message."""
    match error:
        case smtplib.SMTPResponseException():
            return f"answers {error.smtp_code}"
        case smtplib.SMTPRecipientsRefused():
            codes = sorted({code for code, _ in error.recipients.values()})
            return f"refuses the recipient ({', '.join(map(str, codes))})"
    return f"cannot be used ({type(error).__name__})"


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
