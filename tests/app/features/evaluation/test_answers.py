"""Answers judged by their text: what is shown, what a model would read, where links lead."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from app.chat.answer import Answerer
from app.chat.context import plan_context
from app.chat.events import DoneEvent, Status
from app.chat.options import ChatOptions
from app.chat.source_items import SourceItem
from app.chat.text.catalogue import verbatim_label
from app.chat.types import Turn
from app.errors import PoolError
from app.features.evaluation.answers import (
    JudgedAnswer,
    cited_texts,
    context_text,
    conversation,
    first_block,
    judge_answers,
    judged_answer,
    opens,
    visible_text,
)
from app.features.evaluation.pool import PoolQuestion
from app.indexing.progress import Progress
from app.search.retrieval import Hit
from tests.app.chat.found_pages import FoundPages
from tests.app.chat.pages import hit, page, retrieval

POOL = hit(page("pool", title="Swimming pool", content="The outdoor pool opens at nine. Adults pay 5 euros."))
BUS = hit(page("bus", title="Bus", content="Bus 7 stops at the old town hall every hour."), rank=2)
QUESTION = PoolQuestion(question="When does the pool open?", gold=("pool",), must=("opens at nine",))
LINK = "https://example.org/pool#:~:text="


def used(*hits: Hit) -> tuple[SourceItem, ...]:
    return plan_context(hits, 6_000).sources


def answered(
    text: str, sources: Sequence[SourceItem] = (), *, citations: tuple[int, ...] = (), **given: Any
) -> DoneEvent:
    done = DoneEvent(
        answer=text,
        status="extractive",
        mode="semantic",
        degraded=(),
        model=None,
        sources=tuple(sources),
        citations=citations,
    )
    return replace(done, **given)


def judged(text: str, question: PoolQuestion = QUESTION) -> JudgedAnswer:
    return judged_answer(question, answered(text))


def test_an_answer_is_right_if_people_see_the_gold_text() -> None:
    assert judged("> The [outdoor pool](https://example.org/pool) **opens** at\n> nine. [1]").is_right
    assert judged("> It opens at [nine](https://example.org/opens-at-nine).").is_right
    assert not judged("> Adults pay 5 euros. [1]").is_right
    assert not judged("[It](https://example.org/opens/at/nine) is warm.").is_right


def test_an_answer_to_a_question_without_gold_spans_is_neither_right_nor_wrong() -> None:
    judgement = judged("The pool opens at nine.", PoolQuestion(question="?", gold=("pool",)))
    assert (judgement.is_right, judgement.within) == (None, {})


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_sentence_above_the_passages_does_not_count(language: str) -> None:
    answer = f"{verbatim_label(language)}\n\n> **Prices**\n>\n> - Adults: 5 & more [1]"
    assert judged(answer).shown == "Prices Adults: 5 & more"


def test_people_see_no_markup() -> None:
    markdown = "> **Prices**\n>\n> | Card | Price |\n> | --- | --- |\n> | Day &amp; night | <b>5 €</b> |"
    assert visible_text(markdown) == "Prices Card Price Day & night <b>5 €</b>"


def test_the_context_is_what_the_used_sources_say_in_the_order_of_the_prompt() -> None:
    unused = replace(used(BUS)[0], number=None, used=False, text="")
    assert context_text([*used(POOL), unused]) == (
        "Swimming pool\n\nThe outdoor pool opens at nine. Adults pay 5 euros."
    )
    assert context_text(used(POOL, BUS)).index("Bus\n\nBus 7") > 0


def test_the_context_counts_up_to_so_many_characters() -> None:
    long = hit(page("long", title="Long", content=f"{'word ' * 1000}The pool opens at nine."))
    question = QUESTION.model_copy(update={"must": ("opens at nine",)})
    within = judged_answer(question, answered("", used(long))).within
    assert within == {2_000: False, 4_000: False, 8_000: True, 16_000: True}


def test_a_word_that_the_limit_cuts_is_not_in_the_context() -> None:
    source = replace(used(POOL)[0], text="x" * 1980 + " 25 Euro")
    question = QUESTION.model_copy(update={"must": ("2",)})
    assert judged_answer(question, answered("", [source])).within[2_000] is False


@pytest.mark.parametrize(
    ("status", "refused"),
    [
        ("no_answer", True),
        ("out_of_scope", True),
        ("greeting", True),
        ("extractive", False),
        ("partly", False),
    ],
)
def test_a_question_is_refused_where_no_passage_poses_as_its_answer(status: Status, refused: bool) -> None:
    assert judged_answer(QUESTION, answered("No.", status=status)).is_refused == refused


def test_a_source_stands_behind_the_text_before_its_number() -> None:
    assert cited_texts("First. [1] Second and third [2][3]. Fourth [1, 4]") == {
        1: "First. . Fourth",
        2: "Second and third",
        3: "Second and third",
        4: ". Fourth",
    }


@pytest.mark.parametrize(
    ("directive", "opened"),
    [
        ("The%20outdoor%20pool", True),
        ("outdoor%20pool%20opens,5%20euros", True),
        ("before-,outdoor%20pool,-after", True),
        ("5%20euros&text=outdoor", True),
        ("outdoor%20pool%20closes", False),
        ("outdoor%20pool,6%20euros", False),
        ("outdoor&text=indoor", False),
        ("euro", False),
    ],
)
def test_a_link_opens_what_is_quoted_if_its_words_are_in_it(directive: str, opened: bool) -> None:
    quoted = "The outdoor pool opens at nine. Adults pay 5 euros."
    assert opens(LINK + directive, quoted) == opened


def test_a_link_without_a_passage_opens_none() -> None:
    assert not opens("https://example.org/pool", "The outdoor pool")
    assert not opens("https://example.org/pool#prices", "The outdoor pool")


def test_each_cited_web_page_is_judged_by_its_own_quote() -> None:
    sources = used(POOL, BUS)
    quote = "> The outdoor pool opens at nine. [1]\n\n> Bus 7 stops at the old town hall every hour. [2]"
    swapped = "> Bus 7 stops at the old town hall every hour. [1]\n\n> The outdoor pool opens at nine. [2]"
    assert judged_answer(QUESTION, answered(quote, sources, citations=(1, 2))).links == (True, True)
    assert judged_answer(QUESTION, answered(swapped, sources, citations=(1, 2))).links == (False, False)
    assert judged_answer(QUESTION, answered(quote, sources, citations=(2,))).links == (True,)


@pytest.mark.parametrize("url", ["file:///pool.html", "https://example.org/act#art_6", "https://[", ""])
def test_sources_that_no_link_can_lead_into_are_left_out(url: str) -> None:
    source = used(POOL)[0]
    source = replace(source, page=replace(source.page, url=url))
    assert judged_answer(QUESTION, answered("The outdoor pool [1]", [source], citations=(1,))).links == ()


def test_every_question_is_answered_without_a_model_and_progress_is_shown() -> None:
    answerer = Answerer(FoundPages(POOL, BUS), options=ChatOptions())
    history = (Turn(role="user", content="Is there a pool?"),)
    questions = [QUESTION, PoolQuestion(question="And when does it open?", history=history)]
    shown: list[Progress] = []
    first, second = judge_answers(answerer, questions, frozenset({"site"}), shown.append)
    assert (first.status, first.is_right, first.within[2_000], first.links[0]) == (
        "extractive",
        True,
        True,
        True,
    )
    assert (second.question, second.is_right) == (questions[1], None)
    assert [(each.done, each.total) for each in shown] == [(1, 2), (2, 2)]


def test_the_first_quote_is_what_people_see_first() -> None:
    answer = f"{verbatim_label('en')}\n\n> **Pool**\n>\n> Nine. [1]\n\n> **Bus**\n> Ten. [2]"
    assert first_block(answer) == "> **Pool**\n>\n> Nine. [1]"
    assert first_block("Nine. [1]\n\nTen. [2]") == "Nine. [1]\n\nTen. [2]"
    gold = PoolQuestion(question="?", gold=("bus",), must=("Ten",), must_not=("Nine",))
    assert (judged(answer).grade, judged(answer, gold).grade) == ("bad", "bad")
    assert judged(answer, gold.model_copy(update={"must_not": ()})).grade == "ok"


def test_earlier_questions_are_asked_first_in_the_same_conversation() -> None:
    pages = FoundPages(POOL, BUS)
    answerer = Answerer(pages, options=ChatOptions())
    question = PoolQuestion(question="And the price?", earlier=("When does the pool open?",))
    first, answer = conversation(answerer, question, frozenset({"site"})).history
    assert pages.questions == ["When does the pool open?"]
    assert (first.role, first.content) == ("user", "When does the pool open?")
    assert "The outdoor pool opens at nine." in answer.content
    assert [page.id for page in answer.cited] == ["pool"]


@pytest.mark.parametrize(
    ("given", "certainty"),
    [
        ({}, "sure"),
        ({"status": "answered"}, "sure"),
        ({"retrieval": replace(retrieval("?", POOL), certainty="near")}, "near"),
        ({"status": "answered", "retrieval": replace(retrieval("?", POOL), certainty="near")}, "near"),
        ({"status": "answered", "retrieval": replace(retrieval("?", POOL), certainty="far")}, "near"),
        ({"status": "partly"}, "near"),
        ({"status": "unverified"}, "near"),
        ({"status": "no_answer"}, "none"),
        ({"status": "out_of_scope"}, "none"),
        ({"status": "greeting"}, "none"),
    ],
)
def test_an_answer_says_whether_it_is_one(given: dict[str, Any], certainty: str) -> None:
    assert answered("The outdoor pool [1]", **given).certainty == certainty


def test_a_question_that_cannot_be_asked_is_named() -> None:
    answerer = Answerer(FoundPages(POOL, BUS), options=ChatOptions(question_characters=10))
    with pytest.raises(PoolError, match=r"question 'q7' of the pool: .* at most 10"):
        list(judge_answers(answerer, [PoolQuestion(id="q7", question="too long a text")], frozenset()))
