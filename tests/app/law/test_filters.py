"""Filters on declared fields in law: no unit comes that does not pass, however it was found."""

from collections.abc import Iterator

import pytest

from app.search.filters import Filters, KeywordFilter
from app.search.types import Retrieval
from app.services import Services
from app.settings.settings import load_settings
from ingest.types import Save
from tests.app.law.ferries import FERRIES, HARBOURS, SOURCE, library

NAMED = "Article 1 of the Ferries Act"


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    data = tmp_path_factory.mktemp("law")
    settings = load_settings(data=data, embedder="hashing", preset="eurlex", fields={"celex": "keyword"})
    with Services(settings) as services:
        services.store.accept([Save(page=page) for page in library()])
        while services.store.pending():
            services.indexing.indexer.sync_pages()
        yield services


def ask(services: Services, question: str, *acts: str) -> Retrieval:
    filters: Filters = (KeywordFilter(field="celex", values=acts),) if acts else ()
    return services.chat.default.search(question, sources=frozenset({SOURCE}), filters=filters)


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
    questions = (
        "How much does a crossing cost for each passenger?",
        "Which ship gets a berth, and does it pay?",
        "What is a harbour under the Ferries Act?",
    )
    assert {FERRIES, HARBOURS} <= set().union(*(acts(ask(services, question)) for question in questions))
    for question in questions:
        for act in (FERRIES, HARBOURS):
            assert acts(ask(services, question, act)) <= {act}
