"""Reads a stream of server-sent events as a browser does."""

import json
from typing import Any


def parse(stream: str) -> list[tuple[str, Any]]:
    """``(event, data)`` for every event; comments are left out."""
    found = []
    for block in stream.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line and not line.startswith(":"))
        if fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def named(events: list[tuple[str, Any]], name: str) -> list[Any]:
    """The data of the events of one name."""
    return [data for event, data in events if event == name]
