"""The versions of acts that the page store knows."""

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine

from app.law.catalogue import Catalogue
from app.pages.acts import ActPages
from app.pages.database import open_engine
from app.pages.store import PageStore
from app.pages.types import Indexed
from ingest.law.model import Act, Unit
from ingest.law.pages import pages
from ingest.types import Delete, RawPage, Save
from tests.fakes.databases import new_sqlite


def act(version: date, title: str = "REGULATION (EU) 2020/1 on ferries") -> list[RawPage]:
    """The pages of an act with one article and one recital."""
    units = (
        Unit(name="act", kind="act", markdown="Having regard to the sea,"),
        Unit(name="rct_1", kind="recital", number="1", label="(1)", markdown="The sea is wide."),
        Unit(name="art_1", kind="article", number="1", label="Article 1", markdown="Ferries float."),
    )
    whole = Act(
        celex="32020R0001", language="en", version=version, layout="oj-convex", units=units, title=title
    )
    return pages(whole, source="law")


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return open_engine(new_sqlite(tmp_path / "pages.sqlite"))


@pytest.fixture
def store(engine: Engine) -> PageStore:
    return PageStore(engine)


@pytest.fixture
def catalogue(engine: Engine) -> Catalogue:
    return Catalogue(ActPages(engine))


def index_all(store: PageStore) -> None:
    """Let all that is due count as indexed."""
    while claims := store.claim(10, "tester"):
        for claim in claims:
            store.finish([(claim.ref, claim.sequence, Indexed())], "tester")


def accept(store: PageStore, listed: list[RawPage]) -> None:
    store.accept([Save(page=page) for page in listed])


def test_a_version_is_known_when_its_page_was_indexed(store: PageStore, catalogue: Catalogue) -> None:
    accept(store, act(date(2020, 1, 1)))
    assert len(catalogue.versions()) == 0
    index_all(store)
    [known] = catalogue.versions()
    assert (known.celex, known.version, known.language) == ("32020R0001", date(2020, 1, 1), "en")
    assert (known.name, known.recitals) == ("Regulation (EU) 2020/1", True)
    assert known.document == "32020R0001@2020-01-01/en"


def test_the_page_of_the_act_is_claimed_after_its_units(store: PageStore) -> None:
    accept(store, act(date(2020, 1, 1)))
    assert [claim.ref.id.partition("/")[2] for claim in store.claim(10, "tester")] == [
        "rct_1",
        "art_1",
        "act",
    ]


def test_a_change_of_the_act_and_its_removal_are_seen(store: PageStore, catalogue: Catalogue) -> None:
    accept(store, act(date(2020, 1, 1)))
    index_all(store)
    assert catalogue.versions()[0].name == "Regulation (EU) 2020/1"
    accept(store, act(date(2020, 1, 1), "DIRECTIVE (EU) 2020/1 on boats"))
    assert catalogue.versions()[0].name == "Directive (EU) 2020/1"
    store.accept([Delete(source="law", id="32020R0001@2020-01-01/act", language="en")])
    assert len(catalogue.versions()) == 0


def test_an_act_that_is_to_be_written_again_stays_known(store: PageStore, catalogue: Catalogue) -> None:
    accept(store, act(date(2020, 1, 1)))
    index_all(store)
    store.requeue("law")
    assert len(catalogue.versions()) == 1


def test_a_page_of_another_kind_of_act_is_no_version(store: PageStore, catalogue: Catalogue) -> None:
    [*_, page] = act(date(2020, 1, 1))
    stage = RawPage(
        ref=page.ref, document="play", url="", fields=page.fields, kind="act", updated=datetime.now(UTC)
    )
    accept(store, [stage])
    index_all(store)
    assert len(catalogue.versions()) == 0


@pytest.mark.parametrize("missing", ["version", "celex"])
def test_a_page_that_lacks_what_tells_an_act_is_no_version(
    store: PageStore, catalogue: Catalogue, missing: str
) -> None:
    [*_, page] = act(date(2020, 1, 1))
    accept(store, [replace(page, metadata={k: v for k, v in page.metadata.items() if k != missing})])
    index_all(store)
    assert len(catalogue.versions()) == 0


def test_terms_that_cannot_be_read_are_none(store: PageStore, catalogue: Catalogue) -> None:
    [*_, page] = act(date(2020, 1, 1))
    accept(store, [replace(page, metadata={**page.metadata, "terms": "[", "published": "soon"})])
    index_all(store)
    [known] = catalogue.versions()
    assert (known.terms, known.published) == ((), None)


def test_an_act_that_goes_while_an_older_one_comes_is_seen(store: PageStore, catalogue: Catalogue) -> None:
    [*_, waiting] = act(date(2020, 1, 1))
    store.accept([Save(page=waiting)])
    [late] = store.claim(10, "late")
    accept(store, act(date(2024, 1, 1)))
    index_all(store)
    assert [known.version for known in catalogue.versions()] == [date(2024, 1, 1)]
    store.accept([Delete(source="law", id="32020R0001@2024-01-01/act", language="en")])
    store.finish([(late.ref, late.sequence, Indexed())], "late")
    assert [known.version for known in catalogue.versions()] == [date(2020, 1, 1)]


def test_the_versions_are_read_once_for_each_change(store: PageStore, catalogue: Catalogue) -> None:
    accept(store, act(date(2020, 1, 1)))
    index_all(store)
    first = catalogue.versions()
    assert catalogue.versions() is first
    accept(store, act(date(2021, 1, 1)))
    index_all(store)
    assert catalogue.versions() != first
