"""Values of settings come from a variable, a line of the file, or the default."""

import pytest

from app.settings.places import Places

FILE = """\
# The town
port = 9000
fetch_allow = [
    "10.0.0.0/8",
    "cms.internal",
]
text = '''
port = 1
[chat]
'''

[chat]   # the model
base_url = "http://127.0.0.1/v1"
model = "m"
energy.watts = 5

[sources.town]
kind = "website"
[[sites]]
key = "town"
[[sites]]
key = "other"
last = 1"""

VARIABLES = {
    "AUSKUNFT_CHAT__MODEL": "other",
    "auskunft_host": "0.0.0.0",
    "AUSKUNFT_PORT": "",
    "AUSKUNFT_SOURCES__TOWN__SECRETS": "[]",
    "AUSKUNFT_JUDGE": '{"model": "m", "live": {"answers": 1}}',
    "AUSKUNFT_ENERGY": "no JSON",
}


@pytest.mark.parametrize(
    ("key", "place"),
    [
        ("port", "f.toml:2"),
        ("fetch_allow", "f.toml:3"),
        ("text", "f.toml:7"),
        ("chat.base_url", "f.toml:13"),
        ("chat.model", "AUSKUNFT_CHAT__MODEL"),
        ("chat.energy.watts", "f.toml:15"),
        ("chat.form", "default"),
        ("chat", "AUSKUNFT_CHAT__MODEL, f.toml:12"),
        ("host", "AUSKUNFT_HOST"),
        ("sources.town", "AUSKUNFT_SOURCES__TOWN__SECRETS, f.toml:17"),
        ("sites", "f.toml:19"),
        ("sites.last", "f.toml:23"),
        ("judge.model", "AUSKUNFT_JUDGE"),
        ("judge.live.answers", "AUSKUNFT_JUDGE"),
        ("judge.form", "default"),
        ("energy.watts", "default"),
    ],
)
def test_each_value_has_a_place(key: str, place: str) -> None:
    assert Places("f.toml", FILE, VARIABLES).of(*key.split(".")) == place


def test_without_file_and_variables_all_are_defaults() -> None:
    assert Places("", "", {}).of("port") == "default"
