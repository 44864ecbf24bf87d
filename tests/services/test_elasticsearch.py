"""The harness itself: a real server that does what the tests rely on, and is gone afterwards."""

import hashlib
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.fakes.processes import running_in_group, wait_for_end_of_group
from tests.services.elasticsearch import Elasticsearch
from tests.services.fixtures import StartElasticsearch, started

ROOT = Path(__file__).parents[2]
BODY_LIMIT_BYTES = 10_000


def tokens(url: str, analyzer: str, text: str) -> set[str]:
    """The words that the server's analyzer makes of a text."""
    answer = httpx.post(f"{url}/_analyze", json={"analyzer": analyzer, "text": text}).raise_for_status()
    return {token["token"] for token in answer.json()["tokens"]}


@pytest.mark.parametrize(
    ("analyzer", "text", "expected"),
    [
        ("german", "die alten Häuser", {"alt", "haus"}),
        ("english", "the running ponies", {"run", "poni"}),
        ("french", "les chevaux continuellement", {"cheval", "continuel"}),
        ("italian", "le biblioteche", {"bibliotec"}),
        ("spanish", "las casas", {"cas"}),
        ("dutch", "de huizen", {"huiz"}),
    ],
)
def test_a_language_analyzer_stems_and_drops_stop_words(
    elasticsearch: str, analyzer: str, text: str, expected: set[str]
) -> None:
    assert tokens(elasticsearch, analyzer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rubbish", {"bin", "refuse", "rubbish"}),
        ("Müll", {"müll", "abfall"}),
        ("the park", {"the", "park"}),
    ],
)
def test_the_synonym_analyzer_adds_words_that_only_the_server_knows(
    elasticsearch: str, text: str, expected: set[str]
) -> None:
    assert tokens(elasticsearch, "town_synonyms", text) == expected


@pytest.fixture(scope="module")
def secured() -> Iterator[Elasticsearch]:
    """A server with users, TLS and a setting of its own."""
    with started(tls=True, settings={"http.max_content_length": f"{BODY_LIMIT_BYTES}b"}) as server:
        yield server


@pytest.fixture
def admin(secured: Elasticsearch) -> Iterator[httpx.Client]:
    """A client that trusts the server's certificate and knows the password."""
    verify = ssl.create_default_context(cafile=secured.ca_certs)
    with httpx.Client(base_url=secured.url, verify=verify, auth=secured.basic_auth, timeout=30) as client:
        yield client


@pytest.mark.elasticsearch
def test_a_secured_server_wants_the_right_password(admin: httpx.Client) -> None:
    health = "/_cluster/health"
    assert admin.get(health, auth=None).status_code == 401
    assert admin.get(health, auth=("elastic", "wrong")).status_code == 401
    assert admin.get(health).status_code == 200


@pytest.mark.elasticsearch
def test_a_secured_server_gives_api_keys(admin: httpx.Client) -> None:
    made = admin.post("/_security/api_key", json={"name": "search"})
    header = {"Authorization": f"ApiKey {made.raise_for_status().json()['encoded']}"}
    assert admin.get("/_cluster/health", headers=header, auth=None).status_code == 200


@pytest.mark.elasticsearch
def test_a_secured_server_takes_native_users(admin: httpx.Client) -> None:
    user = {"password": "editor-password", "roles": ["superuser"], "email": "eva@town.example"}
    admin.put("/_security/user/eva", json=user).raise_for_status()
    assert admin.get("/_cluster/health", auth=("eva", "editor-password")).status_code == 200


@pytest.mark.elasticsearch
def test_only_the_own_authority_vouches_for_the_certificate(secured: Elasticsearch) -> None:
    with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
        httpx.get(secured.url)


@pytest.mark.elasticsearch
def test_the_fingerprint_is_that_of_the_certificate_served(secured: Elasticsearch) -> None:
    host, port = "127.0.0.1", secured.node.port
    served = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate((host, port)))
    assert secured.fingerprint == hashlib.sha256(served).hexdigest()


@pytest.mark.elasticsearch
def test_settings_reach_the_server(admin: httpx.Client) -> None:
    large = {"title": "x" * BODY_LIMIT_BYTES}
    assert admin.put("/pages/_doc/1", json=large).status_code == 413


def test_an_unknown_setting_stops_the_start_and_is_named(private_elasticsearch: StartElasticsearch) -> None:
    with pytest.raises(RuntimeError, match=r"unknown setting \[no\.such\.setting\]"):
        private_elasticsearch(settings={"no.such.setting": 1})


@pytest.mark.elasticsearch
def test_a_suspended_server_answers_once_it_is_resumed(secured: Elasticsearch, admin: httpx.Client) -> None:
    secured.suspend()
    with pytest.raises(httpx.TimeoutException):
        admin.get("/", timeout=0.2)
    secured.resume()
    assert admin.get("/_cluster/health").status_code == 200


def test_data_and_address_outlast_kills_and_restarts_and_nothing_outlasts_the_stop(
    private_elasticsearch: StartElasticsearch,
) -> None:
    server = private_elasticsearch(security=True)
    with httpx.Client(base_url=server.url, auth=server.basic_auth, trust_env=False) as client:
        document = "/pages/_doc/1"
        client.put(document, json={"title": "Bathing"}).raise_for_status()
        server.kill()
        with pytest.raises(httpx.ConnectError):
            client.get(document)
        server.start()
        assert client.get(document).json()["_source"] == {"title": "Bathing"}
        server.restart()
        assert client.get(document).json()["_source"] == {"title": "Bathing"}
    group, folder = server.process.group, server.node.folder
    assert running_in_group(group)
    server.stop()
    assert not running_in_group(group)
    assert not folder.exists()


@pytest.mark.elasticsearch
def test_no_server_outlives_the_tests_that_were_killed() -> None:
    program = """
import signal
from tests.services.fixtures import started
with started() as server:
    print(server.process.group, server.node.folder, flush=True)
    signal.pause()
"""
    process = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    group, folder = process.stdout.readline().split()
    process.kill()
    process.communicate()  # to the end of what cleans up, which shares the output
    wait_for_end_of_group(int(group))
    assert not Path(folder).exists()


@pytest.mark.elasticsearch
def test_the_command_holds_a_server_open_until_it_is_told_to_end() -> None:
    command = [sys.executable, "-m", "tests.services.elasticsearch"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    health = f"{process.stdout.readline().strip()}/_cluster/health"
    assert httpx.get(health).status_code == 200
    process.terminate()
    assert process.wait(timeout=30) == 0
    with pytest.raises(httpx.ConnectError):
        httpx.get(health)
