"""``auskunft mcp`` over standard input and output, started by the SDK's own client."""

import asyncio

from mcp import Client, StdioServerParameters

from tests.fakes.command import PROGRAM, Command


def test_a_client_starts_it_and_searches(indexed: Command) -> None:
    server = StdioServerParameters(
        command=str(PROGRAM), args=["mcp"], env=indexed.environment(), cwd=indexed.folder
    )

    async def first_title() -> str:
        async with Client(server, read_timeout_seconds=60) as client:
            found = await client.call_tool("search", {"query": "swimming pool"})
            hits = (found.structured_content or {})["result"]
            return str(hits[0]["title"])

    assert asyncio.run(first_title()).startswith("Swimming pool")


def test_an_unknown_site_is_refused(indexed: Command) -> None:
    assert "is unknown: use 'default'" in indexed.run("mcp", "--site", "nobody").complaint(2)
