"""The harness itself: a real server with the analyzers that the tests rely on, and the command that runs one.

What else they rely on, they show: users, TLS, freezing and a start after a kill in tests/app/search/elastic,
and for every server's process in test_postgresql.py that it does not outlive killed tests.
"""

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[2]


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
