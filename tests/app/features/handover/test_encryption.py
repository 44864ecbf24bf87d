"""E-mails are sent encrypted, after a log-in, to servers whose certificates are valid."""

import ipaddress
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from app.features.handover.services import HandoverServices
from tests.app.features.handover.test_delivery import hand_over
from tests.app.features.handover.town import MAILBOX, send_all, town
from tests.fakes.mail import Inbox, mail_server
from tests.services.ports import free_port

pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")

USER: Final = {"user": "auskunft", "password": "correct horse"}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a certificate for 127.0.0.1 and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mail.town.example")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    form = serialization.PrivateFormat.PKCS8
    file = tmp_path_factory.mktemp("tls") / "server.pem"
    file.write_bytes(key.private_bytes(pem, form, serialization.NoEncryption()) + made.public_bytes(pem))
    return file


def context_of(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def authenticator(_server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
    right = LoginPassword(USER["user"].encode(), USER["password"].encode())
    return AuthResult(success=data == right, handled=False)


@contextmanager
def server(inbox: Inbox, port: int, security: str, certificate: Path) -> Iterator[None]:
    login: dict[str, Any] = {"authenticator": authenticator, "auth_required": True}
    if security == "starttls":
        with mail_server(inbox, port, tls_context=context_of(certificate), require_starttls=True, **login):
            yield
        return
    controller = Controller(
        inbox,
        hostname="127.0.0.1",
        port=port,
        ssl_context=context_of(certificate),
        auth_require_tls=False,  # all of it is encrypted, which the server does not see
        **login,
    )
    controller.start()
    try:
        yield
    finally:
        controller.stop()


def state_after(
    tmp_path: Path, certificate: Path, security: str, smtp: dict[str, Any]
) -> tuple[str, str, int]:
    """The end of a message: its state, its problem, and how many arrived."""
    inbox, port = Inbox(), free_port()
    given = {"security": security} | smtp
    with (
        server(inbox, port, security, certificate),
        town(tmp_path, {"email": MAILBOX}, smtp_port=port, smtp=given) as services,
    ):
        number = hand_over(services)
        send_all(services)
        found = services.feature(HandoverServices).queue.one(number)
    return found.state, found.problem.partition(" ")[2].partition(" ")[2], len(inbox.messages)


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_it_is_sent_encrypted_after_a_log_in(
    tmp_path: Path, certificate: Path, monkeypatch: pytest.MonkeyPatch, security: str
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert state_after(tmp_path, certificate, security, USER) == ("sent", "", 1)


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_certificate_that_nobody_vouches_for_is_not_accepted(
    tmp_path: Path, certificate: Path, security: str
) -> None:
    state, problem, arrived = state_after(tmp_path, certificate, security, USER)
    assert (state, arrived) == ("failing", 0)
    assert "SSLCertVerificationError" in problem


@pytest.mark.parametrize("password", ["wrong", "geheim-ä"])
def test_a_wrong_password_is_told_and_nothing_is_lost(
    tmp_path: Path, certificate: Path, monkeypatch: pytest.MonkeyPatch, password: str
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    state, problem, arrived = state_after(
        tmp_path, certificate, "starttls", {"user": "auskunft", "password": password}
    )
    assert (state, arrived) == ("failing", 0)
    assert problem
    assert password not in problem
