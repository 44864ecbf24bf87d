"""Names that are no settings: told, with what was meant."""

import re
from pathlib import Path
from typing import Any, Final

import pytest

from app.errors import SettingsError
from app.settings.settings import load_settings, unknown_variables

ROOT: Final = Path(__file__).parents[3]
FILES: Final = ("README.md", "Makefile", "Dockerfile", "docker-compose.yml", ".ci/run")
FOLDERS: Final = ("docs", "tests", "benchmarks")
WRONG: Final = {
    "AUSKUNFT_EMBEDER": "AUSKUNFT_EMBEDDER",
    "AUSKUNFT_PROT": "AUSKUNFT_PORT",
    "AUSKUNFT_CHATS__MODEL": "AUSKUNFT_CHAT",
    "AUSKUNFT_WEB_PORT": "AUSKUNFT_PORT",
}


@pytest.mark.parametrize("variable", [*WRONG, "auskunft_prot"])
def test_an_unknown_variable_is_refused_with_what_was_meant(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "hush")
    with pytest.raises(SettingsError) as refusal:
        load_settings()
    assert str(refusal.value) == (
        f"unknown setting {variable!r}: `auskunft config` lists the known ones; "
        f"did you mean {WRONG[variable.upper()]!r}?"
    )


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"embeder": "e5"}, "unknown setting 'embeder': .*; did you mean 'embedder'?"),
        ({"chat": {"modl": "m"}}, "unknown setting 'chat.modl': .*; did you mean 'model'?"),
        ({"sites": [{"key": "a", "origin": []}]}, "'sites.0.origin': .*; did you mean 'origins'?"),
        ({"wholly_other": 1}, "unknown setting 'wholly_other': .* the known ones$"),
        (
            {"sources": {"a": {"secret": "x"}}},
            "s.a': unknown option 'secret': did you mean 'secrets'?",
        ),
        ({"sources": {"a": {"secret": ["x"]}}}, "'secret': did you mean 'secrets'?"),
        ({"sources": {"a": {"kind": "cms", "secret": "x"}}}, "'secret': did you mean 'secrets'?"),
        ({"sources": {"a": {"kind": "cms", "lsting_url": [1]}}}, "'lsting_url': did you mean 'listing_url'?"),
        ({"sources": {"a": {"kind": "website", "evry": 1}}}, "'evry': did you mean 'every'?"),
        ({"sites": [{"ky": "a"}]}, "'sites.0.ky': .*; did you mean 'key'?"),
        (
            {"sites": [{"key": "a", "indexes": {"b": {"sorces": []}}}]},
            "'sites.0.indexes.b.sorces': .*; did you mean 'sources'?",
        ),
    ],
)
def test_an_unknown_key_is_refused_with_what_was_meant(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SettingsError, match=complaint.replace("?", r"\?")):
        load_settings(**settings)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"sites": [{}]}, "setting 'sites.0.key' is missing"),
        (
            {"sites": {"key": "a"}},
            "setting 'sites': must be a list: for a list of tables, write [[sites]] above each one",
        ),
        (
            {"sites": [{"key": "a", "origins": "https://a.example"}]},
            "setting 'sites.0.origins': must be a list: put it in brackets, [ ]",
        ),
        ({"sources": {"kind": "cms"}}, "setting 'sources.kind': must be a table"),
        ({"chat": "model"}, "setting 'chat': must be a table"),
        ({"embedders": "e5"}, "setting 'embedders': must be a table"),
    ],
)
def test_a_setting_of_the_wrong_shape_is_told_in_words_of_the_file(
    settings: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(SettingsError, match=f"^{re.escape(complaint)}$"):
        load_settings(**settings)


@pytest.mark.parametrize("seconds", [1e300, float("inf"), float("nan")])
@pytest.mark.parametrize(
    "name", ["lease_seconds", "retry_seconds", "sweep_seconds", "backlog_minutes", "every"]
)
def test_a_time_that_no_calendar_holds_is_refused(name: str, seconds: float) -> None:
    settings = {"sources": {"a": {"kind": "cms", name: seconds}}} if name == "every" else {name: seconds}
    with pytest.raises(SettingsError, match=r"less than or equal to 315360000"):
        load_settings(**settings)


def test_no_variable_that_the_project_names_is_refused() -> None:
    files = [ROOT / name for name in FILES]
    files += [
        file for folder in FOLDERS for file in (ROOT / folder).rglob("*.[!x]?") if file != Path(__file__)
    ]
    text = "".join(file.read_text("utf-8") for file in files if file.is_file())
    named = set(re.findall(r"AUSKUNFT_[A-Z][A-Z0-9_]*[A-Z0-9]", text))
    assert unknown_variables(dict.fromkeys(named, "x")) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AUSKUNFT_WEB_SERVICE_HOST", "10.0.0.1"),
        ("AUSKUNFT_WEB_SERVICE_PORT_HTTP", "80"),
        ("AUSKUNFT_WEB_PORT", "tcp://10.0.0.1:80"),
        ("AUSKUNFT_WEB_PORT_80_TCP_ADDR", "10.0.0.1"),
        ("AUSKUNFT_EMBEDER", ""),
    ],
)
def test_variables_that_are_empty_or_tell_of_kubernetes_services_are_left_alone(
    name: str, value: str
) -> None:
    assert unknown_variables({name: value}) == []
