"""The completions feature: the chat in the form of OpenAI's API."""

from typing import Final

from app.feature import Feature

feature: Final = Feature(
    package=__package__, blueprints=(f"{__package__}.api:blueprint",), large_bodies=("/v1/",)
)
