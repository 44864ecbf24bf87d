"""The widget's files: who may load them, how long they are kept, how large they are, what they say."""

import gzip
import json
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from app.chat.text.catalogue import LANGUAGES
from app.web import widget

MAX_PACKED_BYTES = 27_000
FOLDER = Path(widget.__file__).with_name("widget")
TEXTS = sorted(name for name in widget.files().contents if name.startswith("texts/"))


def version(client: FlaskClient) -> str:
    """The version that the loader names."""
    found = re.search(r'"version":"(\w+)"', client.get("/widget.js").text)
    assert found
    return found[1]


@pytest.mark.parametrize("texts", TEXTS)
def test_all_that_a_visitor_loads_is_small(texts: str) -> None:
    names = [*(name for name in widget.files().contents if name not in TEXTS), texts]
    assert sum(len(gzip.compress(widget.files().contents[name])) for name in names) <= MAX_PACKED_BYTES


def test_visitors_load_no_comments() -> None:
    for name, content in widget.files().contents.items():
        assert not re.search(rb"^\s*(//|/\*)", content, re.MULTILINE), name
    assert b"class Panel" in widget.files().contents["panel.js"]


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.name)
def test_no_file_is_too_long(path: Path) -> None:
    limit = 700 if path.suffix == ".css" else 400
    assert len(path.read_text("utf-8").splitlines()) <= limit


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("chat.js", "text/javascript; charset=utf-8"),
        ("widget.css", "text/css; charset=utf-8"),
        ("texts/de.json", "application/json; charset=utf-8"),
    ],
)
def test_every_website_may_load_the_files_and_keep_them(
    client: FlaskClient, name: str, media_type: str
) -> None:
    response = client.get(f"/widget/{version(client)}/{name}", headers={"Origin": "https://any.example"})
    assert response.headers["Content-Type"] == media_type
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert response.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_the_loader_is_looked_at_again_and_not_sent_again(client: FlaskClient) -> None:
    first = client.get("/widget.js")
    assert first.headers["Cache-Control"] == "public, max-age=300"
    again = client.get("/widget.js", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_a_loader_of_an_older_version_gets_files_that_are_not_kept_for_ever(client: FlaskClient) -> None:
    response = client.get("/widget/older/chat.js")
    assert response.status_code == 200
    assert "immutable" not in response.headers["Cache-Control"]


def test_files_are_packed_for_those_who_can_read_it(client: FlaskClient) -> None:
    path = f"/widget/{version(client)}/chat.js"
    plain = client.get(path)
    packed = client.get(path, headers={"Accept-Encoding": "br, gzip"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert packed.headers["ETag"] != plain.headers["ETag"]


@pytest.mark.parametrize("name", ["nothing.js", "../widget.py", "%2e%2e/widget.py", "texts/cy.json", ""])
def test_nothing_else_is_served(client: FlaskClient, name: str) -> None:
    assert client.get(f"/widget/{version(client)}/{name}").status_code == 404


@pytest.mark.parametrize("name", TEXTS)
def test_the_languages_say_the_same_things(name: str) -> None:
    own, english = (json.loads(widget.files().contents[each]) for each in (name, "texts/en.json"))
    assert own.keys() == english.keys()
    for key, text in own.items():
        assert type(text) is type(english[key])
        if isinstance(text, str):
            assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", english[key])), key


def test_the_widget_has_texts_in_every_language_of_answers() -> None:
    assert {name.removeprefix("texts/").removesuffix(".json") for name in TEXTS} == LANGUAGES


@pytest.mark.parametrize("language", sorted(LANGUAGES - {"en"}))
def test_no_text_is_left_in_english(language: str) -> None:
    same = {"chat", "source", "sources", "placeholder", "cosine", "direction", "conversation"}
    own, english = (
        json.loads((FOLDER.parent / f"texts/{name}.json").read_text()) for name in (language, "en")
    )
    assert {key for key, text in english.items() if own.get(key, text) == text} - same == set()


@pytest.mark.parametrize(("language", "direction"), [("ar", "rtl"), ("en", "ltr"), ("uk", "ltr")])
def test_texts_say_in_which_direction_they_are_read(language: str, direction: str) -> None:
    assert json.loads(widget.files().contents[f"texts/{language}.json"])["direction"] == direction


def test_every_text_that_the_chat_asks_for_is_there_and_none_is_left_over() -> None:
    scripts = "".join(path.read_text("utf-8") for path in FOLDER.glob("*.js"))
    texts = json.loads(widget.files().contents["texts/de.json"])
    asked = set(re.findall(r"(?:[tT]exts|#labels)\.(\w+)", scripts))
    asked -= {"language", "js"}  # set when they are loaded; the module's own name
    assert asked <= texts.keys()
    composed = {"up", "down", *(key for key in texts if key.startswith(("origin_", "energy_")))}
    assert texts.keys() - asked - composed == set()
