"""Settings of sources: one table ``[sources.NAME]`` in ``auskunft.toml`` for each."""

import binascii
import re
from base64 import b64decode
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Final
from urllib.parse import quote

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from app.settings.addresses import origin_of, shown
from app.settings.options import Option, known_options, mask_secrets, reveal_secrets
from ingest.fetching.addresses import AllowList
from ingest.options import is_secret

MIN_KEY_BYTES: Final = 24
MAX_SECONDS: Final = 10 * 365 * 24 * 3_600
"""Ten years, which keeps dates within the calendar's range."""

_EXAMPLE: Final = "use https://cms.town.example/edit/{id}; {id} or {url} stands for the page's id or address"
_SECRET_PREFIX: Final = "whsec_"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def key_of(secret: str) -> bytes:
    """Decode the key in a secret such as ``whsec_MfKQ...``. Raises ``ValueError`` without repeating it."""
    try:
        key = b64decode(secret.removeprefix(_SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) < MIN_KEY_BYTES:
        raise ValueError(
            f"a secret must be whsec_ followed by at least {MIN_KEY_BYTES} random bytes in Base64"
        )
    return key


class SourceSettings(BaseModel):
    """One source.

    * ``kind``: the plugin that pulls it; without one, its pages only come by events
    * ``every``: seconds between two scheduled pulls; without it, the source is pulled on demand
    * ``full_every``: seconds between two complete listings; pulls in between list only later updates
    * ``secrets``: the keys that sign its events; several, so that one can be replaced without a pause
    * ``events_per_minute``: the rate limit of its messages
    * ``preset``: determines how its pages are chunked, instead of the installation's
    * ``edit_url``: the address at which the CMS edits a page, with ``{id}`` or ``{url}`` for the page's

    All other keys are the plugin's options; a list of strings becomes one string with commas.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Option]

    kind: str = ""
    every: float | None = Field(default=None, gt=0, le=MAX_SECONDS)
    full_every: float = Field(default=0, ge=0, le=MAX_SECONDS)
    secrets: list[SecretStr] = []
    events_per_minute: int = Field(default=600, gt=0)
    preset: str = ""
    edit_url: str = ""

    @model_validator(mode="before")
    @classmethod
    def _join_lists(cls, table: Any) -> Any:
        if not isinstance(table, dict):
            return table
        known = cls.model_fields
        _refuse_misspelt(table, known)
        return {
            key: value if key in known or is_secret(key) else _join(value) for key, value in table.items()
        }

    @field_validator("secrets")
    @classmethod
    def _are_keys(cls, secrets: list[SecretStr]) -> list[SecretStr]:
        for secret in secrets:
            key_of(secret.get_secret_value())
        return secrets

    @field_validator("edit_url")
    @classmethod
    def _names_a_page(cls, text: str) -> str:
        if not text:
            return text
        without = text.replace("{id}", "").replace("{url}", "")
        if without == text or "{" in without or "}" in without:
            raise ValueError(f"{shown(text)!r} does not identify a page: {_EXAMPLE}")
        try:
            origin_of(re.split("[?#]", text)[0])
        except ValueError:
            raise ValueError(f"{shown(text)!r} is not an address: {_EXAMPLE}") from None
        return text

    def edit_address(self, page_id: str, url: str) -> str:
        """Return the address at which the CMS edits a page; empty if unknown."""
        if "{url}" in self.edit_url and not url:
            return ""
        places = {"{id}": quote(page_id, safe="/"), "{url}": quote(url, safe="")}
        return re.sub(r"\{(?:id|url)\}", lambda place: places[place[0]], self.edit_url)

    def options(self) -> dict[str, Any]:
        """Return the plugin's options, with secrets in plain text."""
        return reveal_secrets(self.__pydantic_extra__ or {})


def _join(value: Any) -> Any:
    is_list = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return ",".join(value) if is_list else value


def _check_names(sources: dict[str, SourceSettings]) -> dict[str, SourceSettings]:
    for name, source in sources.items():
        if not _NAME.fullmatch(name):
            raise ValueError(f"source {name!r}: use 1 to 64 of a-z, 0-9, '-' and '_'")
        if not (source.kind or source.secrets or source.preset or source.edit_url):
            raise ValueError(
                f'source {name!r} has no kind: set kind = "cms", or secrets to receive its events'
            )
        source.__pydantic_extra__ = mask_secrets(source.__pydantic_extra__ or {})
    return sources


def _refuse_misspelt(table: Mapping[str, Any], fields: Iterable[str]) -> None:
    """Raise ``ValueError`` for a key that is nearly one of ``fields``, or of the options of the source's
    plugin. Other unknown keys are reported when the plugin is used."""
    options = known_options("sources", table.get("kind"))
    known = [*fields, *options]
    for key in table:
        near = get_close_matches(key, known, n=1, cutoff=0.8)
        if near and key not in known:
            raise ValueError(f"unknown option {key!r}: did you mean {near[0]!r}?")


def _check_addresses(entries: list[str]) -> list[str]:
    AllowList.parse(entries)
    return entries


AllowedAddresses = Annotated[list[str], AfterValidator(_check_addresses)]
"""Networks and host names in the form of :class:`ingest.fetching.AllowList`."""

SourceTables = Annotated[dict[str, SourceSettings], AfterValidator(_check_names)]
