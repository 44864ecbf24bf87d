"""A self-signed certificate for a server on loopback."""

import hashlib
import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path

_EXTENSIONS = ("subjectAltName=IP:127.0.0.1,DNS:localhost", "keyUsage=critical,digitalSignature,keyCertSign")


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """Files in PEM format; the certificate is its own authority."""

    certificate: Path
    key: Path

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the certificate, in hexadecimal."""
        der = ssl.PEM_cert_to_DER_cert(self.certificate.read_text("ascii"))
        return hashlib.sha256(der).hexdigest()


def self_signed(folder: Path) -> Certificate:
    """Make a certificate and its key in ``folder``."""
    made = Certificate(certificate=folder / "http.crt", key=folder / "http.key")
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    for extension in _EXTENSIONS:
        command += ["-addext", extension]
    subprocess.run([*command, "-out", made.certificate, "-keyout", made.key], check=True, capture_output=True)
    return made
