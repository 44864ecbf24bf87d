"""Filters on declared fields in law: no unit comes that does not pass, however it was found."""

from collections.abc import Iterator

import pytest

from app.search.filters import Filters, KeywordFilter
from app.search.retrieval import Retrieval
from app.services import Services
from app.settings.settings import load_settings
from ingest.types import Save
from tests.app.law.ferries import FERRIES, HARBOURS, SOURCE, library

NAMED = "Article 1 of the Ferries Act"


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    data = tmp_path_factory.mktemp("law")
    settings = load_settings(data=data, embedder="hashing", preset="rtr", fields={"celex": "keyword"})
    with Services(settings) as services:
        services.store.accept([Save(page=page) for page in library()])
        while services.store.pending():
            services.indexing.indexer.sync_pages()
        yield services


def ask(services: Services, question: str, *acts: str) -> Retrieval:
    filters: Filters = (KeywordFilter(field="celex", values=acts),) if acts else ()
    return services.chat.default.search(question, sources=frozenset({SOURCE}), limit=1, filters=filters)


def acts(found: Retrieval) -> set[str]:
    """The acts of all hits and of what is read with them."""
    return {hit.page.metadata["celex"] for hit in found.all_hits}


def test_a_text_that_a_question_only_names_has_to_pass(services: Services) -> None:
    named = ask(services, NAMED)
    assert (named.mode, named.hits[0].page.metadata["celex"]) == ("lookup", FERRIES)
    assert ask(services, NAMED, FERRIES).mode == "lookup"
    other = ask(services, NAMED, HARBOURS)
    assert other.mode != "lookup"
    assert acts(other) <= {HARBOURS}


def test_units_that_a_hit_refers_to_have_to_pass(services: Services) -> None:
    asked = "Where do dogs travel on a ferry?"
    hit = ask(services, asked, FERRIES, HARBOURS).hits[0]
    assert HARBOURS in {each.page.metadata["celex"] for each in hit.linked}
    assert acts(ask(services, asked, FERRIES)) == {FERRIES}
    assert acts(ask(services, asked, HARBOURS)) == {HARBOURS}


def test_a_text_that_alone_passes_is_meant(services: Services) -> None:
    both = ask(services, "Article 1")
    assert (both.mode, both.certainty, len(both.hits), len(both.other_readings)) == ("lookup", "near", 2, 2)
    passing = ask(services, "Article 1", FERRIES, HARBOURS)
    assert (passing.certainty, passing.other_readings) == ("near", both.other_readings)
    for act in (FERRIES, HARBOURS):
        alone = ask(services, "Article 1", act)
        assert (alone.mode, alone.certainty, alone.other_readings) == ("lookup", "answered", ())
        assert acts(alone) == {act}
