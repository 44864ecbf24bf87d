"""Users, keys and certificates; no message contains a secret."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pytest
from elasticsearch import Elasticsearch

from app.errors import IndexUnavailableError, SettingsError
from app.search.elastic import ElasticIndex, ElasticOptions
from app.services.elastic import elastic_options
from app.settings.settings import load_settings
from tests.app.search.elastic.calls import dog, found
from tests.contracts.embedded_pages import RECIPE
from tests.fakes.command import Command
from tests.services.certificate import self_signed
from tests.services.elasticsearch import Elasticsearch as Server
from tests.services.fixtures import started

pytestmark = pytest.mark.elasticsearch
WRONG: Final = "hush-wrong-secret"
Given = dict[str, Any]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server with users and TLS."""
    with started(tls=True) as server:
        yield server


@pytest.fixture
def trust(server: Server) -> Given:
    """The address and the certificate to trust."""
    return {"elasticsearch_url": server.url, "elasticsearch_ca": server.ca_certs}


@pytest.fixture
def user(server: Server) -> Given:
    """The right name and password."""
    assert server.basic_auth
    name, password = server.basic_auth
    return {"elasticsearch_username": name, "elasticsearch_password": password}


@pytest.fixture
def admin(server: Server) -> Iterator[Elasticsearch]:
    """A client that may do everything."""
    assert server.basic_auth
    with Elasticsearch(server.url, ca_certs=str(server.ca_certs), basic_auth=server.basic_auth) as client:
        yield client


def fresh(**given: Any) -> ElasticOptions:
    """The options of these settings, for a prefix that nobody else uses."""
    return elastic_options(load_settings(elasticsearch_prefix=f"t{uuid4().hex[:12]}", **given))


def check_works(options: ElasticOptions) -> None:
    """Everything that is done with an index is allowed."""
    with closing(ElasticIndex(options)) as index:
        for number in (1, 2):
            index.promote(index.create(RECIPE).number)
            assert index.write(number, [dog("pool")])[0].status == "written"
        index.drop(1)
        assert found(index) == {"pool": 1}
        assert len(list(index.refs(2))) == 1
        assert index.advice() is None


def refused(options: ElasticOptions) -> str:
    """The line that says why the index cannot be used."""
    with closing(ElasticIndex(options)) as index, pytest.raises(IndexUnavailableError) as refusal:
        index.live()
    said = str(refusal.value)
    assert "\n" not in said
    return said


def new_key(admin: Elasticsearch, **roles: Any) -> str:
    key: str = admin.security.create_api_key(name="search", role_descriptors={"search": roles})["encoded"]
    return key


def test_the_right_password_opens_everything(trust: Given, user: Given) -> None:
    check_works(fresh(**trust, **user))


def test_a_key_with_the_privileges_that_are_documented_opens_everything(
    trust: Given, admin: Elasticsearch
) -> None:
    options = fresh(**trust)
    prefix = options.prefix
    key = new_key(
        admin,
        cluster=["monitor", "manage_index_templates"],
        indices=[{"names": [prefix, f"{prefix}-*"], "privileges": ["all"]}],
    )
    check_works(replace(options, api_key=key))


def test_the_refusal_of_a_key_names_the_privileges_that_it_needs(trust: Given, admin: Elasticsearch) -> None:
    key = new_key(admin, cluster=["monitor"], indices=[])
    said = refused(fresh(**trust, elasticsearch_api_key=key))
    assert "forbids this to the user or key" in said
    assert "`manage_index_templates`" in said
    assert key not in said


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"elasticsearch_username": "elastic", "elasticsearch_password": WRONG},
        {"elasticsearch_username": "nobody", "elasticsearch_password": WRONG},
        {"elasticsearch_api_key": WRONG},
        {"elasticsearch_api_key": "aHVzaDpodXNo"},
    ],
)
def test_wrong_credentials_are_refused_and_not_repeated(trust: Given, given: Given) -> None:
    said = refused(fresh(**trust, **given))
    assert "refuses the credentials: check AUSKUNFT_ELASTICSEARCH_USERNAME and _PASSWORD, or _API_KEY" in said
    assert WRONG not in said


def with_colons(hexadecimal: str) -> str:
    return ":".join(hexadecimal[start : start + 2] for start in range(0, len(hexadecimal), 2))


@pytest.mark.parametrize("form", [str.lower, str.upper, with_colons])
def test_the_fingerprint_serves_instead_of_the_authority(server: Server, user: Given, form: Any) -> None:
    assert server.fingerprint
    given = {"elasticsearch_url": server.url, "elasticsearch_fingerprint": form(server.fingerprint)}
    check_works(fresh(**given, **user))


def test_without_an_authority_the_setting_is_named(server: Server, user: Given) -> None:
    said = refused(fresh(elasticsearch_url=server.url, **user))
    assert "certificate that is not trusted" in said
    assert "set AUSKUNFT_ELASTICSEARCH_CA" in said


def test_another_authority_or_fingerprint_is_not_trusted(
    server: Server, trust: Given, user: Given, tmp_path: Path
) -> None:
    other = self_signed(tmp_path)
    assert "not trusted" in refused(fresh(**{**trust, "elasticsearch_ca": other.certificate}, **user))
    wrong = {"elasticsearch_url": server.url, "elasticsearch_fingerprint": other.fingerprint}
    assert "not trusted" in refused(fresh(**wrong, **user))


@pytest.mark.parametrize("content", [None, b"", b"no certificate", b"\xff\x00"])
def test_a_file_without_an_authority_is_a_wrong_setting(
    trust: Given, tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SettingsError, match="elasticsearch_ca") as refusal:
        ElasticIndex(fresh(**{**trust, "elasticsearch_ca": file}))
    assert "\n" not in str(refusal.value)


def test_plain_http_to_a_port_for_https_is_one_line(server: Server, user: Given) -> None:
    said = refused(fresh(elasticsearch_url=server.url.replace("https", "http"), **user))
    assert "AUSKUNFT_ELASTICSEARCH_URL" in said


def test_an_index_works_while_one_of_its_hosts_does(trust: Given, user: Given) -> None:
    """The driver begins with any of them."""
    hosts = ", ".join([*(f"https://127.0.0.1:{port}" for port in range(1, 5)), trust["elasticsearch_url"]])
    options = fresh(**{**trust, "elasticsearch_url": hosts}, **user)
    for _ in range(8):
        with closing(ElasticIndex(options)) as index:
            assert index.generations() == []
    check_works(options)


def test_a_password_of_any_characters_is_sent_and_not_repeated(trust: Given) -> None:
    given = {"elasticsearch_username": "elastic", "elasticsearch_password": "hush\r\nX: \u00fc\u4e2d"}
    said = refused(fresh(**trust, **given))
    assert "refuses the credentials" in said
    assert "hush" not in said


def test_secrets_are_not_printed(tmp_path: Path) -> None:
    given = {"elasticsearch_username": "elastic", "elasticsearch_password": WRONG}
    for secrets in (given, {"elasticsearch_api_key": WRONG}):
        settings = load_settings(**secrets)
        assert WRONG not in repr(settings) + str(settings) + repr(elastic_options(settings))
        shown = Command(tmp_path, **secrets).run("config")
        assert shown.code == 0
        assert WRONG not in shown.out
