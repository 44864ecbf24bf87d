"""Settings: keyword arguments, then ``AUSKUNFT_*`` variables, then ``auskunft.toml``.

This module is the only reader of the environment.

Nested settings use two underscores: ``AUSKUNFT_CHAT__BASE_URL``. The file is ``auskunft.toml`` in the
working folder, or the one that ``AUSKUNFT_CONFIG`` names. Times are in seconds, sizes in bytes.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)
from pydantic_settings import SettingsError as EnvironmentSettingsError

from app.errors import SettingsError
from app.settings.addresses import check_server
from app.settings.chat import ChatSettings
from app.settings.console import ConsoleSettings
from app.settings.contexts import ContextSettings
from app.settings.energy import EnergySettings
from app.settings.fields import FieldTables
from app.settings.judge import JudgeSettings
from app.settings.letter import LetterSettings
from app.settings.mail import SmtpSettings
from app.settings.messages import explain, unknown_setting
from app.settings.options import PluginOptions, ThresholdTables, reveal_secrets
from app.settings.places import PREFIX, Places
from app.settings.sites import PublicUrl, SiteTables
from app.settings.sources import MAX_SECONDS, AllowedAddresses, SourceTables
from ingest.options import table_name

_HOST = re.compile(r"https?://([\w.-]+|\[[0-9a-fA-F:]+\]):\d{1,5}(/[\w./-]*)?")
_KEY = re.compile(r"[A-Za-z0-9+/=_:-]*")
_FINGERPRINT = re.compile(r"(([0-9a-fA-F]{2}:?){32})?")
MIN_TOKEN_CHARACTERS = 24
DEFAULT_RERANKER: Final = "lexical-blocks"
_OTHER_VARIABLE: Final = re.compile(
    rf"{PREFIX}((CONFIG|REQUIRE_SERVICES|SEED|FAULT_SEED|KILLS|TEST_\w+)=.*"
    r"|\w+_SERVICE_(HOST|PORT)\w*=.*|\w+_PORT=(tcp|udp)://.*|\w+_PORT_\d+_(TCP|UDP)\w*=.*)",
    re.DOTALL,
)
"""Variables that are not settings: the file's name, those of our tests, and those that Kubernetes and Docker
set for services whose names begin like ours, such as ``AUSKUNFT_WEB_SERVICE_HOST``."""


LanguageCode = Annotated[str, Field(pattern=r"^([a-z]{2}|und)$")]


class ElasticsearchSettings(BaseSettings):
    """The connection to Elasticsearch and the settings of its indices.

    * ``url``: one, or several of one cluster, separated by commas
    * ``fingerprint``: SHA-256 of the server's certificate, instead of a CA file
    * ``prefix``: of the indices' names, and the alias of the live one
    * ``languages``: the analyzer, built-in or from ``analysis``, for each language of pages and questions
    * ``analysis``: a JSON file of further analyzers, filters and synonyms
    * ``vectors``: index type for the content's vectors; ``auto`` is ``flat`` (exact), ``hnsw`` from 20,000
      and ``int8_hnsw`` from 200,000 vectors up
    """

    elasticsearch_url: str = "http://127.0.0.1:9200"
    elasticsearch_username: str = ""
    elasticsearch_password: SecretStr = SecretStr("")
    elasticsearch_api_key: SecretStr = SecretStr("")
    elasticsearch_ca: Path | None = None
    elasticsearch_fingerprint: str = ""
    elasticsearch_prefix: str = Field(default="auskunft", pattern=r"^[a-z][a-z0-9_]{0,63}$")
    elasticsearch_languages: dict[LanguageCode, str] = {"de": "german", "en": "english", "fr": "french"}
    elasticsearch_analysis: Path | None = None
    elasticsearch_vectors: Literal["auto", "flat", "hnsw", "int8_hnsw", "bbq_hnsw"] = "auto"
    elasticsearch_element_type: Literal["auto", "float", "bfloat16"] = "auto"
    elasticsearch_shards: int = Field(default=1, gt=0, le=1_024)
    elasticsearch_replicas: int = Field(default=0, ge=0, le=10)
    elasticsearch_gc_deletes: str = Field(default="1h", pattern=r"^\d+(ms|s|m|h|d)$")
    elasticsearch_search_seconds: float = Field(default=5.0, gt=0)
    elasticsearch_bulk_seconds: float = Field(default=60.0, gt=0)
    elasticsearch_bulk_bytes: int = Field(default=8_000_000, gt=0)

    @property
    def elasticsearch_hosts(self) -> list[str]:
        """The hosts' addresses."""
        return [host.strip() for host in self.elasticsearch_url.split(",") if host.strip()]

    @model_validator(mode="after")
    def _can_connect(self) -> Self:
        if not self.elasticsearch_hosts:
            raise ValueError("elasticsearch_url is empty: set an address such as http://host:9200")
        for host in self.elasticsearch_hosts:
            if "@" in host:
                raise ValueError("elasticsearch_url contains a name or password: use elasticsearch_username")
            if not _HOST.fullmatch(host):
                raise ValueError("elasticsearch_url: use addresses such as http://host:9200, with the port")
        if bool(self.elasticsearch_username) != bool(self.elasticsearch_password.get_secret_value()):
            raise ValueError("set both elasticsearch_username and elasticsearch_password, or neither")
        if self.elasticsearch_username and self.elasticsearch_api_key.get_secret_value():
            raise ValueError("set elasticsearch_api_key or elasticsearch_username, not both")
        if not _KEY.fullmatch(self.elasticsearch_api_key.get_secret_value()):
            raise ValueError("elasticsearch_api_key is not a key: use the Base64 form, without a line break")
        if not _FINGERPRINT.fullmatch(self.elasticsearch_fingerprint):
            raise ValueError("elasticsearch_fingerprint: use the SHA-256 in 64 hexadecimal digits")
        return self


