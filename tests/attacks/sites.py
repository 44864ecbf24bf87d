"""The websites of the attacked installation."""

from typing import Final

from app.settings.sites import SiteSettings

TOKEN: Final = "an-administrator-token-of-attacks"
BEARER: Final = {"Authorization": f"Bearer {TOKEN}"}
TOWN: Final = "https://www.otterfurt.example"
HARBOUR: Final = "https://harbour.example:8443"
OFTEN: Final = 1_000_000
QUESTION: Final = "How much is the dog tax in euros?"

SITES: Final = [
    SiteSettings(key="town", origins=[TOWN], questions_per_minute=OFTEN, contact="hall@otterfurt.example"),
    SiteSettings(key="harbour", origins=[HARBOUR], questions_per_minute=OFTEN),
    SiteSettings(key="scarce", origins=[TOWN], questions_per_minute=2),
    SiteSettings(key="gone", origins=[TOWN], suspended=True),
]
