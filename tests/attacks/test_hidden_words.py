"""Strangers who guess words of pages that they may not see."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest
from flask.testing import FlaskClient

from app import create_app
from app.services import Services
from app.settings.settings import load_settings
from app.settings.sites import SiteSettings
from ingest.types import RawPage, Save
from tests.fakes.databases import new_data
from tests.fakes.world import raw_page

NOW: Final = datetime.now(UTC)
HIDDEN: Final = {
    "embargoed": "entlassungix",
    "expired": "abgelaufenix",
    "excluded": "gesperrtix",
    "another site's": "nebenseitix",
}
"""A word that no other page has, by why its page is hidden."""


def page(page_id: str, words: str, **more: Any) -> RawPage:
    return raw_page(page_id, {"title": words, "content": f"Hier steht {words}."}, language="de", **more)


def public_neighbours() -> list[RawPage]:
    """A public page for each hidden word, with one that is as near to it as typing mistakes are."""
    return [page(f"public{n}", word[:-2] + "en") for n, word in enumerate(HIDDEN.values())]


@pytest.fixture(scope="module", params=[False, True], ids=["alone", "with neighbours"])
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    """A client of an installation with two sites, with and without public pages that spell nearly so."""
    settings = load_settings(
        data=new_data(tmp_path_factory.mktemp("hidden")),
        embedder="hashing",
        sites=[SiteSettings(key="town", sources=["town"]), SiteSettings(key="sec", sources=["sec"])],
    )
    with Services(settings) as services:
        pages = [
            replace(page("later", HIDDEN["embargoed"]), publish_from=NOW + timedelta(days=900)),
            replace(page("over", HIDDEN["expired"]), publish_until=NOW - timedelta(days=900)),
            page("out", HIDDEN["excluded"]),
            page("secret", HIDDEN["another site's"], source="sec"),
            page("public", "Öffnungszeiten Rathaus"),
        ]
        more = public_neighbours() if request.param else []
        services.store.accept([Save(page=each) for each in (*pages, *more)])
        while services.store.pending():
            services.indexing.indexer.sync_pages()
        services.store.exclude("town", "out")
        yield create_app(services=services).test_client()


def told(client: FlaskClient, question: str) -> list[str]:
    """All that the searches of the town's site say, without what was asked."""
    query = {"site": "town", "q": question}
    said = [
        client.get(address, query_string={**query, **more}).get_data(as_text=True)
        for address, more in [
            ("/", {}),
            ("/api/search", {}),
            ("/api/search/pages", {}),
            ("/api/search/pages", {"typing": "true"}),
        ]
    ]
    return [text.lower().replace(question.lower(), "…") for text in said]


@pytest.mark.parametrize("word", HIDDEN.values(), ids=HIDDEN)
@pytest.mark.parametrize("guess", ["with a wrong letter", "shortened", "begun", "in a question"])
def test_a_guess_at_a_word_of_a_hidden_page_is_not_completed(
    client: FlaskClient, word: str, guess: str
) -> None:
    question = {
        "with a wrong letter": word[:4] + "q" + word[5:],
        "shortened": word[:-1],
        "begun": word[:6],
        "in a question": f"Wann ist im Rathaus {word[:4]}{word[4]}{word[4:]}?",
    }[guess]
    assert [text for text in told(client, question) if word in text] == []
