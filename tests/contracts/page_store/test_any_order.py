"""Saves, deletes, exclusions, deaths, failures and outages in any order: index and store agree in the end."""

from typing import ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from app.pages.database import open_engine
from app.pages.page_list import PageList
from app.pages.store import PageStore
from app.pages.types import Claim, Failed, Indexed, Outcome, Waiting
from ingest.types import Change, PageRef
from tests.contracts.conftest import NewDatabase
from tests.contracts.page_store.helpers import NOON, Clock
from tests.contracts.raw_pages import delete, save

revisions = st.none() | st.integers(1, 3)
languages = st.sampled_from(["de", "en"])


class AnyOrder(RuleBasedStateMachine):
    """One page in two languages, its store, and an index that serves what was written to it."""

    databases: ClassVar[list[NewDatabase]]

    @initialize()
    def open(self) -> None:
        self.clock = Clock()
        self.engine = open_engine(self.databases[0]())
        self.store = PageStore(self.engine, clock=self.clock)
        self.served: dict[PageRef, tuple[int, str]] = {}
        self.sequences: dict[PageRef, int] = {}
        self.send(save())

    @rule(text=st.sampled_from("ab"), revision=revisions, language=languages)
    def save(self, text: str, revision: int | None, language: str) -> None:
        self.send(save(text=text, revision=revision, language=language))

    @rule(revision=revisions, language=st.none() | languages)
    def delete(self, revision: int | None, language: str | None) -> None:
        self.send(delete(revision=revision, language=language))

    @rule()
    def exclude(self) -> None:
        self.store.exclude("town", "p")

    @rule()
    def include(self) -> None:
        self.store.include("town", "p")

    @rule(limit=st.integers(1, 2))
    def index(self, limit: int) -> None:
        self.work(limit, Indexed())

    @rule(limit=st.integers(1, 2))
    def fail(self, limit: int) -> None:
        self.work(limit, Failed(reason="invalid", message="no"))

    @rule(limit=st.integers(1, 2))
    def wait(self, limit: int) -> None:
        self.work(limit, Waiting(reason="away", seconds=10))

    @rule(written=st.booleans())
    def die(self, written: bool) -> None:
        for claim in self.store.claim(2, "dead"):
            if written:
                self.write(claim)
        self.store.release("dead")

    @rule(text=st.sampled_from("ab"))
    def save_during_the_work(self, text: str) -> None:
        claims = self.store.claim(2, "w")
        self.send(save(text=text))
        for claim in claims:
            self.write(claim)
            self.store.finish([(claim.ref, claim.sequence, Indexed())], "w")

    @rule()
    def later(self) -> None:
        self.clock.advance(20)

    @invariant()
    def a_finished_page_is_served_exactly_if_it_is_shown(self) -> None:
        for row in PageList(self.engine).records():
            shown = row.ref not in self.store.hidden([row.ref], NOON)
            if row.state == "indexed":
                assert shown
                assert self.served[row.ref][0] == row.sequence
            if row.state in {"deleted", "excluded"}:
                assert not shown
                assert row.ref not in self.served

    def teardown(self) -> None:
        self.clock.advance(1000)
        while self.store.pending():
            self.work(2, Indexed())
        self.a_finished_page_is_served_exactly_if_it_is_shown()
        assert not {"pending", "waiting"} & self.store.counts().keys()
        self.engine.dispose()

    def send(self, change: Change) -> None:
        for accepted in self.store.accept([change]):
            assert accepted.sequence >= self.sequences.get(accepted.ref, 0)
            self.sequences[accepted.ref] = accepted.sequence

    def work(self, limit: int, outcome: Outcome) -> None:
        for claim in self.store.claim(limit, "w"):
            if isinstance(outcome, Indexed):
                self.write(claim)
            self.store.finish([(claim.ref, claim.sequence, outcome)], "w")

    def write(self, claim: Claim) -> None:
        if claim.page is None:
            self.served.pop(claim.ref, None)
        else:
            self.served[claim.ref] = (claim.sequence, claim.page.fields["content"].text)


def test_index_and_store_agree_in_the_end(new_database: NewDatabase) -> None:
    class OnThisDatabase(AnyOrder):
        databases: ClassVar = [new_database]

    run_state_machine_as_test(
        OnThisDatabase, settings=settings(max_examples=15, stateful_step_count=25, deadline=None)
    )
