"""Settings of sites: one table ``[[sites]]`` in ``auskunft.toml`` for each."""

from collections import Counter
from ipaddress import ip_address
from typing import Annotated, Final, Self
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from app.settings.addresses import DEFAULT_PORTS, origin_of, shown
from app.settings.handover import HandoverSettings

MOST_EXAMPLES: Final = 6
"""Maximum number of example questions in a chat."""

SITE_FACTOR: Final = 10
"""All visitors of a site together may ask this many times as many questions a minute as one visitor."""

_KEY: Final = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"


def is_loopback(host: str) -> bool:
    """Return True if a host's name or address is a loopback one."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _origin(text: str) -> str:
    """Return ``text`` as a normalised origin. Raises ``ValueError`` if it is not one, or more than that."""
    origin = origin_of(text)
    if text.rstrip("/").lower() not in (origin, f"{origin}:{DEFAULT_PORTS[urlsplit(origin).scheme]}"):
        raise ValueError(f"{shown(text)!r} is more than an origin: use {origin!r}")
    return origin


def _web_address(text: str) -> str:
    if not text:
        return text
    origin = text.partition("?")[0].partition("#")[0]
    try:
        origin_of(origin)
    except ValueError:
        raise ValueError(f"{shown(text)!r} is not an address: use https://www.town.example/privacy") from None
    return text


def _public_url(text: str) -> str:
    if text:
        _origin(text)
    return text


def _time_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"{shown(name)!r} is not a time zone: use one such as Europe/Berlin") from None
    return name


def _region(code: str) -> str:
    if code in ("", "DE"):
        return code
    import holidays  # noqa: PLC0415 - most sites need no check

    country, _, part = code.partition("-")
    known = holidays.list_supported_countries(include_aliases=False)
    if country not in known or (part and part not in known[country]):
        raise ValueError(
            f"{shown(code)!r} is not a region: use a country such as DE, or a part of one such as DE-HE"
        )
    return code


Origin = Annotated[str, AfterValidator(_origin)]
PublicUrl = Annotated[str, AfterValidator(_public_url)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
TimeZone = Annotated[str, AfterValidator(_time_zone)]
Region = Annotated[str, AfterValidator(_region)]
Example = Annotated[str, Field(min_length=1, max_length=200)]
IndexName = Annotated[str, Field(pattern=_KEY)]


class IndexSettings(BaseModel):
    """One of the indexes that a site's visitors may choose. ``sources``: the sources searched. ``preset``:
    replaces the installation's. ``label``: shown in the chat; if empty, the index's name is."""

    model_config = ConfigDict(extra="forbid")

    sources: list[str] = Field(min_length=1)
    preset: str = ""
    label: str = Field(default="", max_length=100, pattern=r"^[^\n\r]*$")


class SiteTexts(BaseModel):
    """The texts of a site, which admins can change in the console too.

    ``name`` and ``examples`` (questions): shown in the chat. ``subject``: one line on the subject of the
    website, which the language model is given together with the name. ``contact``: whom to ask if no page
    answers; replaces the installation's.
    """

    model_config = ConfigDict(extra="forbid")

    name: str = Field(default="", max_length=100)
    subject: str = Field(default="", max_length=200, pattern=r"^[^\n\r]*$")
    contact: str = ""
    examples: list[Example] = Field(default=[], max_length=MOST_EXAMPLES)


class SiteSettings(SiteTexts):
    """One website with the chat.

    * ``key``: the site's public name, not a secret
    * ``origins``: the websites whose pages may ask
    * ``sources``: the sources searched; empty: all
    * ``indexes``: alternatives that visitors may choose, by name, such as the same texts indexed by several
      presets. The first is the default, and its sources and preset are the site's
    * ``preset``: replaces the installation's
    * ``language``, ``privacy_url``: shown in the chat
    * ``questions_per_minute``: of one visitor
    * ``daily_answers``: answers by the language model a day, from midnight UTC; after that, answers are
      verbatim passages
    * ``retention_days``: how long conversations are kept
    * ``energy``: each answer states the energy that it took, if known
    * ``time_zone`` (IANA), ``region`` (ISO 3166: a country or a part of it; empty: none): the clock and the
      public holidays that decide what is open
    * ``cards``: opening hours, prices, contacts and what to bring stand above answers to questions about them
    * ``handover``: the contact for visitors whom an answer does not help
    * ``suspended``: treat the site as if it did not exist
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
            raise ValueError("a site with indexes cannot have sources or a preset: set them for each index")
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
        """Return True if any index of the site searches one of these sources."""
        return any(not each.sources or not sources.isdisjoint(each.sources) for each in self.variants())


def _distinct(sites: list[SiteSettings]) -> list[SiteSettings]:
    twice = [key for key, count in Counter(site.key for site in sites).items() if count > 1]
    if twice:
        raise ValueError(f"site {twice[0]!r} appears twice: use a different key for each")
    return sites


SiteTables = Annotated[list[SiteSettings], AfterValidator(_distinct)]
