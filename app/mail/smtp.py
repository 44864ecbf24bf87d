"""Sending e-mails by SMTP."""

import smtplib
from contextlib import suppress
from email.message import EmailMessage
from ssl import create_default_context
from typing import Final

from app.errors import SendingError
from app.settings.mail import SmtpSettings

SECONDS: Final = 30.0
"""Timeout for each step of the exchange with the server."""


def send(message: EmailMessage, smtp: SmtpSettings) -> None:
    """Send an e-mail. Raises ``SendingError``, which quotes nothing from it."""
    try:
        server = _connected(smtp)
        try:
            if smtp.user:
                server.login(smtp.user, smtp.password.get_secret_value())
            server.send_message(message)
        finally:
            with suppress(smtplib.SMTPException, OSError):  # the e-mail is sent, or an error is raised
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
    """Describe the server's reply without quoting it, because it may repeat the message."""
    match error:
        case smtplib.SMTPResponseException():
            return f"answers {error.smtp_code}"
        case smtplib.SMTPRecipientsRefused():
            codes = sorted({code for code, _ in error.recipients.values()})
            return f"refuses the recipient ({', '.join(map(str, codes))})"
    return f"cannot be used ({type(error).__name__})"
