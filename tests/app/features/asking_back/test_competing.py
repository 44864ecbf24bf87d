"""Pages compete for a question that names all of them alike."""

from dataclasses import replace

import pytest

from app.features.asking_back.competing import (
    MOST_PAGES,
    competing_pages,
    is_open_word,
    near_pages,
    with_near,
)
from app.search.retrieval import Hit, NearBlock, Retrieval, RetrievalMode
from app.search.types import IndexedPage
from ingest.types import PageRef
from tests.app.chat.pages import hit, page, retrieval

PERMITS = (
    page("residents", language="de", title="Bewohnerparkausweis", content="# Bewohnerparkausweis"),
    page("disabled", language="de", title="Parkausweis für Menschen mit Behinderung", content="# Ausweis"),
    page("trade", language="de", title="Handwerkerparkausweis", content="# Handwerkerparkausweis"),
)
MARKET = page("market", language="de", title="Wochenmarkt", content="# Wochenmarkt\n\n## Parkplätze")


def found(question: str, *pages: IndexedPage, coverage: float = 0.5) -> Retrieval:
    block = NearBlock(field="content", start=0, end=1, relevance=0.5)
    hits = [
        replace(hit(each, rank=rank), coverage=coverage, compared_blocks=(block,))
        for rank, each in enumerate(pages, start=1)
    ]
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
    assert not competing("Wie bekomme ich einen Parkausweis?", permit, *PERMITS[:2])


def test_beside_three_cases_it_is_an_overview_of_them() -> None:
    permit = page("permit", language="de", title="Parkausweis", content="# Parkausweis")
    assert competing("Wie bekomme ich einen Parkausweis?", permit, *PERMITS) == [
        "permit", "residents", "disabled", "trade",
    ]  # fmt: skip


def test_a_page_whose_title_says_more_of_the_question_than_others_is_meant() -> None:
    refuse = page("refuse", language="de", title="Ausschlagung einer Erbschaft", content="# Erbe")
    accept = page("accept", language="de", title="Annahme einer Erbschaft", content="# Erbe")
    assert not competing("Erbe ausschlagen", accept, refuse)
    assert competing("Was muss ich beim Erbe tun?", accept, refuse) == ["accept", "refuse"]


def test_a_word_alone_also_means_what_compounds_begin_with() -> None:
    start = page("start", language="de", title="Gewerbe anmelden", content="# Gewerbe")
    end = page("end", language="de", title="Betrieb aufgeben: Gewerbeabmeldung", content="# Abmeldung")
    assert competing("Gewerbe", start, end) == ["start", "end"]
    assert not competing("Ich habe ein Gewerbe", start, end)
    carts = page("carts", language="de", title="Plan der Müllabfuhr", content="# Abfuhr")
    bags = page("bags", language="de", title="Verkauf der Müllsäcke", content="# Säcke")
    assert competing("Müll", carts, bags) == ["carts", "bags"]


@pytest.mark.parametrize("title", ["Hundert Jahre Feuerwehr", "Hunderte feiern"])
def test_a_word_that_only_begins_like_the_one_asked_for_is_no_compound(title: str) -> None:
    tax = page("tax", language="de", title="Anmeldung zur Hundesteuer", content="# Steuer")
    meadow = page("meadow", language="de", title="Plan der Hundewiesen", content="# Wiese")
    other = page("other", language="de", title=title, content="# Fest")
    hits = [replace(hit(each), coverage=0.5 if each is tax else 0.1) for each in (tax, meadow, other)]
    found = competing_pages("Hund", retrieval("Hund", *hits))
    assert [each.page.ref.id for each in found] == ["tax", "meadow"]


def test_a_german_word_also_names_what_has_a_synonym_of_it() -> None:
    branch = page("branch", language="de", title="Bücherei Neustadt", content="# Bücherei")
    central = page("central", language="de", title="Stadtbibliothek am Markt", content="# Bibliothek")
    assert competing("Wann öffnet die Bücherei?", branch, central) == ["branch", "central"]
    assert not competing("Wann öffnet die Bücherei Neustadt?", branch, central)


def test_english_words_name_what_has_them_alone() -> None:
    rats = page("rats", title="Control of rats", content="# Control")
    informers = page("informers", title="Informers wanted", content="# Wanted")  # "rats" to a thesaurus
    assert not competing("Are there rats?", rats, informers)


def test_a_short_word_is_named_by_long_compounds_that_end_with_it() -> None:
    indoor = page("indoor", language="de", title="Hallenbad Süd", content="# Hallenbad")
    lake = page("lake", language="de", title="Strandbad Nord", content="# Strandbad")
    assert competing("Wann öffnet das Bad?", indoor, lake) == ["indoor", "lake"]
    stocks = page("stocks", language="de", title="Vorrat für Notfälle", content="# Essen")
    council = page("council", language="de", title="Beirat für Senioren", content="# Senioren")
    assert not competing("Wo finde ich Rat?", stocks, council)


def test_verbs_part_german_titles_alone() -> None:
    bins = page("bins", title="Brown garden waste", content="Text")
    tips = page("tips", title="Tips", content="Text")
    hits = [replace(hit(each), coverage=0.5) for each in (bins, tips)]
    assert len(competing_pages("waste", retrieval("waste", *hits))) == 2


