"""Settings, help and wrong calls."""

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest

from app.cli import cli, commands
from app.errors import SettingsError
from app.settings.settings import load_settings
from tests.fakes.command import Command


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path)


def test_config_prints_every_setting_with_secrets_masked(command: Command) -> None:
    (command.folder / "auskunft.toml").write_text('port = 9000\n[chat]\napi_key = "hush"\n')
    document = command.run("config", "--json", port="").json()
    assert document == load_settings(
        data=command.data, embedder="hashing", port=9000, chat={"api_key": "hush"}
    ).model_dump(mode="json")
    shown = command.run("config", port=9001).out
    assert shown.splitlines()[0] == f"# {command.folder / 'auskunft.toml'}"
    assert re.search(r"^port = 9001 +# AUSKUNFT_PORT$", shown, re.M)
    assert re.search(r"^chat\.api_key = .* +# auskunft\.toml:3$", shown, re.M)
    assert re.search(r"^chat\.model = '' +# default$", shown, re.M)
    assert "hush" not in shown + json.dumps(document)


def test_config_leaves_out_elasticsearch_unless_it_is_the_index(command: Command) -> None:
    assert "elasticsearch_" not in command.run("config").out
    assert "elasticsearch_prefix" in command.run("config", index="elasticsearch").out


def test_config_says_where_it_looked_for_a_file(command: Command) -> None:
    assert command.run("config").out.startswith(f"# no {command.folder / 'auskunft.toml'}: only defaults")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"port = = 3", "auskunft.toml is not valid TOML: "),
        (b"\xff\xfe", "auskunft.toml is not UTF-8 at byte 0"),
        (b'dta = "x"', "unknown setting 'dta': `auskunft config` lists"),
        (b'[chat]\napikey = "hush"', "unknown setting 'chat.apikey': "),
        (b'port = "abc"', "setting 'port': input should be a valid integer"),
        (b"lease_seconds = 0", "setting 'lease_seconds': input should be greater than 0 (got 0)"),
        (b"chat = 1", "setting 'chat': "),
        (b'[chat]\napi_key = ["hush"]', "setting 'chat.api_key': "),
        (b"[sources.town]\nevery = 60", "source 'town' has no kind: set kind = "),
        (b'[sources."a b"]\nkind = "cms"', "source 'a b': use 1 to 64 of a-z"),
        (b'[sources.town]\nkind = "cms"\nevery = 0', "setting 'sources.town.every': "),
        (b'[sources.town]\nkind = "cms"\ntoken = ["hush"]', "setting 'sources.town.token': use text"),
        (b'[sources.town]\nkind = "cms"\nsecrets = "hush"', "setting 'sources.town.secrets': "),
        (b'[[sites]]\nkey = "t"\ntime_zone = "Europe/Berlim"', "use one such as Europe/Berlin"),
        (b'[[sites]]\nkey = "t"\nregion = "XX"', "a country such as DE, or a part of one such as DE-HE"),
        (b'[sources.Town]\nkind = "cms"', "source 'Town': use 1 to 64 of a-z"),
        (b'[[sites]]\nkey = "A B"', "should match pattern '^[A-Za-z0-9]"),
        (b'[chat]\napi_key = "hush"\nmodel = "m"', "setting 'chat': set both base_url and model, or neither"),
    ],
)
def test_a_wrong_settings_file_is_refused_without_telling_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, complaint: str
) -> None:
    (tmp_path / "auskunft.toml").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError) as refusal:
        load_settings()
    assert complaint in str(refusal.value)
    assert "hush" not in str(refusal.value)


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ('elasticsearch_url = " , "', "elasticsearch_url is empty: set an address such as http://host:9200"),
        ('elasticsearch_url = "host:9200"', "elasticsearch_url: use addresses such as http://host:9200"),
        ('elasticsearch_url = "ftp://host:9200"', "elasticsearch_url: use addresses such as"),
        ('elasticsearch_url = "http://host"', "elasticsearch_url: use addresses such as"),
        ('elasticsearch_url = "http://host:port"', "elasticsearch_url: use addresses such as"),
        ('elasticsearch_url = "http://[::1:9200"', "elasticsearch_url: use addresses such as"),
        ('elasticsearch_url = "http://host:9200?key=hush"', "elasticsearch_url: use addresses such as"),
        ('elasticsearch_url = "http://a:9200,b:9200"', "elasticsearch_url: use addresses such as"),
        (
            'elasticsearch_url = "https://elastic:hush@host:9200"',
            "elasticsearch_url contains a name or password",
        ),
        ('elasticsearch_username = "eva"', "set both elasticsearch_username and elasticsearch_password"),
        ('elasticsearch_password = "hush"', "set both elasticsearch_username and elasticsearch_password"),
        (
            'elasticsearch_username = "eva"\nelasticsearch_password = "hush"\nelasticsearch_api_key = "hush"',
            "set elasticsearch_api_key or elasticsearch_username, not both",
        ),
        ('elasticsearch_api_key = "hush\\n"', "elasticsearch_api_key is not a key"),
        ('elasticsearch_api_key = "ApiKey hush"', "elasticsearch_api_key is not a key"),
        (
            'elasticsearch_fingerprint = "00:11"',
            "elasticsearch_fingerprint: use the SHA-256 in 64 hexadecimal",
        ),
        (
            '[elasticsearch_languages]\nDE = "german"',
            "setting 'elasticsearch_languages.DE.[key]': string should match",
        ),
        ('elasticsearch_prefix = "Town"', "setting 'elasticsearch_prefix': string should match"),
        ('elasticsearch_prefix = "town-hall"', "setting 'elasticsearch_prefix': string should match"),
        ('elasticsearch_prefix = ""', "setting 'elasticsearch_prefix': string should match"),
        ('elasticsearch_gc_deletes = "1 hour"', "setting 'elasticsearch_gc_deletes': string should match"),
        (
            'elasticsearch_languages = "german"',
            "setting 'elasticsearch_languages': must be a table",
        ),
        ('elasticsearch_vectors = "bbq"', "setting 'elasticsearch_vectors': input should be 'auto', 'flat'"),
        ("elasticsearch_shards = 0", "setting 'elasticsearch_shards': input should be greater than 0"),
        ('index = "sqlite"', "setting 'index': input should be 'embedded' or 'elasticsearch'"),
    ],
)
def test_wrong_settings_of_elasticsearch_are_refused_without_telling_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: str, complaint: str
) -> None:
    (tmp_path / "auskunft.toml").write_text(lines)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError) as refusal:
        load_settings()
    assert complaint in str(refusal.value)
    assert "hush" not in str(refusal.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://10.0.0.1:9200",
        "https://es_1.town.example:443/search/",
        "http://[::1]:9200",
        "http://a:1, http://b:2",
    ],
)
def test_addresses_of_elasticsearch_may_be_names_numbers_and_several(url: str) -> None:
    assert len(load_settings(elasticsearch_url=url).elasticsearch_hosts) == url.count("http")


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"config": "/nowhere.toml"}, "AUSKUNFT_CONFIG names '/nowhere.toml', which does not exist"),
        ({"port": "abc"}, "setting 'port': input should be a valid integer"),
        ({"chat": "junk"}, 'error parsing value for field "chat": use JSON'),
        ({"chat__api_key": "hush", "chat__model": "m"}, "setting 'chat': set both"),
    ],
)
def test_wrong_variables_are_refused_in_one_line(
    command: Command, settings: dict[str, Any], complaint: str
) -> None:
    said = command.run("config", **settings).complaint(2)
    assert complaint in said
    assert "hush" not in said


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nope"], "No such command 'nope'. Try 'auskunft --help'."),
        (["search"], "Missing argument 'QUESTION'. Try 'auskunft search --help'."),
        (["serve", "--port", "99999999"], "Try 'auskunft serve --help'."),
    ],
)
def test_a_wrong_call_is_told_where_the_help_is(
    command: Command, arguments: list[str], complaint: str
) -> None:
    assert command.run(*arguments).complaint(2).endswith(complaint)


