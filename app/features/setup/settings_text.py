"""The text of a new installation's settings file. Pure functions."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from app.features.setup.site_facts import SiteFacts

PULL_SECONDS: Final = 86_400
MAX_KEY: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSite:
    """A website to answer from.

    ``key``: of its site and source. ``origin``: of its start page at ``address``. ``allow``: its host, if
    that is not public. ``port``: of this service.
    """

    key: str
    address: str
    origin: str
    facts: SiteFacts
    allow: str = ""
    port: int = 8000

    @property
    def public_url(self) -> str:
        """A likely address of this service; on this machine for a website that is not public."""
        host = (urlsplit(self.origin).hostname or "").removeprefix("www.")
        return f"http://127.0.0.1:{self.port}" if self.allow else f"https://chat.{host}"

    @property
    def region(self) -> str:
        """The country of its top-level domain, otherwise Germany for German pages; empty if unknown."""
        domain = (urlsplit(self.origin).hostname or "").rpartition(".")[2]
        country = {"uk": "GB"}.get(domain, domain.upper())
        in_germany = "DE" if self.facts.languages[:1] == ("de",) else ""
        return country if country in _ZONES else in_germany

    @property
    def time_zone(self) -> str:
        """The time zone of its region; empty if unknown."""
        return _ZONES.get(self.region, "")

    def source(self) -> dict[str, Any]:
        """Return the settings of the source."""
        return {"kind": "website", "address": self.address, "every": PULL_SECONDS}

    def site(self, examples: Sequence[str] = ()) -> dict[str, Any]:
        """Return the settings of the site, without those that are unknown."""
        facts = self.facts
        table = {
            "key": self.key,
            "name": facts.name,
            "language": next(iter(facts.languages), ""),
            "origins": [self.origin],
            "sources": [self.key],
            "contact": facts.contact,
            "privacy_url": facts.privacy,
            "time_zone": self.time_zone,
            "region": self.region,
            "examples": list(examples),
        }
        return {name: value for name, value in table.items() if value}


_COMMENTS: Final = {
    "every": "seconds: `auskunft serve` looks once a day what changed",
    "key": "of the line in the website's pages",
    "name": "the chat's heading",
    "language": "where a page does not name its own",
    "origins": "whose pages may ask",
    "sources": "what is searched",
    "contact": "shown where the pages have no answer",
    "region": "whose public holidays count; also a part, such as DE-HE",
    "examples": "questions to begin with",
}

_ZONES: Final = {
    "AT": "Europe/Vienna",
    "BE": "Europe/Brussels",
    "CH": "Europe/Zurich",
    "CZ": "Europe/Prague",
    "DE": "Europe/Berlin",
    "DK": "Europe/Copenhagen",
    "FI": "Europe/Helsinki",
    "FR": "Europe/Paris",
    "GB": "Europe/London",
    "IE": "Europe/Dublin",
    "IT": "Europe/Rome",
    "LI": "Europe/Vaduz",
    "LU": "Europe/Luxembourg",
    "NL": "Europe/Amsterdam",
    "NO": "Europe/Oslo",
    "PL": "Europe/Warsaw",
    "SE": "Europe/Stockholm",
}
"""Countries with a single time zone."""

_UNKNOWN_PLACE: Final = """\
# Whose clock and public holidays decide what is open today: those of Germany, unless you say otherwise.
# time_zone = "Europe/London"
# region = "GB-ENG"                             # a country, or a part of it"""

_SECOND_LEVELS: Final = frozenset({"ac", "co", "com", "edu", "gov", "gv", "gouv", "net", "or", "org"})
"""Second-level domains under top-level domains such as "uk" and "at"."""

_HEAD: Final = """\
# Settings of Auskunft, written by `auskunft init` for {name}.
# `auskunft config` says what holds, docs/settings.md what else can be set. Passwords and keys belong into
# the environment, not here.

# Where browsers see this service; the website's pages name it.
# public_url = "{public_url}"
"""
_TAIL: Final = """
# A language model that writes the answers; without one they quote the pages. Any OpenAI-compatible
# endpoint will do; its key goes into AUSKUNFT_CHAT__API_KEY.
# [chat]
# base_url = "http://127.0.0.1:11434/v1"
# model = "qwen3:8b"
"""


def site_key(address: str) -> str:
    """Return a key for the website: the longest part of its host's name without the top-level domain."""
    *parts, _ = (urlsplit(address).hostname or "").lower().removeprefix("www.").split(".")
    if len(parts) > 1 and parts[-1] in _SECOND_LEVELS:
        parts.pop()
    words = [part for part in parts if re.fullmatch(r"[a-z0-9-]*[a-z][a-z0-9-]*", part)]
    return max(words, key=len, default="")[:MAX_KEY].strip("-") or "site"


def settings_text(new_site: NewSite, examples: Sequence[str] = ()) -> str:
    """Return the file's text. ``examples``: questions that the chat offers at its start."""
    lines = [_HEAD.format(name=_plain(new_site.facts.name), public_url=new_site.public_url)]
    if new_site.allow:
        lines += [
            "# No public address: it may be read because it was named.",
            f"fetch_allow = {_value([new_site.allow])}\n",
        ]
    lines += [f"[sources.{new_site.key}]", *_lines(new_site.source())]
    facts = new_site.facts
    told = {"imprint": facts.imprint, "languages of the pages": ", ".join(facts.languages)}
    lines += ["", *(f"# {name}: {value}" for name, value in told.items() if value)]
    lines += ["[[sites]]", *_lines(new_site.site(examples)), *([] if new_site.region else [_UNKNOWN_PLACE])]
    lines += [_TAIL]
    return "\n".join(lines)


def _lines(table: dict[str, Any]) -> list[str]:
    written = {name: f"{name} = {_value(value)}" for name, value in table.items()}
    return [
        f"{line:<48}# {_COMMENTS[name]}" if name in _COMMENTS and "\n" not in line else line
        for name, line in written.items()
    ]


def _value(value: str | int | list[str]) -> str:
    """Return a value as TOML: strings as in JSON, and lists of several strings with one per line."""
    if isinstance(value, list) and len(value) > 1:
        return "[\n" + "".join(f"    {_value(each)},\n" for each in value) + "]"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(_plain(value) if isinstance(value, str) else value, ensure_ascii=False)


def _plain(text: str) -> str:
    """Return the text without line breaks and characters that TOML does not allow."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())
