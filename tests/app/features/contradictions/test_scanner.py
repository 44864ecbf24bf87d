"""Pages that contradict each other are found when they change, listed, and dismissed until a text changes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app import create_app
from app.errors import NotFoundError
from app.features.contradictions.marks import marked, values
from app.features.contradictions.services import ContradictionServices
from app.features.contradictions.store import ContradictionStore
from app.pages.audit import AuditLog
from app.search.types import Candidate, QuerySpec
from app.services import Services
from app.settings.settings import load_settings
from app.settings.sites import SiteSettings
from ingest.converters.process import ConverterProcess
from ingest.embedders.hashing import HashingEmbedder
from ingest.types import PageRef, RawField, RawPage, Save, Vectors
from tests.fakes.databases import new_data
from tests.fakes.world import raw_page

TOKEN = "an-administrator-token-of-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
URL = "/api/admin/contradictions"
SITES = [SiteSettings(key="town", sources=["town", "pool"]), SiteSettings(key="lake", sources=["lake"])]
FIVE = "A day ticket for the pool costs 5 euros for adults."
SIX = "Adults pay 6 euros for a day ticket for the pool."


@pytest.fixture
def services(tmp_path: Path, converter: ConverterProcess) -> Iterator[Services]:
    settings = load_settings(
        data=new_data(tmp_path), embedder="hashing", sites=SITES, admin_token=TOKEN, host="0.0.0.0"
    )
    with Services(settings) as services:
        services.indexing.converter = converter
        save(services, pool=FIVE, prices=SIX, other="The museum shows 12 boats.")
        yield services


def save(services: Services, source: str = "town", **texts: str) -> None:
    pages = [
        raw_page(name, {"title": name.title(), "content": text}, source=source)
        for name, text in texts.items()
    ]
    services.store.accept([Save(page=page) for page in pages])
    services.indexing.indexer.sync_pages()
    services.feature(ContradictionServices).scanner.run()


def save_html(services: Services, page_id: str, language: str, body: str, alternate: str = "") -> None:
    """Save a page as its website has it. ``alternate``: the address of its translation."""
    html = f'<link rel="alternate" hreflang="x" href="{alternate}"><main>{body}</main>'
    page = RawPage(
        ref=PageRef(source="town", id=page_id, language=language),
        document=page_id,
        url=f"https://town.example/{language}/{page_id}",
        fields={"content": RawField(text=html, media_type="text/html")},
    )
    services.store.accept([Save(page=page)])
    services.indexing.indexer.sync_pages()
    services.feature(ContradictionServices).scanner.run()


def pairs(store: ContradictionStore, **options: Any) -> list[set[str]]:
    return [{each.found.one.ref.id, each.found.other.ref.id} for each in store.entries(**options)]


def test_two_pages_that_say_different_prices_are_found_once(services: Services) -> None:
    store = services.feature(ContradictionServices).store
    [found] = store.entries()
    assert {found.found.one.text, found.found.other.text} == {FIVE, SIX}
    assert (found.found.kind, found.dismissed_by) == ("money", "")
    assert store.due(10) == []


def test_a_page_that_nothing_can_be_compared_with_is_not_in_the_way_of_others(services: Services) -> None:
    scanner = services.feature(ContradictionServices).scanner
    services.store.accept(
        [
            Save(page=raw_page(name, {"title": name.title(), "content": text}, source="town"))
            for name, text in {
                "kiosk": "A coffee at the kiosk costs 2 euros.",
                "pool": FIVE,
                "prices": FIVE,
            }.items()
        ]
    )
    services.indexing.indexer.sync_pages()

    class Broken(HashingEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Vectors:
            if "kiosk" in texts[0]:
                raise ArithmeticError("nobody expected this")
            return super().embed_documents(texts)

    broken = replace(scanner, embedder_of=lambda _generation: Broken())
    assert broken.run() > 0
    assert (pairs(scanner.store), scanner.store.due(10)) == ([], [])


def test_what_is_mended_is_listed_no_more(services: Services) -> None:
    save(services, pool=FIVE.replace("5", "6"))
    assert pairs(services.feature(ContradictionServices).store) == []


def test_a_dismissal_holds_until_one_of_the_texts_changes(services: Services) -> None:
    store = services.feature(ContradictionServices).store
    number = store.entries()[0].number
    store.dismiss(number, "kim")
    save(services, pool=f"{FIVE} Welcome to all of you.")
    assert (pairs(store), pairs(store, dismissed=True)) == ([], [{"pool", "prices"}])
    save(services, pool=FIVE.replace("5", "7"))
    assert (pairs(store), pairs(store, dismissed=True)) == ([{"pool", "prices"}], [])
    assert [entry.action for entry in AuditLog(services.engine).entries()] == ["contradiction.dismiss"]


def test_a_page_that_is_taken_out_contradicts_nobody(services: Services) -> None:
    services.store.exclude("town", "prices")
    services.indexing.indexer.sync_pages()
    services.feature(ContradictionServices).scanner.run()
    assert pairs(services.feature(ContradictionServices).store) == []


def test_pages_of_sources_that_no_site_searches_together_are_not_compared(services: Services) -> None:
    store = services.feature(ContradictionServices).store
    save(services, "lake", lake=SIX.replace("6", "9"))
    assert pairs(store) == [{"pool", "prices"}]
    save(services, "pool", ours=SIX.replace("6", "8"))
    assert pairs(store) == [{"ours", "pool"}, {"pool", "prices"}]


ROWS = (
    "<table><tr><th>{0}</th><th>{1}</th></tr>"
    "<tr><td>{2}</td><td>{3}</td></tr><tr><td>{4}</td><td>{5}</td></tr></table>"
)
GERMAN = ROWS.format("Boot", "Preis", "Ruderboot, 2 Stunden", "12 €", "Tretboot, 2 Stunden", "18 €")
ENGLISH = ROWS.format("Boat", "Price", "Rowing boat, 2 hours", "€12", "Pedal boat, 2 hours", "€19")


@pytest.mark.parametrize(
    ("page_id", "alternate"),
    [("boats", ""), ("hire", "https://town.example/de/boats"), ("hire", "../de/boats")],
)
def test_a_page_is_compared_with_its_translation(services: Services, page_id: str, alternate: str) -> None:
    store = services.feature(ContradictionServices).store
    known = pairs(store)
    save_html(services, "boats", "de", GERMAN)
    save_html(services, page_id, "en", ENGLISH, alternate)
    [found, *_] = store.entries()
    assert {side.ref.language: values(pieces) for side, pieces in marked(found.found)} == {
        "de": ["18 €"],
        "en": ["€19"],
    }
    save_html(services, page_id, "en", ENGLISH.replace("19", "18"), alternate)
    assert pairs(store) == known


def test_pages_in_two_languages_that_are_no_translations_are_not_compared(services: Services) -> None:
    store = services.feature(ContradictionServices).store
    known = pairs(store)
    save_html(services, "boats", "de", GERMAN)
    save_html(services, "hire", "en", ENGLISH)
    assert pairs(store) == known


def test_a_change_is_compared_with_near_pages_alone(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[QuerySpec] = []
    search = services.indexing.index.search

    def counted(spec: QuerySpec) -> list[Candidate]:
        asked.append(spec)
        return search(spec)

    monkeypatch.setattr(services.indexing.index, "search", counted)
    save(services, museum="The museum shows 14 boats. It is open.")
    assert len(asked) == 1


def test_an_editor_sees_contradictions_between_their_own_pages_alone(services: Services) -> None:
    store = services.feature(ContradictionServices).store
    number = store.entries()[0].number
    assert pairs(store, sources=["town"]) == [{"pool", "prices"}]
    assert pairs(store, sources=["lake"]) == []
    with pytest.raises(NotFoundError):
        store.dismiss(number, "kim", sources=["lake"])


def test_contradictions_are_listed_and_dismissed_by_http(services: Services) -> None:
    client = create_app(services=services).test_client()
    [found] = (client.get(URL, headers=BEARER).json or {})["contradictions"]
    assert {found["one"]["text"], found["other"]["text"]} == {FIVE, SIX}
    assert sorted([*found["one"]["values"], *found["other"]["values"]]) == ["5 euros", "6 euros"]
    place = f"{URL}/{found['number']}/dismissal"
    assert (client.put(place, headers=BEARER).json or {})["dismissed_by"] == "admin token"
    assert (client.get(URL, headers=BEARER).json or {})["contradictions"] == []
    listed = client.get(f"{URL}?dismissed=true", headers=BEARER).json or {}
    assert len(listed["contradictions"]) == 1
    assert (client.delete(place, headers=BEARER).json or {})["dismissed_by"] == ""
    assert client.put(f"{URL}/999/dismissal", headers=BEARER).status_code == 404
    assert client.get(URL).status_code == client.put(place).status_code == 401
