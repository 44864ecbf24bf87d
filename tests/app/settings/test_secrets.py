"""A secret is never shown, wherever it was put: a marked one in every setting that may hold one."""

import json
import logging
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

from app.chat.pipelines import make_model
from app.cli.serve import config
from app.errors import AuskunftError, SettingsError
from app.monitoring.logging import _Formatter, secrets_of
from app.monitoring.readiness import checks
from app.services import Services
from app.settings.addresses import secrets_in, shown
from app.settings.display import MASK, shown_settings
from app.settings.settings import load_settings
from app.sources.factory import make_fetcher, make_source

MARK: Final = "hush4711hush4711"

ADDRESSES: Final = {
    "user info": "{scheme}://user:{secret}@127.0.0.1:1/x",
    "user": "{scheme}://{secret}@127.0.0.1:1/x",
    "password alone": "{scheme}://:{secret}@127.0.0.1",
    "port": "{scheme}://127.0.0.1:{secret}/x",
    "query": "{scheme}://127.0.0.1:1/x?key={secret}",
    "bare query": "{scheme}://127.0.0.1:1/x?{secret}",
    "path": "{scheme}://127.0.0.1:1/{secret}/x",
}

SETTINGS_WITH_ADDRESSES: Final[dict[str, tuple[str, Any]]] = {
    "broker_url": ("redis", {"broker_url": "{value}"}),
    "database_url": ("postgresql", {"database_url": "{value}"}),
    "elasticsearch_url": ("http", {"elasticsearch_url": "{value}"}),
    "chat.base_url": ("http", {"chat": {"base_url": "{value}", "model": "m"}}),
    "public_url": ("https", {"public_url": "{value}"}),
    "sites.origins": ("https", {"sites": [{"key": "town", "origins": ["{value}"]}]}),
    "sites.privacy_url": ("https", {"sites": [{"key": "town", "privacy_url": "{value}"}]}),
    "sites.handover.form": ("https", {"sites": [{"key": "town", "handover": {"form": "{value}"}}]}),
    "sites.handover.webhook": (
        "https",
        {"sites": [{"key": "town", "handover": {"webhook": "{value}", "secret": f"whsec_{'QUFB' * 10}"}}]},
    ),
    "fetch_allow": ("https", {"fetch_allow": ["{value}"]}),
    "embedders.endpoint.base_url": (
        "http",
        {"embedder": "endpoint", "embedders": {"endpoint": {"base_url": "{value}", "model": "m"}}},
    ),
    "rerankers.endpoint.base_url": (
        "http",
        {"reranker": "endpoint", "rerankers": {"endpoint": {"base_url": "{value}"}}},
    ),
    "sources.listing_url": (
        "http",
        {
            "sources": {
                "town": {"kind": "cms", "listing_url": "{value}", "page_url": "http://127.0.0.1/{{id}}"}
            }
        },
    ),
    "sources.page_url": (
        "http",
        {
            "sources": {
                "town": {"kind": "cms", "listing_url": "http://127.0.0.1/x", "page_url": "{value}/{{id}}"}
            }
        },
    ),
}

SECRET_OPTIONS: Final[dict[str, Any]] = {
    "chat.api_key": {"chat": {"api_key": "{value}", "base_url": "http://127.0.0.1:1/v1", "model": "m"}},
    "chat.apikey": {"chat": {"apikey": "{value}"}},
    "admin_token": {"admin_token": "{value}"},
    "elasticsearch_password": {"elasticsearch_username": "u", "elasticsearch_password": "{value}"},
    "elasticsearch_api_key": {"elasticsearch_api_key": "{value}"},
    "embedders.endpoint.api_key": {"embedders": {"endpoint": {"api_key": "{value}"}}},
    "embedders.endpoint.APIKEY": {"embedders": {"endpoint": {"APIKEY": "{value}"}}},
    "embedders.endpoint.headers": {"embedders": {"endpoint": {"headers": "Authorization: Bearer {value}"}}},
    "rerankers.endpoint.api_key": {"rerankers": {"endpoint": {"api_key": "{value}"}}},
    "smtp.password": {"smtp": {"user": "u", "password": "{value}"}},
    "sites.handover.secret": {
        "sites": [{"key": "t", "handover": {"webhook": "https://t.example", "secret": "{value}"}}]
    },
    "sources.town.token": {"sources": {"town": {"kind": "cms", "token": "{value}"}}},
    "sources.town.secrets": {"sources": {"town": {"secrets": ["{value}"]}}},
    "sources.town.secrets as text": {"sources": {"town": {"secrets": "{value}"}}},
    "sources.town.secret": {"sources": {"town": {"kind": "cms", "secret": "{value}"}}},
}