class Settings(ElasticsearchSettings):
    """All settings; ``auskunft config`` prints them with secrets masked."""

    model_config = SettingsConfigDict(
        env_prefix="AUSKUNFT_", env_nested_delimiter="__", env_ignore_empty=True, extra="forbid"
    )

    data: Path = Path("data")
    database_url: SecretStr = SecretStr("")
    index: Literal["embedded", "elasticsearch"] = "embedded"
    embedder: str = "e5"
    embedders: PluginOptions = {}
    reranker: str = DEFAULT_RERANKER
    rerankers: PluginOptions = {}
    preset: str = "default"
    presets: Annotated[Path | None, Field(validate_default=True)] = None
    thresholds: ThresholdTables = {}
    sources: SourceTables = {}
    fields: FieldTables = {}
    fetch_allow: AllowedAddresses = []
    fetch_ca: Path | None = None
    fetch_seconds: float = Field(default=60.0, gt=0)
    fetch_per_second: float = Field(default=10.0, gt=0)
    contact: str = ""
    sites: SiteTables = []
    public_url: PublicUrl = ""
    admin_token: SecretStr = SecretStr("")
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65_535)
    trusted_proxies: int = Field(default=0, ge=0, le=10)
    max_page_bytes: int = Field(default=10_000_000, gt=0)
    max_event_bytes: int = Field(default=10_000_000, gt=0)
    max_chunks: int = Field(default=2_000, gt=0)
    question_characters: int = Field(default=2_000, gt=0)
    concurrent_answers: int = Field(default=48, gt=0, le=60)
    conversion_seconds: float = Field(default=60.0, gt=0)
    conversion_bytes: int = Field(default=2_000_000_000, gt=0)
    lease_seconds: float = Field(default=300.0, gt=0, le=MAX_SECONDS)
    retry_seconds: float = Field(default=30.0, gt=0, le=MAX_SECONDS)
    broker_url: SecretStr = SecretStr("")
    sweep_seconds: float = Field(default=60.0, gt=0, le=MAX_SECONDS)
    backlog_minutes: float = Field(default=15.0, gt=0, le=MAX_SECONDS)
    stop_seconds: float = Field(default=30.0, gt=0)
    chat: ChatSettings = ChatSettings()
    contexts: ContextSettings = ContextSettings()
    judge: JudgeSettings = JudgeSettings()
    energy: EnergySettings = EnergySettings()
    console: ConsoleSettings = ConsoleSettings()
    smtp: SmtpSettings = SmtpSettings()
    letter: LetterSettings = LetterSettings()

    @field_validator("presets")
    @classmethod
    def _beside_the_file(cls, folder: Path | None) -> Path | None:
        """Return the absolute path of the operator's presets. A folder in the settings is relative to their
        file; by default it is ``presets`` next to that file, if that exists."""
        found = config_file().parent / (folder or "presets")
        if found.is_dir():
            return found.absolute()
        if folder is not None:
            raise ValueError(f"{found} is not a folder")
        return None

    @model_validator(mode="after")
    def _admin_token_is_long(self) -> Self:
        if 0 < len(self.admin_token.get_secret_value()) < MIN_TOKEN_CHARACTERS:
            raise ValueError(
                f"admin_token is too short: use {MIN_TOKEN_CHARACTERS} characters or more, for example "
                "from `openssl rand -hex 32`"
            )
        return self

    @model_validator(mode="after")
    def _models_have_an_endpoint(self) -> Self:
        if self.contexts.model and not (self.contexts.base_url or self.chat.base_url):
            raise ValueError("contexts.model needs an endpoint: set contexts.base_url or chat.base_url")
        if self.judge.model and not (self.judge.base_url or self.chat.base_url):
            raise ValueError("judge.model needs an endpoint: set judge.base_url or chat.base_url")
        if self.judge.live_answers and not (self.judge.model or self.chat.model):
            raise ValueError("judge.live_answers needs a model: set judge.model or chat.model")
        return self

    @model_validator(mode="after")
    def _can_send_emails(self) -> Self:
        mailing = [site.key for site in self.sites if site.handover is not None and site.handover.email]
        if mailing and not self.smtp.host:
            raise ValueError(
                f"site {mailing[0]!r} hands messages over by e-mail: set host and sender in [smtp]"
            )
        if self.letter.to and not self.smtp.host:
            raise ValueError("letter.to needs a mail server: set host and sender in [smtp]")
        if self.letter.to and not self.public_url:
            raise ValueError("letter.to needs links to this service: set public_url")
        return self

    @model_validator(mode="after")
    def _names_postgresql(self) -> Self:
        url = self.database_url.get_secret_value()
        if url and not url.startswith(("postgresql://", "postgresql+psycopg://")):
            raise ValueError("database_url: use postgresql://user:password@host/name, or leave it empty")
        return self

    @model_validator(mode="after")
    def _names_redis(self) -> Self:
        url = self.broker_url.get_secret_value()
        if not url:
            return self
        if not url.startswith(("redis://", "rediss://")):
            raise ValueError("broker_url: use redis://host:6379/0, or leave it empty")
        check_server("broker_url", url, "redis://:password@host:6379/0")
        if not re.fullmatch(r"(/\d*)?", urlsplit(url).path):
            raise ValueError(
                "broker_url: the path must be the number of a database, as in redis://host:6379/0"
            )
        return self

    @property
    def work_seconds(self) -> float:
        """Seconds to work on a claim before the rest of it is released."""
        return 0.4 * self.lease_seconds

    def embedder_options(self, name: str) -> dict[str, Any]:
        """Return the options of the embedder ``name``, with secrets in plain text."""
        return reveal_secrets(self.embedders.get(table_name(name), {}))

    def reranker_options(self, name: str) -> dict[str, Any]:
        """Return the options of the reranker ``name``, with secrets in plain text."""
        return reveal_secrets(self.rerankers.get(table_name(name), {}))

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Give arguments precedence over the environment, and the environment over the file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, config_file())


