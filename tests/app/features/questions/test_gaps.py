"""What visitors ask in vain is listed by meaning, ticked off, and comes again by itself."""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine

from app.chat.conversations import AnswerRecord, Conversations
from app.errors import IndexUnavailableError, NotFoundError
from app.features.questions.gap_notes import GapNotes
from app.features.questions.gaps import QuestionGaps, QuestionGroupDocument
from app.features.questions.groups import QuestionGroups
from app.pages.audit import AuditLog
from app.pages.database import open_engine
from app.search.types import IndexedPage
from ingest.types import PageRef
from tests.contracts.conftest import NewDatabase, new_database
from tests.contracts.page_store.helpers import Clock

__all__ = ["new_database"]

DAY = timedelta(days=1).total_seconds()
PAGE = {"source": "town", "id": "pool", "language": "en", "url": "https://town.example/pool", "title": "Pool"}


class Town:
    """Questions to a town, the groups that they are in, and the notes on these."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.clock, self.text = engine, Clock(), "The pool opens at nine."
        self.kept = Conversations(engine, self.clock)
        self.groups = QuestionGroups(engine, self.clock)
        self.gaps = QuestionGaps(engine, self.clock, self.pages)
        self.notes = GapNotes(engine, self.clock)
        self.numbers: dict[str, int] = {}

    def pages(self, refs: Collection[PageRef]) -> Sequence[IndexedPage]:
        if not self.text:
            raise IndexUnavailableError("the index is down: wait")
        rest = {"document": "", "sequence": 1, "url": "", "kind": "", "updated": None}
        return [IndexedPage(ref=ref, fields={"content": self.text}, **rest) for ref in refs]  # type: ignore[arg-type]

    def ask(
        self, question: str, group: int, status: str = "no_answer", site: str = "town", **more: Any
    ) -> str:
        begun = self.kept.begin(site, question)
        document = {"answer": "A.", "status": status, "sources": [], "citations": []} | more
        made = {"pages": [PAGE | {"number": 1}]}
        self.kept.finish(begun.answer, document, record=AnswerRecord(provenance=made))
        self.numbers[begun.answer] = group
        self.group()
        return begun.answer

    def group(self, by: int = 0) -> None:
        """Group all anew, the first of a group in its middle; ``by``: what is added to the numbers."""
        seen: dict[int, int] = {}
        ranked: dict[str, tuple[int, int]] = {}
        for answer, number in self.numbers.items():
            seen[number] = seen.get(number, -1) + 1
            ranked[answer] = number + by, seen[number]
        self.groups.keep(ranked, 0)

    def listed(self, **chosen: Any) -> list[QuestionGroupDocument]:
        return self.gaps.listed(**chosen).groups

    def questions(self, **chosen: Any) -> list[str]:
        return [group.question for group in self.listed(**chosen)]


@pytest.fixture
def town(new_database: NewDatabase) -> Town:
    return Town(open_engine(new_database()))


def test_what_is_asked_most_often_in_vain_comes_first(town: Town) -> None:
    for _ in range(3):
        town.ask("Tax?", 1, "answered")
    town.ask("Tax?", 1, "partly")
    for status in ("no_answer", "partly"):
        town.ask("Casino?", 2, status)
    town.ask("Hello?", 3, "greeting")
    assert town.questions(state="open") == ["Casino?", "Tax?"]
    assert town.questions(state="all") == ["Tax?", "Casino?", "Hello?"]
    [casino, tax] = town.listed(state="open")
    assert (casino.count, casino.doubtful, casino.unanswered) == (2, 1, 1)
    assert (tax.count, tax.doubtful, tax.unanswered, tax.share_doubtful) == (4, 1, 0, 0.25)


def test_a_group_tells_how_often_it_was_asked_this_week_and_the_one_before(town: Town) -> None:
    for days in (0, 5, 4, 1, 1):
        town.clock.advance(days * DAY)
        town.ask("Casino?", 1)
    [group] = town.listed()
    assert (group.count, group.this_week, group.week_before) == (5, 4, 1)


def test_a_group_shows_the_beginning_of_its_answer_and_the_page_that_it_is_from(town: Town) -> None:
    town.ask("Tax?", 1, "partly", answer="> **Pool**\n> The pool opens [1] at " + "nine " * 80, citations=[1])
    [group] = town.listed()
    assert group.answer.startswith("Pool") and "opens" in group.answer
    assert len(group.answer) < 260 and not {">", "*"} & set(group.answer)
    assert group.page is not None
    assert (group.page.title, group.page.quoted) == ("Pool", True)


def test_headings_items_and_rows_of_the_beginning_have_lines_of_their_own(town: Town) -> None:
    table = "> | Dog | Tax |\n> | --- | --- |\n> | first | 72 |"
    answer = f"> **Costs**\n>\n{table}\n>\n> - due in May\n> - by bank"
    town.ask("Tax?", 1, "partly", answer=answer, citations=[1])
    [group] = town.listed()
    assert group.answer.splitlines() == ["Costs", "Dog · Tax", "first · 72", "- due in May", "- by bank"]


def test_of_a_question_without_an_answer_the_nearest_page_is_shown(town: Town) -> None:
    town.ask("Tax?", 1, "no_answer")
    [group] = town.listed()
    assert group.page is not None
    assert (group.page.id, group.page.quoted) == ("pool", False)


def test_what_is_missing_is_said(town: Town) -> None:
    town.ask("What does a Bauantrag cost?", 1, "partly", absent_words=["Bauantrag"])
    [group] = town.listed()
    assert (group.absent_words, group.lacks_price) == (["Bauantrag"], True)
    town.text = "It costs 5 euros."
    assert not town.listed()[0].lacks_price
    town.text = ""
    assert not town.listed()[0].lacks_price, "nobody knows while the index is down"


def test_what_is_told_is_of_the_newest_question_that_was_not_answered_well(town: Town) -> None:
    town.ask("Casino?", 1, "partly", answer="Old.")
    town.clock.advance(60)
    town.ask("A casino?", 1, "no_answer", answer="In vain.")
    town.clock.advance(60)
    town.ask("casino", 1, "answered", answer="Good.")
    assert [group.answer for group in town.listed()] == ["In vain."]


def test_what_is_ticked_off_is_open_again_when_it_is_asked_in_vain(town: Town) -> None:
    answer = town.ask("Casino?", 1)
    town.clock.advance(60)
    town.notes.change(answer, "ada", sites=None, done=True)
    assert (town.questions(state="open"), town.questions(state="done")) == ([], ["Casino?"])
    town.clock.advance(60)
    town.ask("Casino?", 1, "answered")
    assert (town.questions(state="open"), town.questions(state="done")) == ([], ["Casino?"])
    town.clock.advance(60)
    town.ask("Casino?", 1)
    assert (town.questions(state="open"), town.questions(state="done")) == (["Casino?"], [])
    assert [(group.is_open, group.done_at is None) for group in town.listed()] == [(True, False)]


def test_who_ticked_off_by_mistake_opens_again(town: Town) -> None:
    answer = town.ask("Casino?", 1)
    for done in (True, False):
        town.notes.change(answer, "ada", sites=None, done=done)
    assert town.questions(state="open") == ["Casino?"]


def test_a_group_is_assigned_and_commented_on_and_the_rest_of_the_note_stays(town: Town) -> None:
    answer = town.ask("Casino?", 1)
    town.notes.change(answer, "ada", sites=None, assigned_to="ben")
    town.notes.change(answer, "eve", sites=None, comment="Ask the mayor.")
    [group] = town.listed(state="mine", user="ben")
    assert (group.assigned_to, group.comment, group.changed_by) == ("ben", "Ask the mayor.", "eve")
    assert town.listed(state="mine", user="ada") == []
    logged = AuditLog(town.engine).entries()
    assert [(entry.actor, entry.action) for entry in logged] == [("eve", "gap.change"), ("ada", "gap.change")]
    assert "mayor" not in repr(logged)


def test_a_note_goes_on_with_its_group_when_all_are_grouped_anew(town: Town) -> None:
    first = town.ask("Casino?", 1)
    town.notes.change(first, "ada", sites=None, assigned_to="ben")
    town.clock.advance(60)
    second = town.ask("A casino?", 1)
    town.group(by=7)
    assert [(group.number, group.assigned_to) for group in town.listed()] == [(8, "ben")]
    conversation = town.kept.answer("town", first).conversation
    town.kept.delete("town", conversation)
    del town.numbers[first]
    assert [group.assigned_to for group in town.listed()] == ["ben"]
    town.kept.delete("town", town.kept.answer("town", second).conversation)
    assert town.listed() == []


def test_of_two_groups_that_become_one_the_last_note_holds(town: Town) -> None:
    one, other = town.ask("Casino?", 1), town.ask("Roulette?", 2)
    town.notes.change(one, "ada", sites=None, comment="old")
    town.clock.advance(60)
    town.notes.change(other, "ada", sites=None, comment="new")
    town.numbers[other] = 1
    town.group()
    assert [group.comment for group in town.listed()] == ["new"]


def test_groups_of_other_sites_are_neither_listed_nor_changed(town: Town) -> None:
    answer = town.ask("Casino?", 1, site="other")
    assert town.listed(sites=["town"]) == town.listed(sites=[]) == []
    for sites in (["town"], list[str]()):
        with pytest.raises(NotFoundError):
            town.notes.change(answer, "ada", sites=sites, done=True)
    with pytest.raises(NotFoundError):
        town.notes.change("unknown", "ada", sites=None, done=True)


def test_the_gaps_come_in_pages(town: Town) -> None:
    for number in range(5):
        for _ in range(1 + number // 2):
            town.ask(f"Q{number}?", number)
    whole = town.questions(state="open")
    assert len(whole) == 5
    first = town.gaps.listed(state="open", limit=2)
    second = town.gaps.listed(state="open", limit=3, after=first.next)
    assert [group.question for group in (*first.groups, *second.groups)] == whole
    assert second.next is None
