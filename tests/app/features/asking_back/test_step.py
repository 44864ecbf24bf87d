"""Where pages compete, the answer asks which is meant; one click answers."""

import json
from importlib.resources import files

from app.chat.answer import Answerer
from app.chat.answer_steps import AddedStep
from app.chat.events import DoneEvent
from app.chat.options import ChatOptions
from app.chat.text.catalogue import LANGUAGES
from app.chat.types import CitedPage, Turn
from app.features.asking_back.step import AskBack
from tests.app.chat.found_pages import FoundPages
from tests.app.chat.pages import page

PAGES = (
    page("residents", title="Parking permit for residents", content="# Residents\n\nIt costs €120 a year."),
    page("carers", title="Parking permit for carers", content="# Carers\n\nCarers pay €30 a year."),
    page("pool", title="Lido", content="# Lido\n\nSwim."),
)


def answered(question: str, *history: Turn, language: str | None = None) -> DoneEvent:
    steps = (AddedStep(AskBack(), "PlanContext"),)
    answerer = Answerer(FoundPages.ranked(*PAGES), options=ChatOptions(rephrase=False), added=steps)
    done = list(answerer.stream(question, history=history, language=language))[-1]
    assert isinstance(done, DoneEvent)
    return done


def readings(done: DoneEvent) -> tuple[str, ...]:
    assert done.retrieval is not None
    return done.retrieval.other_readings


def test_the_pages_that_compete_are_offered_and_the_first_is_quoted() -> None:
    done = answered("How do I get a parking permit?")
    assert done.answer.startswith("Several pages are about this.\n\n")
    assert "€120 a year" in done.answer
    assert done.asks_back
    assert readings(done) == (
        "How do I get a parking permit – Parking permit for residents?",
        "How do I get a parking permit – Parking permit for carers?",
    )


def test_one_click_answers_from_the_page_that_was_chosen() -> None:
    asked = answered("parking permit")
    history = (
        Turn(role="user", content="parking permit"),
        Turn(
            role="assistant",
            content=asked.answer,
            cited=(CitedPage(id="residents", url="https://example.org/residents"),),
        ),
    )
    for earlier in (history, ()):
        done = answered(readings(asked)[1], *earlier)
        assert "€30 a year" in done.answer
        assert "€120" not in done.answer
        assert done.sources[0].page.ref.id == "carers"
        assert not readings(done)


def test_what_goes_on_with_the_last_question_is_not_asked_back() -> None:
    history = (
        Turn(role="user", content="When is the lido open?"),
        Turn(role="assistant", content="In summer.", cited=(CitedPage(id="pool", url=PAGES[2].url),)),
    )
    assert not answered("And the parking?", *history).answer.startswith("Several pages")
    assert answered("Who gets a parking permit?", *history).answer.startswith("Several pages")


def test_a_clear_question_is_answered_without_asking_back() -> None:
    done = answered("parking permit for carers")
    assert not readings(done)
    assert not done.asks_back
    assert not done.answer.startswith("Several pages")


def test_it_is_said_in_the_visitors_language() -> None:
    assert answered("parking permit", language="fr").answer.startswith("Plusieurs pages en parlent.")
    assert answered("parking permit", language="ja").answer.startswith("Several pages are about this.")


def test_it_is_said_in_every_language_of_the_chat() -> None:
    sentences = json.loads(
        files("app.features.asking_back").joinpath("several_pages.json").read_text("utf-8")
    )
    assert sentences.keys() == LANGUAGES
