"""An answer about opening hours begins with what is open on the day that is asked for."""

from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import pytest

from app.chat.answer import Answerer
from app.chat.answer_steps import AddedStep
from app.chat.events import DoneEvent
from app.chat.model.client import ChatModel
from app.chat.options import ChatOptions
from app.features.facts.holiday_calendar import HolidayCalendar
from app.features.facts.hours_step import ShowHours, asked_hours
from app.search.blocks import ranked_blocks
from app.search.types import IndexedPage
from tests.app.chat.found_pages import FoundPages
from tests.app.chat.pages import hit, page
from tests.fakes.llm import FakeLlm, Reply

LIBRARY: Final = page(
    "library",
    title="Library",
    content="# Library\n\n## Opening hours\n\n* Tuesday: 10 am to 6 pm\n* Friday: 10 am to 2 pm\n",
)
YARDS: Final = page(
    "yards",
    title="Yards",
    content="# Yards\n\nThe recycling yard is open on Tuesdays from 2 pm to 5 pm. "
    "The garden waste yard is open on Tuesdays from 8 am to 1 pm.",
)
PHONE: Final = page(
    "hall",
    title="Town hall",
    content="# Town hall\n\nThe switchboard is staffed on Tuesdays from 8 am to 4 pm.",
)
TUESDAY: Final = datetime(2026, 11, 24, 16, 30, tzinfo=ZoneInfo("Europe/Berlin"))


def ended(
    question: str, found: IndexedPage, *, model: ChatModel | None = None, now: datetime = TUESDAY, zone: str
) -> DoneEvent:
    """The end of the answer."""

    def clock(zone: ZoneInfo) -> datetime:
        return now.astimezone(zone)

    step = ShowHours(ZoneInfo(zone), HolidayCalendar("DE"), clock)
    options = ChatOptions(rephrase=False)
    answerer = Answerer(
        FoundPages.ranked(found), model=model, options=options, added=(AddedStep(step, "ListSources"),)
    )
    done = list(answerer.stream(question))[-1]
    assert isinstance(done, DoneEvent)
    return done


def answer(
    question: str, found: IndexedPage, *, model: ChatModel | None = None, zone: str = "Europe/Berlin"
) -> str:
    """The answer at half past four on a Tuesday in Berlin."""
    return ended(question, found, model=model, zone=zone).answer


def test_the_card_stands_above_the_passages_with_its_source() -> None:
    told = answer("Is the library open now?", LIBRARY)
    card, line, label = told.split("\n\n")[:3]
    assert card == "**Today, Tuesday, 24 November – Library**"
    assert line == "* 10 am to 6 pm – open now, 90 more minutes [1]"
    assert label.startswith("Excerpts")
    assert "> * Friday: 10 am to 2 pm" in told or "> - Friday: 10 am to 2 pm" in told


def test_what_lasts_of_an_answer_is_the_same_on_every_day() -> None:
    today, tomorrow = (
        ended("Is the library open now?", LIBRARY, now=TUESDAY + timedelta(days=days), zone="Europe/Berlin")
        for days in (0, 1)
    )
    assert today.answer.startswith(f"{today.card}\n\nExcerpts")
    assert today.card != tomorrow.card
    assert today.without_card == tomorrow.without_card
    assert today.without_card.startswith("Excerpts")


def test_the_clock_is_that_of_the_site() -> None:
    assert "closed now, opens at 10 am" in answer("Is the library open now?", LIBRARY, zone="America/Chicago")


def test_of_many_sentences_the_one_about_what_is_asked_for_is_told() -> None:
    assert "8 am to 1 pm – closed now" in answer("Is the garden waste yard open today?", YARDS)
    assert not answer("Is it open today?", YARDS).startswith("**")


OFFICE: Final = page(
    "office",
    language="de",
    title="Bürgeramt: Ausweise",
    content="# Bürgeramt\n\n## Öffnungszeiten\n\n* Dienstag: 8 bis 18 Uhr\n* Freitag: 8 bis 12 Uhr\n",
)


@pytest.mark.parametrize(
    "question",
    [
        "Hat das Bürgerbüro dienstags geöffnet?",
        "Wie lange hat das Bürgeramt heute noch auf?",
        "Macht das Bürgeramt heute auf?",
        "Hat das Bürgeramt grad zu?",
        "Hat das Bürgeramt Neujahr auf?",
    ],
)
def test_an_office_is_recognised_by_another_name_and_in_spoken_words(question: str) -> None:
    assert answer(question, OFFICE).startswith("**")


@pytest.mark.parametrize(
    "question", ["Hat das Standesamt dienstags geöffnet?", "Wann hat die Zulassungsstelle auf?"]
)
def test_the_hours_of_another_office_than_the_one_asked_for_are_no_answer(question: str) -> None:
    done = ended(question, OFFICE, zone="Europe/Berlin")
    assert (done.card, done.certainty) == ("", "near")


def test_a_thing_that_only_another_section_names_gets_no_card_and_no_hedge() -> None:
    rest = "## Collections\n\nThe museum shows looms on Tuesdays.\n"
    library = page("library", title="Library", content=f"{LIBRARY.fields['content']}\n{rest}")
    done = ended("When is the museum open on Tuesday?", library, zone="Europe/Berlin")
    assert (done.card, done.certainty) == ("", "sure")
    assert ended("When is the library open on Tuesday?", library, zone="Europe/Berlin").card
    done = ended("When is the climbing museum open on Tuesday?", library, zone="Europe/Berlin")
    assert (done.card, done.certainty) == ("", "near")


