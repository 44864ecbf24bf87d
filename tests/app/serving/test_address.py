"""Where a running server is reached, for the links that other commands print."""

import socket
from pathlib import Path

import pytest

from app.serving.address import FILE, noted_address, server_address, web_address
from app.settings.settings import Settings, load_settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(data=tmp_path, port=8_000)


def test_a_link_leads_to_the_port_that_is_served_while_it_is(settings: Settings, tmp_path: Path) -> None:
    with socket.create_server(("0.0.0.0", 0)) as listener:
        port = listener.getsockname()[1]
        with noted_address(tmp_path, listener):
            assert server_address(settings, tmp_path) == f"http://127.0.0.1:{port}"
        assert server_address(settings, tmp_path) == "http://127.0.0.1:8000"


def test_what_a_killed_server_noted_does_not_count(settings: Settings, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        noted = web_address(*listener.getsockname())
    for text in (noted, "", "http://[", "http://127.0.0.1:x"):
        (tmp_path / FILE).write_text(text, "utf-8")
        assert server_address(settings, tmp_path) == "http://127.0.0.1:8000"


def test_the_public_address_counts_before_all(tmp_path: Path) -> None:
    settings = load_settings(data=tmp_path, public_url="https://chat.town.example/")
    assert server_address(settings, tmp_path) == "https://chat.town.example"


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:8100"),
        ("0.0.0.0", "http://127.0.0.1:8100"),
        ("::", "http://[::1]:8100"),
        ("::1", "http://[::1]:8100"),
        ("localhost", "http://localhost:8100"),
    ],
)
def test_a_host_to_listen_on_becomes_an_address_to_open(host: str, address: str) -> None:
    assert web_address(host, 8_100) == address
