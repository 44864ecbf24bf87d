"""Whether a question goes on with the page answered last."""

import pytest

from app.chat.readings import Named, Reading, is_said, named, reading
from app.chat.text.wording import Leaning, Wording, wording
from tests.app.chat.pages import hit, page

CONTINUES, IS_NEW = Reading(continues=True), Reading(continues=False)


def worded(leaning: Leaning, *subjects: str) -> Wording:
    return Wording(subjects=subjects, leaning=leaning)


def words(*found: str) -> frozenset[str]:
    return frozenset(found)


def test_a_question_that_names_nothing_goes_on() -> None:
    assert reading(worded("none")) == CONTINUES


def test_a_question_that_says_so_begins_anew() -> None:
    changing = Wording(subjects=(), leaning="none", changes=True)
    assert reading(changing, last=0.9, other=0.1) == IS_NEW


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (Named(others=words("certification")), IS_NEW),
        (Named(unknown=words("weather")), IS_NEW),
        (Named(last=words("fee"), others=words("certification")), IS_NEW),
        (Named(last=words("fee"), unknown=words("weather")), IS_NEW),
        (Named(last=words("night")), CONTINUES),
    ],
)
def test_a_question_that_stands_alone_goes_on_with_a_page_that_has_all_it_names(
    found: Named, expected: Reading
) -> None:
    assert reading(worded("none", "any"), found, last=0.5, other=0.4) == expected


def test_a_page_that_is_about_it_by_its_title_takes_a_question_that_stands_alone() -> None:
    found = Named(last=words("shuttle"), titles=words("shuttle"))
    assert reading(worded("none", "shuttle"), found, last=0.3, other=0.35, gain=0.1) == IS_NEW


def test_a_word_that_no_page_has_goes_on_beside_one_of_the_page_where_the_last_questions_help() -> None:
    asked, found = worded("none", "insurance", "dog"), Named(unknown=words("insurance"), last=words("dog"))
    assert reading(asked, found, other=0.3, gain=0.07) == IS_NEW
    assert reading(asked, found, other=0.1, gain=0.09).continues
    assert reading(worded("none", "weather"), Named(unknown=words("weather")), gain=0.3) == IS_NEW
    elsewhere = Named(others=words("paint"))
    assert reading(worded("none", "paint"), elsewhere, other=0.1, gain=0.09) == IS_NEW


def test_what_somebody_does_names_nothing_unless_another_page_is_about_it() -> None:
    asked = Wording(subjects=("keep", "books"), leaning="none", verbs=words("keep"))
    assert reading(asked, Named(last=words("books"), unknown=words("keep")), last=0.4, other=0.3) == CONTINUES
    alone = Wording(subjects=("marry",), leaning="none", verbs=words("marry"))
    assert reading(alone, Named(unknown=words("marry")), last=0.4, other=0.3) == CONTINUES
    headed = Named(others=words("marry"), titles=words("marry"))
    assert reading(alone, headed, last=0.4, other=0.5) == IS_NEW


def test_a_page_that_has_all_it_names_but_is_far_takes_no_question_that_is_better_alone() -> None:
    assert reading(worded("none", "child"), Named(last=words("child")), other=0.5, gain=-0.06) == IS_NEW


def test_what_another_page_is_about_as_near_to_is_doubtful() -> None:
    asked, found = worded("none", "night"), Named(last=words("night"))
    assert reading(asked, found, last=0.3, other=0.4).is_doubtful
    assert reading(asked, found, last=0.34, other=0.3).is_doubtful
    assert not reading(asked, found, last=0.36, other=0.3).is_doubtful


def test_a_fragment_goes_on_and_is_doubtful_where_others_alone_have_its_word() -> None:
    assert (
        reading(worded("strong", "guests"), Named(unknown=words("guests")), last=None, other=0.3) == CONTINUES
    )
    assert reading(
        worded("strong", "guests"), Named(others=words("guests")), last=None, other=0.3
    ) == Reading(continues=True, is_doubtful=True)


def test_a_pronoun_gives_way_to_several_words_of_other_pages() -> None:
    own = Named(last=words("village"), others=words("yellow", "bag", "paper"))
    assert reading(worded("weak", "bag"), own, last=0.3, other=0.35) == IS_NEW
    one = Named(others=words("bag"))
    assert reading(worded("weak", "bag"), one, last=0.1, other=0.4) == Reading(
        continues=False, is_doubtful=True
    )
    assert reading(worded("weak", "bag"), one, last=0.4, other=0.4) == Reading(
        continues=True, is_doubtful=True
    )
    assert reading(worded("weak", "tyres"), Named(unknown=words("tyres")), last=None, other=0.4) == CONTINUES


def test_a_question_that_gains_nothing_by_the_last_ones_begins_anew() -> None:
    found = Named(others=words("pass"))
    assert reading(worded("weak", "pass"), found, last=0.4, other=0.4, gain=0.04) == IS_NEW
    assert reading(worded("weak", "pass"), found, last=0.4, other=0.4, gain=0.06).continues
    assert reading(worded("strong", "pass"), found, other=0.4, gain=-0.06) == IS_NEW
    assert reading(worded("strong", "pass"), found, other=0.4, gain=-0.04).continues


def test_a_pronoun_that_gains_clearly_by_the_last_questions_leans_on_them() -> None:
    found = Named(others=words("deleted", "accident"))
    assert reading(worded("weak", "any"), found, other=0.4, gain=0.07) == IS_NEW
    assert reading(worded("weak", "any"), found, other=0.4, gain=0.09).continues
    headed = Named(others=words("deleted", "accident"), titles=words("accident"))
    assert reading(worded("weak", "any"), headed, other=0.4, gain=0.09) == IS_NEW


