"""The ``User-Agent`` under which pages are fetched."""

from typing import Final

USER_AGENT: Final = "Auskunft"
