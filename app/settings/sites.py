"""Settings of sites: one table ``[[sites]]`` each in ``auskunft.toml``."""

from collections import Counter
from ipaddress import ip_address
from typing import Annotated, Final, Self
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from app.settings.addresses import DEFAULT_PORTS, origin_of, shown
from app.settings.handover import HandoverSettings

MOST_EXAMPLES: Final = 6
"""Example questions that a chat shows."""

SITE_FACTOR: Final = 10
"""As many times as one visitor of a site all of them together may ask in a minute."""

_KEY: Final = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"


def is_loopback(host: str) -> bool:
    """True if a host's name or address is this machine's for itself alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _origin(text: str) -> str:
    """Return the origin that ``text`` is. Raises ``ValueError`` if it is more, or none."""
    origin = origin_of(text)
    if text.rstrip("/").lower() not in (origin, f"{origin}:{DEFAULT_PORTS[urlsplit(origin).scheme]}"):
        raise ValueError(f"{shown(text)!r} is more than an origin: give {origin!r}")
    return origin


def _web_address(text: str) -> str:
    if not text:
        return text
    origin = text.partition("?")[0].partition("#")[0]
    try:
        origin_of(origin)
    except ValueError:
        raise ValueError(f"{shown(text)!r} is no address: give https://www.town.example/privacy") from None
    return text


def _public_url(text: str) -> str:
    if text:
        _origin(text)
    return text


def _time_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"{shown(name)!r} is no time zone: give one such as Europe/Berlin") from None
    return name


def _region(code: str) -> str:
    if code in ("", "DE"):
        return code
    import holidays  # noqa: PLC0415 - most sites need no check

    country, _, part = code.partition("-")
    known = holidays.list_supported_countries(include_aliases=False)
    if country not in known or (part and part not in known[country]):
        raise ValueError(f"{shown(code)!r} is no region: give a country such as DE, or a part such as DE-HE")
    return code


Origin = Annotated[str, AfterValidator(_origin)]
PublicUrl = Annotated[str, AfterValidator(_public_url)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
TimeZone = Annotated[str, AfterValidator(_time_zone)]
Region = Annotated[str, AfterValidator(_region)]
Example = Annotated[str, Field(min_length=1, max_length=200)]
IndexName = Annotated[str, Field(pattern=_KEY)]


class IndexSettings(BaseModel):
    """One of the indexes that a site's visitors may choose. ``sources``: what is searched. ``preset``: in
    place of the installation's. ``label``: shown in the chat; the index's name if empty."""

    model_config = ConfigDict(extra="forbid")

    sources: list[str] = Field(min_length=1)
    preset: str = ""
    label: str = Field(default="", max_length=100, pattern=r"^[^\n\r]*$")


class SiteTexts(BaseModel):
    """The texts of a site, which admins can change in the console too.

    ``name`` and ``examples`` (questions): shown in the chat. ``subject``: one line about what the website is
    about; the language model is told it, with the name. ``contact``: whom to ask where no page answers, in
    place of the installation's.
    """

    model_config = ConfigDict(extra="forbid")

    name: str = Field(default="", max_length=100)
    subject: str = Field(default="", max_length=200, pattern=r"^[^\n\r]*$")
    contact: str = ""
    examples: list[Example] = Field(default=[], max_length=MOST_EXAMPLES)


class SiteSettings(SiteTexts):
    """One website with the chat.

    ``key``: the site's public name; no secret. ``origins``: whose pages may ask. ``sources``: what is
    searched; empty: all. ``indexes``: what visitors may choose instead, by name, such as the same texts
    indexed by several presets; the first is searched where none is chosen, and its sources and preset are
    the site's. ``preset``: in place of the installation's. ``language`` and ``privacy_url``: shown in the
    chat. ``questions_per_minute``: of one visitor. ``daily_answers``: answers of the language model a day,
    from midnight UTC; after that, answers are verbatim passages. ``retention_days``: how long conversations
    are kept. ``energy``: each answer says what energy it took, where that is known. ``time_zone`` (IANA) and
    ``region`` (ISO 3166: a country or a part of it; empty: none): whose clock and public holidays decide what
    is open. ``cards``: opening hours, prices, contacts and what to bring stand above the answer for whoever
    asks for them. ``handover``: to whom visitors can turn where an answer does not help. ``suspended``: as if
    the site did not exist.
    """

    key: str = Field(pattern=_KEY)
    origins: list[Origin] = []
    sources: list[str] = []
    indexes: dict[IndexName, IndexSettings] = Field(default={}, max_length=20)
    preset: str = ""
    language: str = Field(default="", pattern=r"^([a-z]{2})?$")
    privacy_url: WebAddress = ""
    questions_per_minute: int = Field(default=20, gt=0)
    daily_answers: int = Field(default=10_000, ge=0)
    retention_days: int = Field(default=30, gt=0, le=3_650)
    energy: bool = False
    time_zone: TimeZone = "Europe/Berlin"
    region: Region = "DE"
    cards: bool = True
    handover: HandoverSettings | None = None
    suspended: bool = False

    @model_validator(mode="after")
    def _searches_its_first_index(self) -> Self:
        if not self.indexes:
            return self
        first = next(iter(self.indexes.values()))
        if self.sources not in ([], first.sources) or self.preset not in ("", first.preset):
            raise ValueError("with indexes, give sources and preset to each of them, not to the site")
        self.sources, self.preset = first.sources, first.preset
        return self

    def variants(self) -> list["SiteSettings"]:
        """Return the site with the sources and preset of each of its indexes; itself if it has none."""
        return [self.with_index(name) for name in self.indexes] or [self]

    def with_index(self, name: str) -> "SiteSettings":
        """Return the site with the sources and preset of this index. Raises ``KeyError``."""
        index = self.indexes[name]
        return self.model_copy(update={"sources": index.sources, "preset": index.preset})

    def searches(self, sources: frozenset[str]) -> bool:
        """True if any of these sources is searched, by whichever index."""
        return any(not each.sources or not sources.isdisjoint(each.sources) for each in self.variants())


def _distinct(sites: list[SiteSettings]) -> list[SiteSettings]:
    twice = [key for key, count in Counter(site.key for site in sites).items() if count > 1]
    if twice:
        raise ValueError(f"site {twice[0]!r} is there twice: give each a key of its own")
    return sites


SiteTables = Annotated[list[SiteSettings], AfterValidator(_distinct)]