def having(word: str, **coverages: float) -> list[str]:
    """The ids of the pages that a word alone may mean: pages with these titles have so much of it."""
    hits = [
        replace(hit(page(title, language="de", title=title, content="Text")), coverage=coverage)
        for title, coverage in coverages.items()
    ]
    return [each.page.ref.id for each in competing_pages(word, retrieval(word, *hits))]


def test_a_word_in_the_title_of_one_case_alone_also_means_pages_that_have_it_less() -> None:
    assert having("Förderung", Vereinsförderung=0.6, Klimabonus=0.4) == ["Vereinsförderung", "Klimabonus"]
    assert not having("Förderung", Vereinsförderung=0.6, Klimabonus=0.3)
    assert not having("Förderung", Bonus=0.6, Klimabonus=0.4)


@pytest.mark.parametrize("title", ["Urkunde anfordern", "Ausweis, Urkunde und Pass", "Pass (Urkunde)"])
def test_a_word_that_is_a_part_of_the_only_title_that_has_it_means_this_page(title: str) -> None:
    assert not having("Urkunde", **{title: 0.5}, Pass=0.45)


def test_a_word_that_no_page_has_means_none() -> None:
    assert not having("Urkunde", Pass=0, Ausweis=0)


def near(mode: RetrievalMode, /, **relevances: float) -> list[str]:
    """The ids of the pages that are near alike, of pages whose best block is so relevant."""
    hits = [
        replace(
            hit(page(name, language="de", title=name, content="Text"), rank=rank),
            compared_blocks=(NearBlock(field="content", start=0, end=4, relevance=relevance),)
            if relevance
            else (),
        )
        for rank, (name, relevance) in enumerate(relevances.items(), start=1)
    ]
    question = "Wo ist das?"
    result = replace(retrieval(question, *hits), mode=mode)
    return [each.page.ref.id for each in near_pages(question, result)]


def test_pages_with_a_block_about_as_near_as_the_nearest_are_near_alike() -> None:
    assert near("semantic", Pool=0.5, Lido=0.4, Park=0.35) == ["Pool", "Lido"]
    assert near("semantic", Pool=0.5, Lido=0.35) == []
    assert len(near("semantic", **dict.fromkeys("abcdef", 0.5))) == MOST_PAGES


def test_where_no_block_was_compared_no_page_is_near() -> None:
    assert near("semantic", Pool=0, Lido=0) == []
    assert near("keyword", Pool=0.5, Lido=0.5) == []


CENTRE = page("centre", title="Leisure centre", content="# Centre\n\nA gym, and swimming.")


def by_words(question: str, *pages: IndexedPage) -> Retrieval:
    return replace(found(question, *pages), mode="keyword")


def test_a_single_word_that_is_no_title_may_mean_more_than_has_it() -> None:
    assert is_open_word("swimming", by_words("swimming", CENTRE))
    assert is_open_word("the swimming?", by_words("the swimming?", CENTRE))
    assert not is_open_word("swimming lessons", by_words("swimming lessons", CENTRE))
    assert not is_open_word("Is there swimming?", by_words("Is there swimming?", CENTRE))
    assert not is_open_word("swimming", found("swimming", CENTRE))
    assert not is_open_word("swimming", by_words("swimming"))
    assert not is_open_word("swimming", replace(by_words("swimming", CENTRE), certainty="far"))
    titled = page("titled", title="Gym, swimming and sauna", content="# Swimming")
    assert not is_open_word("swimming", by_words("swimming", titled, CENTRE))


def beside(**scores: float) -> list[str]:
    """The ids of the pages that a word may mean that the centre has: pages with these scores are near."""
    near = [
        replace(hit(page(name, title=name, content="Text")), score=score) for name, score in scores.items()
    ]
    return [each.page.ref.id for each in with_near(by_words("swimming", CENTRE), near)]


def test_pages_about_as_near_as_the_nearest_one_are_beside_the_one_found() -> None:
    assert beside(centre=0.5, lido=0.4, park=0.35) == ["centre", "lido"]
    assert beside(lido=0.4, park=0.2) == ["centre", "lido"]
    assert beside(centre=0.5, park=0.3) == []
    assert beside(lido=0.0) == beside() == []
    assert len(beside(**dict.fromkeys("abcdef", 0.5))) == MOST_PAGES


def test_pages_in_other_languages_and_law_are_not_beside_it() -> None:
    lido = hit(page("lido", title="Lido", content="Text"))
    german = hit(page("freibad", language="de", title="Freibad", content="Text"))
    unit = hit(replace(page("1", title="Scope", content="Text"), metadata={"celex": "32024R1689"}))
    near = with_near(by_words("swimming", CENTRE), [german, unit, lido])
    assert [each.page.ref.id for each in near] == ["centre", "lido"]


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
        changed(about=frozenset({PageRef(source="site", id="trade", language="de")})),
        changed(other_readings=("Parkausweis – Wochenmarkt?",)),
        changed(hits=()),
    ],
)
def test_nobody_is_asked_where_something_else_decides(decided: Retrieval) -> None:
    assert not competing_pages("Parkausweis", decided)
    assert not near_pages("Parkausweis", decided)


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