_other_file: ContextVar[Path | None] = ContextVar("other_file", default=None)
"""The file that replaces ``auskunft.toml``."""


def load_settings(file: Path | None = None, /, **overrides: Any) -> Settings:
    """Load the effective settings. ``file``: replaces ``auskunft.toml``. Raises ``SettingsError`` with one
    line that names the setting, without a cause, because that would repeat values."""
    token = _other_file.set(file)
    try:
        return _load(overrides)
    finally:
        _other_file.reset(token)


def _load(overrides: Mapping[str, Any]) -> Settings:
    if unknown := unknown_variables(os.environ):
        known = [f"{PREFIX}{name.upper()}" for name in Settings.model_fields]
        raise SettingsError(unknown_setting(unknown[0], known, unknown[0].upper()))
    try:
        return Settings(**overrides)
    except ValidationError as error:
        raise SettingsError(explain(error, Settings)) from None
    except EnvironmentSettingsError as error:
        raise SettingsError(
            f"{str(error).partition(' from source')[0]}: use JSON, or one variable for each part"
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{config_file()} is not valid TOML: {error}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{config_file()} is not UTF-8 at byte {error.start:,}") from error
    except OSError as error:
        raise SettingsError(f"{config_file()} cannot be read: {error.strerror}") from error


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """Return the variables that look like settings but are not, sorted."""
    return sorted(
        name
        for name, value in environment.items()
        if name.upper().startswith(PREFIX)
        and name.upper().removeprefix(PREFIX).partition("__")[0].lower() not in Settings.model_fields
        and value
        and not _OTHER_VARIABLE.fullmatch(f"{name.upper()}={value}")
    )


def foreign_variable(name: str) -> str:
    """Return the value of a variable that other programs also define; empty if it is not set."""
    return os.environ.get(name, "").strip()


def setting_places() -> Places:
    """Return the places where the values of :func:`load_settings` come from."""
    file = config_file()
    return Places(file.name, file.read_text("utf-8") if file.is_file() else "", os.environ)


def config_file() -> Path:
    """Return the settings file, ``auskunft.toml`` or the one that a variable names. Raises ``SettingsError``
    if a named file does not exist."""
    if other := _other_file.get():
        if not other.is_file():
            raise SettingsError(f"settings file {other} does not exist or is not a file")
        return other
    named = os.environ.get("AUSKUNFT_CONFIG")
    if not named:
        return Path("auskunft.toml")
    if not Path(named).is_file():
        raise SettingsError(f"AUSKUNFT_CONFIG names {named!r}, which does not exist or is not a file")
    return Path(named)