def test_help_lists_every_command_in_its_group(command: Command) -> None:
    result = command.run("--help")
    assert (result.code, result.err) == (0, "")
    groups = re.findall(r"^(\w+):\n((?:  .+\n)+)", result.out, re.M)
    listed = {name: re.findall(r"^  ([\w-]+)  +\S", rows, re.M) for name, rows in groups if name != "Options"}
    assert list(listed) == ["Start", "Pages", "Answers", "Quality", "Operations"]
    assert listed == {
        group: [name for name, each in commands().items() if each.group == group] for group in listed
    }
    assert {"init", "serve"} <= {*listed["Start"]}
    assert max(map(len, result.out.splitlines())) < 80
    bare = command.run()
    assert (bare.code, bare.out) == (2, "")
    assert bare.err == result.out


def test_a_misspelt_command_is_told_the_nearest(command: Command) -> None:
    assert "Did you mean 'index'?" in command.run("idnex").complaint(2)


@pytest.mark.parametrize("name", commands())
def test_each_command_says_what_it_does_and_explains_its_options(name: str) -> None:
    item = cli.get_command(click.Context(cli), name)
    assert item is not None
    assert item.name == name
    assert item.help
    options = [parameter for parameter in item.params if isinstance(parameter, click.Option)]
    assert all(option.help for option in options)


def test_the_version_is_printed(command: Command) -> None:
    assert re.fullmatch(r"auskunft, version \d+\.\d+\.\d+\n", command.run("--version").out)
