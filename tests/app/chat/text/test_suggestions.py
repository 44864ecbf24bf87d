"""Follow-up questions come from the headings of the cited pages."""

from dataclasses import replace

import pytest

from app.chat.source_items import SourceItem, source_item
from app.chat.text.suggestions import label, reading_labels, suggestions
from app.search.blocks import FoundBlock
from app.search.retrieval import Passage
from tests.app.chat.pages import hit, page

CONTENT = """# Dog tax

## Rates

The first dog costs 96 euros.

## Exemptions

Guide dogs are exempt.

## Contact

Town hall.

### 2. How to **register** your dog?

By letter.

## Register changes [here](https://town.example/x)

Later.
"""


def cited(
    identifier: str = "dog-tax", title: str = "Dog tax", content: str = CONTENT, at: str = ""
) -> SourceItem:
    item = source_item(hit(page(identifier, title=title, content=content)), 1, "text")
    if not at:
        return item
    start = content.index(at)
    passage = Passage(field="content", start=start, end=start + len(at), text=at)
    span = (start, start + len(at))
    best = FoundBlock(
        page=item.page,
        kind="text",
        passage=passage,
        before="",
        headings=(),
        spans=(span,),
        wholes=(span,),
        around=span,
        score=1.0,
    )
    return replace(item, best=best)


QUESTION = "How much is it?"
ANSWER = "It is 96 euros [1]."


def test_headings_that_were_not_answered_are_offered_nearest_first() -> None:
    assert suggestions(QUESTION, ANSWER, [cited(at="The first dog")]) == [
        "Exemptions – Dog tax",
        "How to register your dog? – Dog tax",
        "Register changes here – Dog tax",
    ]


def test_what_question_or_answer_name_is_not_offered_again() -> None:
    found = suggestions("What are the rates?", "Guide dogs are an exemption [1].", [cited()])
    assert [label(each, "Dog tax") for each in found] == [
        "How to register your dog?",
        "Register changes here",
    ]


def test_general_long_short_and_repeated_headings_are_left_out() -> None:
    headings = (
        "Contact", "Further information", "Ansprechpartner", "Links und Downloads", "A", "12", "§ 3",
        "Dog tax", "Word " * 13, "Deadlines", "deadlines", "**Deadlines**",
    )  # fmt: skip
    content = "".join(f"## {heading}\n\nText.\n\n" for heading in headings)
    assert suggestions(QUESTION, ANSWER, [cited(content=content)]) == ["Deadlines – Dog tax"]


def test_several_pages_take_turns() -> None:
    pages = [cited(), cited("ferry", "Ferry", "## Timetable\n\nx\n\n## Fares\n\nx\n")]
    assert suggestions(QUESTION, ANSWER, pages) == [
        "Rates – Dog tax",
        "Timetable – Ferry",
        "Exemptions – Dog tax",
    ]


def test_headings_in_another_language_than_the_answer_are_not_offered() -> None:
    ferry = cited("ferry", "Fähre", "## Fahrplan\n\nx\n")
    german = replace(ferry, page=page("ferry", language="de", title="Fähre", content="## Fahrplan\n\nx\n"))
    assert suggestions(QUESTION, ANSWER, [german, cited()], "en") == [
        "Rates – Dog tax",
        "Exemptions – Dog tax",
        "How to register your dog? – Dog tax",
    ]
    assert suggestions(QUESTION, ANSWER, [german], "en") == []
    assert suggestions(QUESTION, ANSWER, [german], "de") == ["Fahrplan – Fähre"]


def test_code_is_no_heading_and_a_page_without_any_offers_nothing() -> None:
    assert suggestions(QUESTION, ANSWER, [cited(content="```\n## Rates\n```\n")]) == []
    assert suggestions(QUESTION, ANSWER, [cited(content="Text.")]) == []
    assert suggestions(QUESTION, ANSWER, []) == []


@pytest.mark.parametrize(
    ("readings", "labels"),
    [
        (
            ["Permit – For carers?", "Permit – For residents – zone A?"],
            ["For carers", "For residents – zone A"],
        ),
        (["Permit – For carers?"], ["Permit – For carers?"]),
        (["Permit – For carers?", "Fee – For carers?"], ["Permit – For carers?", "Fee – For carers?"]),
        (["Article 5 of one act", "Article 5 of another"], ["Article 5 of one act", "Article 5 of another"]),
        ([], []),
    ],
)
def test_readings_are_told_apart_by_their_pages(readings: list[str], labels: list[str]) -> None:
    assert reading_labels(readings) == labels
