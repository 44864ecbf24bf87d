"""A site as tools of other programs' language models, asked by the SDK's own client."""

import asyncio
import shutil
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult, Tool

from app.features.mcp.server import PAGE_CHARACTERS, make_server
from app.services import Services
from app.settings.settings import Settings
from app.settings.sites import SITE_FACTOR, SiteSettings

TOWN = SiteSettings(key="town", name="Otterfurt", sources=["town"])


@pytest.fixture
def services(site_settings: Settings) -> Iterator[Services]:
    with Services(site_settings.model_copy(update={"sites": [TOWN]})) as services:
        yield services


def call(services: Services, tool: str, **arguments: Any) -> CallToolResult:
    async def ask() -> CallToolResult:
        async with Client(make_server(services, "town")) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(ask())


def result(services: Services, tool: str, **arguments: Any) -> Any:
    answer = call(services, tool, **arguments)
    assert not answer.is_error, answer.content
    document = answer.structured_content or {}
    return document.get("result", document)


def repr_cut(value: Any) -> str:
    return repr(value)[:40]


def _only_reads(tool: Tool) -> bool:
    return bool(tool.annotations and tool.annotations.read_only_hint)


def test_the_server_tells_its_name_and_version(services: Services) -> None:
    async def told() -> tuple[str, str]:
        async with Client(make_server(services, "town")) as client:
            assert client.server_info is not None
            return client.server_info.name, client.server_info.version

    assert asyncio.run(told()) == ("auskunft", version("auskunft"))


def test_there_are_three_tools_that_only_read(services: Services) -> None:
    async def tools() -> dict[str, bool]:
        async with Client(make_server(services, "town")) as client:
            listed = await client.list_tools()
            return {each.name: _only_reads(each) for each in listed.tools}

    assert asyncio.run(tools()) == {"search": True, "ask": True, "get_page": True}


def test_a_search_gives_pages_with_the_passage_that_matches(services: Services) -> None:
    first, *_ = result(services, "search", query="How much is the dog tax?", limit=3)
    assert (first["source"], first["id"], first["language"]) == ("town", "dog-tax", "en")
    assert first["url"].startswith("https://town.example/dog-tax")
    assert "96 euros" in first["passage"]


def test_a_question_is_answered_with_its_sources(services: Services) -> None:
    answer = result(services, "ask", question="How much is the dog tax?")
    assert answer["status"] == "extractive"
    assert "96 euros" in answer["answer"]
    assert answer["sources"][0]["title"] == "Dog tax"


def test_a_page_is_given_in_parts(services: Services) -> None:
    page = result(services, "get_page", source="town", id="dog-tax", language="en")
    assert (page["title"], page["next_offset"]) == ("Dog tax", None)
    assert page["text"].startswith("The dog tax is 96 euros")
    rest = result(services, "get_page", source="town", id="dog-tax", language="en", offset=4)
    assert page["text"][4:] == rest["text"]
    assert len(page["text"]) < PAGE_CHARACTERS


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search", {"query": ""}),
        ("search", {"query": "x" * 5_000}),
        ("ask", {"question": " "}),
        ("get_page", {"source": "law", "id": "dog-tax", "language": "en"}),
        ("get_page", {"source": "town", "id": "../../etc/passwd", "language": "en"}),
        ("get_page", {"source": "Town Hall", "id": "dog-tax", "language": "en"}),
        ("get_page", {"source": "", "id": "dog-tax", "language": "en"}),
        ("get_page", {"source": "town", "id": "dog-tax", "language": "English"}),
        ("get_page", {"source": "town", "id": "dog-tax", "language": "e" * 100_000}),
        ("get_page", {"source": "town", "id": "", "language": "en"}),
        ("get_page", {"source": "town", "id": "dog\0tax", "language": "en"}),
        ("get_page", {"source": "town", "id": "x" * 100_000, "language": "en"}),
        ("get_page", {"source": "town", "id": "dog-tax", "language": "en", "offset": "x"}),
        ("get_page", {"source": "town", "id": 7, "language": ["en"]}),
        ("get_page", {}),
        ("search", {"query": "dog tax", "limit": "many"}),
        ("search", {"query": None}),
        ("ask", {"question": {"text": "dog tax"}}),
    ],
    ids=repr_cut,
)
def test_what_cannot_be_done_is_told_in_a_sentence_and_breaks_nothing(
    services: Services, caplog: pytest.LogCaptureFixture, tool: str, arguments: dict[str, Any]
) -> None:
    answer = call(services, tool, **arguments)
    assert answer.is_error
    [said] = answer.content
    assert said.type == "text" and "Traceback" not in said.text and len(said.text) < 900
    assert [record for record in caplog.records if record.exc_info or record.levelname == "ERROR"] == []


@pytest.mark.parametrize("number", [-(2**70), -1, 2**31, 2**70])
def test_numbers_that_are_too_large_or_small_are_taken_as_the_next_possible(
    services: Services, number: int
) -> None:
    assert result(services, "search", query="dog tax", limit=number)
    page = result(services, "get_page", source="town", id="dog-tax", language="en", offset=number)
    assert bool(page["text"]) == (number < 0)


def test_a_program_may_ask_as_often_as_all_visitors_of_a_website(services: Services) -> None:
    scarce = TOWN.model_copy(update={"questions_per_minute": 1})

    async def ask(limited: Services) -> list[CallToolResult]:
        async with Client(make_server(limited, "town")) as client:
            return [await client.call_tool("ask", {"question": "dog tax"}) for _ in range(SITE_FACTOR + 1)]

    with Services(services.settings.model_copy(update={"sites": [scarce]})) as limited:
        answers = asyncio.run(ask(limited))
    assert [answer.is_error for answer in answers] == [False] * SITE_FACTOR + [True]
    [said] = answers[-1].content
    assert said.type == "text" and "try again in" in said.text


def test_texts_that_an_admin_writes_count_from_the_next_question_on(
    indexed_site: Path, site_settings: Settings, tmp_path: Path
) -> None:
    data = shutil.copytree(indexed_site, tmp_path / "data")
    zeppelin = {"question": "Is there a Zeppelin to Mars?"}

    async def ask(services: Services) -> list[str]:
        async with Client(make_server(services, "town")) as client:
            before = await client.call_tool("ask", zeppelin)
            texts = {"contact": "Town hall, 0555 4711"}
            services.site_texts.save("town", texts, "ada", version=0, before={}, after=texts)
            return [
                str(each.structured_content) for each in (before, await client.call_tool("ask", zeppelin))
            ]

    with Services(site_settings.model_copy(update={"data": data, "sites": [TOWN]})) as services:
        before, after = asyncio.run(ask(services))
    assert ("0555 4711" in before, "0555 4711" in after) == (False, True)


def test_a_page_that_was_taken_out_is_not_given(
    indexed_site: Path, site_settings: Settings, tmp_path: Path
) -> None:
    data = shutil.copytree(indexed_site, tmp_path / "data")
    with Services(site_settings.model_copy(update={"data": data, "sites": [TOWN]})) as services:
        page = {"source": "town", "id": "pool", "language": "en"}
        assert not call(services, "get_page", **page).is_error
        services.store.exclude("town", "pool")
        assert call(services, "get_page", **page).is_error
