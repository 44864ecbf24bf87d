"""The MCP feature: the Model Context Protocol."""

from typing import Final

from app.feature import Command, Feature

feature: Final = Feature(
    package=__package__,
    commands={
        "mcp": Command(
            f"{__package__}.command", "Serve a site to other programs' language models.", "Answers"
        )
    },
)