def filled(template: Any, value: str) -> Any:
    """The settings with ``value`` in its place."""
    if isinstance(template, dict):
        return {key: filled(item, value) for key, item in template.items()}
    if isinstance(template, list):
        return [filled(item, value) for item in template]
    return template.replace("{value}", value).replace("{{", "{").replace("}}", "}")


def each_place(secret: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Settings with the secret in every place that may hold one."""
    for name, (scheme, template) in SETTINGS_WITH_ADDRESSES.items():
        for place, address in ADDRESSES.items():
            yield (
                f"{name}: {place}",
                filled(template, address.replace("{scheme}", scheme).replace("{secret}", secret)),
            )
    for name, template in SECRET_OPTIONS.items():
        yield name, filled(template, secret)


def config_of(settings: dict[str, Any], tmp_path: Path) -> str:
    """What ``auskunft config`` prints, and its error."""
    file = tmp_path / "auskunft.toml"
    file.write_text("")
    variables = {
        f"AUSKUNFT_{name.upper()}": value if isinstance(value, str) else json.dumps(value)
        for name, value in settings.items()
    }
    printed = ""
    for options in ([], ["--json"]):
        result = CliRunner().invoke(config, options, env={"AUSKUNFT_CONFIG": str(file), **variables})
        if isinstance(result.exception, Exception):
            assert isinstance(result.exception, SettingsError), result.exception
            assert (result.exception.exit_code, result.exception.__cause__) == (2, None)
            return f"{result.output}{result.exception}"  # with --json, too
        printed += result.output
    return printed


@example(before=",", after="://")
@given(before=st.text("aZ9/?#@:,%& ", max_size=3), after=st.text("aZ9/?#@:,%& ", max_size=3))
def test_no_address_is_shown_with_what_may_be_secret_in_it(before: str, after: str) -> None:
    for place in ("user info", "user", "password alone", "query", "bare query"):
        address = ADDRESSES[place].format(scheme="https", secret=f"{before}{MARK}{after}")
        assert MARK not in shown(address), address
        assert MARK not in shown(f"see {address} and {address}")


def test_config_and_its_errors_show_no_secret(tmp_path: Path) -> None:
    for secret in (MARK, f"{MARK}/a", f"{MARK}é", f"a b{MARK}"):
        for place, settings in each_place(secret):
            if place.endswith(("path", "bare query")) and secret != MARK:
                continue  # a part of an address that ends there
            assert MARK not in config_of(settings, tmp_path), (place, secret)


def lines_of(settings: dict[str, Any], tmp_path: Path) -> Iterator[str]:
    """What is said by everything that an address or a key is given to."""
    try:
        loaded = load_settings(**{"data": tmp_path, "embedder": "hashing", **settings})
    except SettingsError as error:
        yield str(error)
        return
    with ExitStack() as opened:
        services = opened.enter_context(Services(loaded))
        for use in (
            lambda: make_model(loaded),
            lambda: make_fetcher(loaded),
            lambda: make_source(loaded, "town", make_fetcher(loaded)),
            lambda: services.chat.sites,
        ):
            try:
                use()
            except AuskunftError as error:
                yield str(error)
        yield from (check.detail for check in checks(services))
    formatter = _Formatter(secrets_of(loaded), as_text=False)
    yield formatter.format(logging.LogRecord("x", logging.ERROR, "x", 1, f"Error: {settings}", (), None))


@pytest.mark.parametrize(
    ("place", "settings"),
    [
        (place, settings)
        for place, settings in each_place(MARK)
        if not place.startswith(("database_url", "elasticsearch", "admin"))
    ],
)
def test_status_errors_and_the_log_show_no_secret(
    tmp_path: Path, place: str, settings: dict[str, Any]
) -> None:
    said = list(lines_of(settings, tmp_path))
    assert said
    assert MARK not in " ".join(said)


@pytest.mark.parametrize(
    "url",
    [
        "redis://:PASS/a@host",
        "redis://:PASS?a@host",
        "redis://:PASS#a@host",
        "redis://host:99x/",
        "redis://host:6379/PASS",
        "redis://[::1",
        "redis://",
    ],
)
def test_a_broker_that_cannot_be_is_refused_before_anything_starts(url: str) -> None:
    with pytest.raises(SettingsError, match="broker_url") as caught:
        load_settings(broker_url=url)
    assert "PASS" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["redis://h", "rediss://u:p%2Fa@h:1/0?ssl_cert_reqs=required", "redis://[::1]:6/1"]
)
def test_a_broker_that_can_be_is_taken(url: str) -> None:
    assert load_settings(broker_url=url).broker_url.get_secret_value() == url


def test_options_of_a_broker_that_it_does_not_have_are_told_on_its_line(tmp_path: Path) -> None:
    url = "redis://127.0.0.1:1/0?socket_timeout=soon"
    with Services(load_settings(data=tmp_path, embedder="hashing", broker_url=url)) as services:
        assert "broker_url: its options" in " ".join(check.detail for check in checks(services))


@pytest.mark.parametrize("proxy", [f"http://user:{MARK}/a@proxy", f"nope://u:{MARK}@proxy"])
def test_a_proxy_that_is_no_address_is_told_without_its_password(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    with pytest.raises(SettingsError, match="HTTP_PROXY") as caught:
        make_model(load_settings(chat={"base_url": "http://127.0.0.1:1/v1", "model": "m"}))
    assert MARK not in str(caught.value)


def test_what_is_not_secret_is_shown() -> None:
    for address in (
        "http://127.0.0.1:11434/v1",
        "http://a:9200, https://[::1]:9200/search/",
        "https://cms.example/api/pages/{id}?language={language}",
        "sqlite:///data/x",
    ):
        assert shown(address) == address
    assert shown("https://u:p@h/x?key=q&l={id}") == "https://***@h/x?key=***&l={id}"
    assert shown("redis://:PASS/a@host") == "redis://***"


def test_a_key_is_taken_without_the_line_end_of_its_file() -> None:
    assert load_settings(chat={"api_key": "key\n"}).chat.api_key.get_secret_value() == "key"


def test_what_is_secret_in_an_address_is_known_to_the_log() -> None:
    assert set(secrets_in("redis://u:p%2Fa@h/0?password=q&x=1")) == {"p%2Fa", "p/a", "q"}
    assert list(secrets_in("http://127.0.0.1:11434/v1")) == []


@pytest.mark.parametrize("kind", ["cms", "website", "no-such-plugin", ""])
def test_of_an_option_that_no_source_knows_the_name_alone_is_shown(kind: str) -> None:
    options = {"zugang": MARK, "passwort": MARK, "geheimnis": MARK}
    settings = load_settings(sources={"x": {"kind": kind, "preset": "default", **options}})
    table = shown_settings(settings.model_dump(mode="json"))["sources"]["x"]
    assert {name: table[name] for name in options} == dict.fromkeys(options, MASK)
    assert table["preset"] == "default"


@pytest.mark.parametrize("table", ["embedders", "rerankers"])
def test_of_an_option_that_no_model_knows_the_name_alone_is_shown(table: str) -> None:
    given = {"endpoint": {"model": "m", "geheimnis": MARK}, "no-such-plugin": {"geheimnis": MARK}}
    settings = load_settings(**{table: given})
    assert shown_settings(settings.model_dump(mode="json"))[table] == {
        "endpoint": {"model": "m", "geheimnis": MASK},
        "no-such-plugin": {"geheimnis": MASK},
    }