def test_hours_below_a_heading_that_names_a_place_are_told_to_who_asks_for_it() -> None:
    farm = page("farm", title="Farm", content="# Farm\n\n## Café\n\nTuesday 2 pm to 5 pm\n\nEat cake.\n")
    assert answer("Is the café open now?", farm).startswith("**Today, Tuesday, 24 November – Café**")
    assert not answer("Is the farm open now?", farm).startswith("**")


@pytest.mark.parametrize(
    ("section", "places"), [("Tuesday 6 am to 9 am\n", ["Pool"]), ("Tuesday by arrangement\n", [])]
)
def test_hours_of_the_page_are_not_those_of_what_another_section_is_about(
    section: str, places: list[str]
) -> None:
    content = f"# Centre\n\n## Opening hours\n\nTuesday 8 am to 10 pm\n\n## Pool\n\n{section}"
    centre = page("centre", title="Centre", content=content)
    found = ranked_blocks("opening hours", "opening hours", "en", [hit(centre)], 9)
    [block] = [each for each in found if each.headings[-1] == "Opening hours"]
    assert [each.place for each in asked_hours("Is the centre open?", "en", block)] == [""]
    assert [each.place for each in asked_hours("Is the pool open?", "en", block)] == places


def test_a_heading_in_the_genitive_names_the_office_of_the_question() -> None:
    office = "## Abweichende Zeiten des Bürgerbüros\n\n* Dienstag: 7 bis 16 Uhr\n"
    content = f"# Rathaus\n\n## Sprechzeiten\n\n* Dienstag: 8 bis 12 Uhr\n\n{office}"
    hall = page("hall", title="Rathaus", language="de", content=content)
    told = answer("Hat das Bürgerbüro heute offen?", hall)
    assert told.startswith("**Heute, Dienstag, 24. November – Abweichende Zeiten des Bürgerbüros**")


def test_a_sentence_on_the_office_is_none_on_the_graveyard() -> None:
    told = (
        "# Friedhofsverwaltung\n\nDer Friedhof ist täglich von 8 bis 17 Uhr geöffnet. "
        "Das Büro der Verwaltung ist dienstags von 9 bis 12 Uhr besetzt."
    )
    yard = page("yard", title="Friedhofsverwaltung", language="de", content=told)
    assert "* 8 bis 17 Uhr –" in answer("Ist der Friedhof heute offen?", yard)
    assert "* 9 bis 12 Uhr –" in answer("Hat das Büro heute offen?", yard)
    assert not answer("Ist es heute offen?", yard).startswith("**")


def test_a_note_beside_the_hours_that_answers_best_leads_to_them() -> None:
    listed = "## Opening hours\n\n* Monday: 8 am to 6 pm\n* Tuesday: 10 am to 6 pm"
    library = page("library", title="Library", content=f"# Library\n\n{listed}\n\nThere is a garden.\n")
    for question, count in (("Is the library open today?", 1), ("Is the garden open today?", 0)):
        found = ranked_blocks(question, question, "en", [hit(library)], 9)
        [note] = [block for block in found if block.kind == "text"]
        assert len(asked_hours(question, "en", note)) == count


def test_hours_of_a_telephone_are_told_to_who_wants_to_call() -> None:
    assert answer("Is the switchboard staffed today?", PHONE).startswith("**Today")
    assert not answer("Is the town hall open today?", PHONE).startswith("**")


@pytest.mark.parametrize("question", ["Where is the library?", "What does the library lend?"])
def test_other_questions_get_no_card(question: str) -> None:
    assert not answer(question, LIBRARY).startswith("**")


def test_a_model_writes_below_the_card(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=("STATUS: answered\nIt closes at 6 pm [1].",)))
    told = answer("Is the library open now?", LIBRARY, model=model)
    assert told.startswith("**Today, Tuesday, 24 November – Library**")
    assert told.endswith("It closes at 6 pm [1].")


def test_a_day_that_a_sentence_names_is_told_where_the_other_hours_are_not_certain() -> None:
    content = """# Pool

## Opening times

Monday to Friday 8 am to 8 pm, except during school swimming. On 17 December 2026 we close early.

The pool is closed from 24 December 2026 to 1 January 2027.

## Café

The café is closed on 28 December 2026.
"""

    def card(question: str, found: IndexedPage) -> str:
        return ended(question, found, zone="Europe/Berlin").card

    pool = page("pool", title="Lido Pool", content=content)
    assert not card("Is the pool open on 16 December?", pool)
    told = card("Is the pool open on 24 December?", pool)
    assert told.splitlines()[2:] == ["* closed [1]"]
    assert card("Is the pool open on New Year's Day?", pool)
    assert not card("Is the pool open on 17 December?", pool)
    assert not card("Is the café open on 24 December?", pool)
    other = page("pool", title="Lido Pool", content=content + "\nOn 24 December the sauna opens late.\n")
    assert not card("Is the pool open on 24 December?", other)


def test_who_wants_to_call_is_not_told_the_hours_of_visits_where_the_page_has_others() -> None:
    content = "# Office\n\n## Opening hours\n\n* Tuesday: 8 am to 4 pm\n\n{}\n"
    for line, told in (
        ("Please visit us.", "8 am to 4 pm"),
        ("The helpline is staffed on Tuesdays from 9 am to 11 am.", "9 am to 11 am"),
        ("Service phone: 069 90009-14 (mornings until 11 am)", ""),
    ):
        office = page("office", title="Office", content=content.format(line))
        card = ended("When can I call the office?", office, zone="Europe/Berlin").card
        assert (told in card) if told else not card
