"""Over TLS: the certificate is checked against the name that was asked for, on the pinned connection."""

import ssl
from collections.abc import Iterator

import pytest

from ingest.errors import BlockedAddressError, FetchError
from tests.fakes.scripted_server import ScriptedServer, redirect, reply
from tests.ingest.fetching.conftest import JSON, Names, fetcher
from tests.services.certificate import Certificate, self_signed


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """For ``localhost`` and 127.0.0.1, signed by itself."""
    return self_signed(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def tls(certificate: Certificate) -> Iterator[ScriptedServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.certificate, certificate.key)
    with ScriptedServer(context) as server:
        yield server


def https(server: ScriptedServer, host: str = "localhost") -> str:
    return f"https://{host}:{server.port}/"


def test_a_certificate_that_nobody_vouches_for_is_refused_without_asking_again(tls: ScriptedServer) -> None:
    tls.script(*[reply()] * 3)
    with pytest.raises(FetchError, match="certificate is not trusted"):
        fetcher(resolve=Names({"localhost": ["127.0.0.1"]})).get(https(tls), accept=JSON)
    assert (tls.connections, tls.requests) == (1, [])


def test_a_trusted_certificate_is_good_for_its_own_names_only(
    tls: ScriptedServer, certificate: Certificate
) -> None:
    names = Names({"localhost": ["127.0.0.1"], "other.example": ["127.0.0.1"]})
    client = fetcher(resolve=names, authority=certificate.certificate)
    tls.script(reply(b"[1]"))
    assert client.get(https(tls), accept=JSON).body == b"[1]"
    assert f"Host: localhost:{tls.port}" in tls.requests[0]
    with pytest.raises(FetchError, match=r"certificate is not trusted .*other\.example"):
        client.get(https(tls, "other.example"), accept=JSON)
    assert len(tls.requests) == 1


def test_a_redirect_from_https_to_http_is_not_followed(tls: ScriptedServer, certificate: Certificate) -> None:
    with ScriptedServer() as plain:
        tls.script(redirect(plain.url()))
        client = fetcher(authority=certificate.certificate, resolve=Names({"localhost": ["127.0.0.1"]}))
        with pytest.raises(BlockedAddressError, match="from https to http"):
            client.get(https(tls), accept=JSON)
        assert plain.connections == 0


def test_a_redirect_from_http_to_https_is_followed(tls: ScriptedServer, certificate: Certificate) -> None:
    with ScriptedServer() as plain:
        plain.script(redirect(https(tls)))
        tls.script(reply(b"[2]"))
        names = Names({"localhost": ["127.0.0.1"], "127.0.0.1": ["127.0.0.1"]})
        client = fetcher(authority=certificate.certificate, resolve=names)
        assert client.get(plain.url(), accept=JSON).body == b"[2]"
