"""The first thing a newcomer runs."""

import re
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen

import httpx
import pytest
from bs4 import BeautifulSoup

from tests.fakes.command import Command

SECONDS = 60.0


def test_without_serving_it_asks_and_ends(tmp_path: Path) -> None:
    done = Command(tmp_path).run("demo", "--once")
    assert (done.code, done.err) == (0, "")
    assert "24 indexed" in done.out
    assert done.out.count("\n? ") == 3
    assert "https://www.otterfurt.example/de/buergeramt.html" in done.out


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """What the demo printed until it served, ended with the tests."""
    command = Command(tmp_path_factory.mktemp("demo"))
    with command.start("demo", "--port", "0") as process:
        try:
            yield list(_until_served(process))
        finally:
            process.terminate()
            process.communicate(timeout=SECONDS)


def _until_served(process: "Popen[bytes]") -> Iterator[str]:
    assert process.stdout is not None
    for line in process.stdout:
        yield line.decode()
        if b"stop with Ctrl-C" in line:
            return


@pytest.fixture(scope="module")
def town(printed: list[str]) -> str:
    """The address of the town's website, as it was printed."""
    (address,) = re.findall(r"The town's website: (http://\S+/)$", "".join(printed), re.M)
    return str(address)


def test_the_printed_address_shows_the_town_with_the_chat_in_it(town: str) -> None:
    page = BeautifulSoup(httpx.get(town, follow_redirects=True, timeout=SECONDS).text, "lxml")
    assert "Otterfurt" in str(page.title)
    assert page.select("script[data-site=demo]")


def test_every_source_of_the_three_answers_can_be_opened(town: str, printed: list[str]) -> None:
    addresses = re.findall(r"\[\d+\] .* - (\S+)$", "".join(printed), re.M)
    assert len(addresses) >= 3
    for address in addresses:
        assert address.startswith(town)
        assert httpx.get(address).status_code == 200


def test_the_town_may_ask_and_its_answers_sources_can_be_opened(town: str) -> None:
    origin = town.removesuffix("/otterfurt/")
    found = httpx.get(
        f"{origin}/api/search",
        params={"q": "Restmüll Biotonne", "site": "demo"},
        headers={"Origin": origin},
        timeout=SECONDS,
    ).json()
    assert found["hits"]
    for hit in found["hits"]:
        assert httpx.get(hit["url"]).status_code == 200


def test_other_websites_may_not_ask(town: str) -> None:
    origin = town.removesuffix("/otterfurt/")
    headers = {"Origin": "https://other.example"}
    asked = httpx.get(f"{origin}/api/search", params={"q": "Restmüll", "site": "demo"}, headers=headers)
    assert asked.status_code == 404


def test_a_taken_port_is_told_before_anything_is_indexed(town: str, tmp_path: Path) -> None:
    port = town.split(":")[2].partition("/")[0]
    done = Command(tmp_path).run("demo", "--port", port)
    assert f"port {port}" in done.complaint(2)
    assert done.out == ""
