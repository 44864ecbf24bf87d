"""Pages compete for a question that names all of them alike."""

from dataclasses import replace

import pytest

from app.features.asking_back.competing import MOST_PAGES, competing_pages
from app.search.types import Hit, IndexedPage, Retrieval
from ingest.types import PageRef
from tests.app.chat.pages import hit, page, retrieval

PERMITS = (
    page("residents", language="de", title="Bewohnerparkausweis", content="# Bewohnerparkausweis"),
    page("disabled", language="de", title="Parkausweis für Menschen mit Behinderung", content="# Ausweis"),
    page("trade", language="de", title="Handwerkerparkausweis", content="# Handwerkerparkausweis"),
)
MARKET = page("market", language="de", title="Wochenmarkt", content="# Wochenmarkt\n\n## Parkplätze")


def found(question: str, *pages: IndexedPage, coverage: float = 0.5) -> Retrieval:
    hits = [replace(hit(each, rank=rank), coverage=coverage) for rank, each in enumerate(pages, start=1)]
    return retrieval(question, *hits)


def competing(question: str, *pages: IndexedPage) -> list[str]:
    return [each.page.ref.id for each in competing_pages(question, found(question, *pages))]


@pytest.mark.parametrize(
    "question", ["Parkausweis", "Ich brauche einen Parkausweis", "Wie bekomme ich einen Parkausweis?"]
)
def test_pages_with_the_subject_in_their_titles_compete(question: str) -> None:
    assert competing(question, *PERMITS, MARKET)[:3] == ["residents", "disabled", "trade"]


@pytest.mark.parametrize(
    "question",
    [
        "Parkausweis für Menschen mit Behinderung",
        "Wochenmarkt",
        "Wo ist der Wochenmarkt?",
        "Ich bin seit gestern Handwerker hier und brauche für den Lieferwagen meiner Firma einen Parkausweis",
    ],
)
def test_a_question_that_names_the_case_is_not_asked_back(question: str) -> None:
    assert not competing(question, *PERMITS, MARKET)


def test_a_page_whose_title_says_what_the_question_says_is_meant() -> None:
    permit = page("permit", language="de", title="Parkausweis", content="# Parkausweis")
    assert not competing("Wie bekomme ich einen Parkausweis?", permit, *PERMITS)


def test_without_a_title_headings_count() -> None:
    pool = page("pool", title="Lido", content="# Lido\n\n## Tickets\n\nFrom €4.")
    bus = page("bus", title="On-call bus", content="# On-call bus\n\n## Tickets\n\n€2.80.")
    park = page("park", title="Park", content="# Park\n\nFree of charge.")
    assert competing("How do I buy tickets?", pool, park, bus) == ["pool", "bus"]


def test_a_question_that_names_no_subject_is_about_all_pages_that_have_such_a_heading() -> None:
    pool = page("pool", title="Lido", content="# Lido\n\n## Opening hours\n\nDaily.")
    library = page("library", title="Library", content="# Library\n\n## Opening hours\n\nTuesdays.")
    park = page("park", title="Park", content="# Park\n\nAlways.")
    assert competing("opening hours", pool, park, library) == ["pool", "library"]
    assert competing("When are you open?", pool, park, library) == ["pool", "library"]


def test_a_word_that_pages_have_in_their_texts_alone_needs_three_of_them() -> None:
    pages = [
        page(str(number), title=f"Office {number}", content="# Office\n\nMake an appointment.")
        for number in range(3)
    ]
    assert competing("I need an appointment please", *pages) == ["0", "1", "2"]
    assert not competing("I need an appointment please", *pages[:2])


def test_the_same_page_in_another_language_is_no_other_page() -> None:
    english = page("trade-en", language="en", title="Parkausweis for trades", content="# Parkausweis")
    assert competing("Parkausweis", PERMITS[0], english) == []


def test_no_more_pages_are_offered_than_people_read() -> None:
    pages = [
        page(str(number), title=f"Permit number {number} for stalls", content="# Permit")
        for number in range(MOST_PAGES + 2)
    ]
    assert len(competing("permit", *pages)) == MOST_PAGES


def changed(**changes: object) -> Retrieval:
    return replace(found("Parkausweis", *PERMITS), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "decided",
    [
        changed(certainty="far"),
        changed(mode="lookup"),
        changed(absent_words=("Parkausweis",)),
        changed(within=frozenset({PageRef(source="site", id="trade", language="de")})),
        changed(other_readings=("Parkausweis – Wochenmarkt?",)),
        changed(hits=()),
    ],
)
def test_nobody_is_asked_where_something_else_decides(decided: Retrieval) -> None:
    assert not competing_pages("Parkausweis", decided)


def test_law_is_not_asked_back() -> None:
    units = [
        replace(each, metadata={"celex": "32024R1689"})
        for each in (
            page("1", title="Scope of one", content="x"),
            page("2", title="Scope of two", content="x"),
        )
    ]
    hits: list[Hit] = [hit(each) for each in units]
    assert not competing_pages("scope", retrieval("scope", *hits))
