"""Secrets of sources in the settings: checked at the start, shown nowhere."""

import json
from pathlib import Path

import pytest

from app.errors import SettingsError
from app.settings.settings import load_settings
from tests.app.api.cms import SECOND_SECRET, SECRET
from tests.fakes.command import Command


def test_secrets_from_file_or_variable_are_taken_and_masked(tmp_path: Path) -> None:
    command = Command(tmp_path)
    (tmp_path / "auskunft.toml").write_text(f'[sources.town]\nsecrets = ["{SECRET}", "{SECOND_SECRET}"]\n')
    shown = command.run("config", "--json", sources__village__secrets=json.dumps([SECRET])).json()["sources"]
    assert shown["town"]["secrets"] == ["**********"] * 2
    assert shown["village"]["secrets"] == ["**********"]
    assert SECRET[6:] not in command.run("config").out


@pytest.mark.parametrize(
    "lines",
    [
        'secrets = ["whsec_hush"]',
        'secrets = ["hush"]',
        'secrets = "hush"',
        'secrets = [["hush"]]',
        f'secrets = ["{SECRET}", "hush"]',
        'secrets = ["whsec_hushhushhushhushhushhushhush!"]',
    ],
)
def test_what_is_no_secret_stops_the_start_and_is_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: str
) -> None:
    (tmp_path / "auskunft.toml").write_text(f"[sources.town]\n{lines}\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match=r"sources\.town\.secrets") as refusal:
        load_settings()
    assert "hush" not in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("value", ["0", "-5", '"many"'])
def test_a_limit_of_events_is_a_positive_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    (tmp_path / "auskunft.toml").write_text(
        f'[sources.town]\nsecrets = ["{SECRET}"]\nevents_per_minute = {value}\n'
    )
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match="events_per_minute"):
        load_settings()
