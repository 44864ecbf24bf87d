"""The file of the search element: who may load it, how large it is, what it says."""

import gzip
import json
import re

from flask.testing import FlaskClient

from app.features.search_page.element import content
from app.web.texts import TEXTS

MAX_PACKED_BYTES = 12_000


def test_the_element_is_one_small_file() -> None:
    assert len(gzip.compress(content())) <= MAX_PACKED_BYTES


def test_every_website_may_load_it_and_looks_at_it_again(client: FlaskClient) -> None:
    response = client.get("/search.js", headers={"Origin": "https://any.example"})
    assert response.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert response.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert response.headers["Cache-Control"] == "public, max-age=300"
    again = client.get("/search.js", headers={"If-None-Match": response.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_it_is_packed_for_those_who_can_read_it(client: FlaskClient) -> None:
    packed = client.get("/search.js", headers={"Accept-Encoding": "gzip"})
    assert gzip.decompress(packed.data) == client.get("/search.js").data
    assert "Accept-Encoding" in packed.headers["Vary"]


def test_it_has_every_text_that_it_asks_for_and_no_other() -> None:
    script = content().decode()
    found = re.search(r"const TEXTS = (\{.*\});", script)
    assert found
    texts = json.loads(found[1])
    assert texts["de"].keys() == texts["en"].keys()
    asked = set(re.findall(r"texts\.(\w+)", script, re.IGNORECASE)) - {"code"}
    composed = {name for name in texts["en"] if name.startswith("is_")} | {"source", "language", "kind"}
    assert asked | composed == texts["en"].keys()


def test_texts_have_the_same_places_in_both_languages() -> None:
    for name, text in TEXTS["de"].items():
        if name.startswith("search_"):
            assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", TEXTS["en"][name]))