def test_a_pronoun_of_the_questions_own_may_still_go_back_where_no_other_page_has_its_words() -> None:
    assert reading(worded("bound", "sheep"), Named(unknown=words("sheep"))) == CONTINUES
    assert reading(worded("bound", "sheep"), Named(others=words("sheep"))) == IS_NEW


def test_who_names_two_things_that_no_page_has_means_them_by_it() -> None:
    asked, unknown = worded("bound", "library", "sewing machine"), words("library", "sewing machine")
    assert reading(asked, Named(unknown=unknown)) == IS_NEW
    assert reading(asked, Named(unknown=unknown, last=words("floor", "stairs"))) == CONTINUES


def test_a_pronoun_of_its_own_does_not_go_back_where_another_page_is_about_it() -> None:
    found = Named(last=words("town hall"), titles=words("town hall"))
    assert reading(worded("bound", "town hall"), found, last=0.2, other=0.4) == IS_NEW


def test_another_thing_in_the_place_of_the_last_begins_anew_unless_the_page_has_it() -> None:
    assert reading(worded("replacing", "pool"), Named(others=words("pool")), last=0.1, other=0.4) == IS_NEW
    assert (
        reading(worded("replacing", "licence"), Named(unknown=words("licence")), last=0.1, other=0.4)
        == IS_NEW
    )
    assert reading(worded("replacing", "pool"), Named(last=words("pool")), last=0.1, other=0.4) == CONTINUES
    elsewhere = Named(last=words("pool"), titles=words("pool"))
    assert reading(worded("replacing", "pool"), elsewhere, last=0.1, other=0.4) == IS_NEW


def test_another_thing_that_no_page_has_goes_on_where_the_last_questions_help() -> None:
    asked, found = worded("replacing", "films"), Named(unknown=words("films"))
    assert reading(asked, found, last=0.1, other=0.4, gain=0.09) == CONTINUES
    assert reading(asked, Named(others=words("films")), last=0.1, other=0.4, gain=0.09) == IS_NEW


def test_a_sentence_that_begins_with_and_goes_on_where_the_last_questions_help() -> None:
    joined = Wording(subjects=("deaf",), leaning="none", begins_with_conjunction=True)
    found = Named(unknown=words("deaf"))
    assert reading(joined, found, other=0.3, gain=0.09).continues
    assert reading(joined, found, other=0.3, gain=0.07) == IS_NEW
    assert reading(joined, Named(others=words("deaf")), other=0.3, gain=0.09) == IS_NEW
    assert reading(worded("none", "deaf"), found, other=0.3, gain=0.09) == IS_NEW
    some = Named(last=words("place"), unknown=words("think"))
    assert reading(joined, some, last=0.4, other=0.4, gain=0.05).continues


def test_words_are_found_in_any_of_their_forms() -> None:
    last = page("dogs", language="de", title="Hundesteuer", content="Für gefährliche Hunde: 480 Euro.")
    other = page("pool", language="de", title="Freibad", content="Kinder zahlen nichts.")
    asked = worded("none", "gefährlichen", "freibad", "kind", "wetter")
    assert named(asked, "de", [last], [hit(last), hit(other)]) == Named(
        last=words("gefährlichen"),
        others=words("freibad", "kind"),
        unknown=words("wetter"),
        titles=words("freibad"),
    )


def test_a_verb_is_another_pages_only_where_a_title_or_heading_has_it() -> None:
    last = page("library", language="en", title="Library", content="Books and films.")
    other = page(
        "moving", language="en", title="Moving", content="We keep places free.\n\n## How to register\n\nHere."
    )
    asked = Wording(subjects=("keep", "register"), leaning="none", verbs=words("keep", "register"))
    assert named(asked, "en", [last], [hit(other)]) == Named(
        others=words("register"), unknown=words("keep"), titles=words("register")
    )


def test_english_words_that_make_a_german_word_are_found_in_its_title() -> None:
    last = page("pass", language="de", title="Reisepass", content="## Gebühren\n\nAb 24 Jahren 70 Euro.")
    other = page("dogs", language="de", title="Hundesteuer", content="Der zweite Hund kostet 108 Euro.")
    found = named(wording("and the dog tax?", "en"), "en", [last], [hit(last), hit(other)])
    assert found == Named(others=words("dog", "tax"), titles=words("dog", "tax"))
    assert named(worded("replacing", "cat"), "en", [last], [hit(other)]) == Named(unknown=words("cat"))


@pytest.mark.parametrize(
    ("question", "language", "is_there"),
    [
        ("und für Katzen?", "de", False),
        ("und eine Katze?", "de", False),
        ("and for cats?", "en", False),
        ("und ein Zweithund?", "de", False),
        ("und für Hunde?", "de", True),
        ("and for dogs?", "en", True),
        ("und die Steuer?", "de", True),
        ("und für Kinder?", "de", True),
        ("und am Sonntag?", "de", True),
        ("und wenn die Katze weg ist?", "de", True),
        ("Gibt es das auch für meine Katze?", "de", True),
    ],
)
def test_a_fragment_that_names_what_a_page_has_not_is_not_said_by_it(
    question: str, language: str, *, is_there: bool
) -> None:
    read = page("dogs", language="de", title="Hundesteuer", content="Jeder Hund kostet 108 Euro.")
    assert is_said(wording(question, language), language, [read]) == is_there
