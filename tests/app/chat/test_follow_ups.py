"""Follow-up questions where no model rephrases them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from app.chat.follow_ups import FollowUp, Search, asked_about
from app.chat.types import CitedPage, Turn
from app.search.retrieval import Certainty, NearChunk, Retrieval
from ingest.types import FieldName
from tests.app.chat.pages import hit, page, retrieval

POOL = page("pool", title="Outdoor pool", content="Open in summer. Children pay half.")
BUS = page("bus", title="Bus", content="It runs every night. The driver sells tickets.")
LAKE = page("lake", title="Lake", content="Nobody swims here.")
PAGES = {each.ref.id: each for each in (POOL, BUS, LAKE)}

ASKED = Turn(role="user", content="Is there a pool?")
ANSWERED = Turn(role="assistant", content="At the lake [1].", cited=(CitedPage(id="pool", url=POOL.url),))
HISTORY = (ASKED, ANSWERED)
RETOLD = (ASKED, replace(ANSWERED, cited=()))


class Searches:
    """Finds pages by the question that is searched for: pairs of ids and relevances."""

    def __init__(self, found: Mapping[str, Mapping[str, float]], **changes: object) -> None:
        self._found = found
        self._changes = changes
        self.questions: list[str] = []

    def __call__(self, question: str) -> Retrieval:
        self.questions.append(question)
        near = self._found[question]
        hits = [
            replace(
                hit(PAGES[name], rank=rank), near_chunks=(NearChunk(start=0, end=10, relevance=relevance),)
            )
            for rank, (name, relevance) in enumerate(near.items(), start=1)
        ]
        result = replace(retrieval(question, *hits), relevance=max(near.values(), default=0.0))
        return replace(result, **self._changes)  # type: ignore[arg-type]


def as_meant(search: Search, question: str, history: Sequence[Turn]) -> Retrieval:
    return FollowUp(search, question, history).as_meant()


def found(retrieved: Retrieval) -> list[tuple[int, str]]:
    return [(each.rank, each.page.ref.id) for each in retrieved.hits]


def test_a_first_question_is_searched_for_as_it_is() -> None:
    searches = Searches({"and the bus?": {"bus": 0.5}})
    assert found(as_meant(searches, "and the bus?", ())) == [(1, "bus")]


def test_a_question_that_names_nothing_is_answered_from_the_page_answered_last() -> None:
    searches = Searches({"Is there a pool? And when?": {"bus": 0.5, "pool": 0.4, "lake": 0.3}})
    retrieved = as_meant(searches, "And when?", HISTORY)
    assert found(retrieved) == [(1, "pool"), (2, "bus"), (3, "lake")]
    assert retrieved.about == {POOL.ref}
    assert (retrieved.certainty, retrieved.other_readings) == ("answered", ())
    assert searches.questions == ["Is there a pool? And when?"]


def test_dialect_is_read_as_it_would_be_written() -> None:
    asked = Turn(role="user", content="Was kostet das Bad?")
    searches = Searches({"Was das Bad? is des dann billiger": {"bus": 0.5, "pool": 0.4}})
    assert as_meant(searches, "is des dann billiger", (asked, ANSWERED)).about == {POOL.ref}


def test_a_correction_that_is_far_from_every_page_alone_is_searched_for_with_the_last_question() -> None:
    far = Searches({"Sunday": {"pool": 0.1}}, certainty="far")
    joined = Searches({"Is there a pool? no sorry I meant Sunday": {"pool": 0.5}})

    def search(question: str) -> Retrieval:
        return (far if question == "Sunday" else joined)(question)

    retrieved = as_meant(search, "no sorry I meant Sunday", HISTORY)
    assert retrieved.about == {POOL.ref}
    assert retrieved.certainty == "answered"


def test_of_several_pages_answered_last_the_one_cited_first_counts() -> None:
    both = replace(ANSWERED, cited=(CitedPage(id="lake", url=LAKE.url), *ANSWERED.cited))
    searches = Searches({"Is there a pool? And when?": {"pool": 0.5, "lake": 0.4}})
    assert as_meant(searches, "And when?", (ASKED, both)).about == {LAKE.ref}


def test_a_history_without_sources_has_its_question_searched_for_again() -> None:
    searches = Searches(
        {"Is there a pool?": {"pool": 0.6}, "Is there a pool? And when?": {"bus": 0.5, "pool": 0.4}}
    )
    assert as_meant(searches, "And when?", RETOLD).about == {POOL.ref}


def test_where_nothing_was_answered_no_page_is_preferred() -> None:
    nothing = replace(ANSWERED, cited=(), verdict="none")
    searches = Searches({"Is there a pool? And when?": {"bus": 0.5, "pool": 0.4}})
    retrieved = as_meant(searches, "And when?", (ASKED, nothing))
    assert (found(retrieved), retrieved.about) == ([(1, "bus"), (2, "pool")], frozenset())


def test_the_questions_back_to_the_subject_are_searched_for_together() -> None:
    then = (*HISTORY, Turn(role="user", content="Is it heated?"), ANSWERED)
    text = "Is there a pool? Is it heated? And when?"
    searches = Searches({text: {"pool": 0.5}})
    as_meant(searches, "And when?", then)
    assert searches.questions == [text]


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        ("And when?", "What does a season ticket for the pool ? And when?"),
        ("Is it heated?", "What does a season ticket for the pool ? Is it heated?"),
        ("And in winter?", "What does a season ticket for the pool cost? And in winter?"),
    ],
)
def test_a_question_that_asks_for_something_itself_is_not_searched_for_with_what_the_last_one_asked_for(
    question: str, searched: str
) -> None:
    asked = replace(ASKED, content="What does a season ticket for the pool cost?")
    searches = Searches({searched: {"pool": 0.5}, question: {"pool": 0.3}})
    assert as_meant(searches, question, (asked, ANSWERED)).question == searched


def test_a_question_on_a_subject_of_its_own_never_sees_the_last_one() -> None:
    question = "When does the bus run?"
    searches = Searches({question: {"bus": 0.5, "lake": 0.2}, f"Is there a pool? {question}": {"pool": 0.9}})
    retrieved = as_meant(searches, question, HISTORY)
    assert found(retrieved) == [(1, "bus"), (2, "lake")]
    assert (retrieved.question, retrieved.about) == (question, frozenset())
    assert retrieved.other_readings == ()


def test_what_no_page_answers_alone_is_not_answered_from_the_page_answered_last() -> None:
    question = "How is the weather tomorrow?"
    answers = {question: {"lake": 0.1}, f"Is there a pool? {question}": {"pool": 0.9}}
    assert as_meant(Searches(answers, certainty="far"), question, HISTORY).certainty == "far"


def test_a_name_of_few_words_is_searched_for_alone() -> None:
    searches = Searches({"bus driver": {"bus": 0.0}, "Is there a pool? bus driver": {"pool": 0.6}})
    assert found(as_meant(searches, "bus driver", HISTORY)) == [(1, "bus")]


def test_who_says_that_the_subject_changes_is_searched_for_without_saying_so() -> None:
    searches = Searches({"Who sells tickets?": {"bus": 0.5}})
    assert found(as_meant(searches, "Something else: who sells tickets?", HISTORY)) == [(1, "bus")]


def test_another_thing_is_asked_the_same_about() -> None:
    asked = replace(ASKED, content="What does the pool cost?")
    searches = Searches(
        {
            "What cost The bus?": {"bus": 0.5},
            "What does the pool cost? and the bus?": {"pool": 0.6, "bus": 0.5},
        }
    )
    assert found(as_meant(searches, "and the bus?", (asked, ANSWERED))) == [(1, "bus")]


def test_another_thing_of_the_page_answered_last_is_searched_for_without_the_last_one() -> None:
    asked = replace(ASKED, content="What does the pool cost?")
    searches = Searches(
        {"What cost Children?": {"pool": 0.5}, "What does the pool cost? and children?": {"pool": 0.6}}
    )
    retrieved = as_meant(searches, "and children?", (asked, ANSWERED))
    assert (retrieved.question, retrieved.about) == ("What cost Children?", frozenset({POOL.ref}))


def test_another_thing_that_no_page_has_is_asked_of_the_page_answered_last() -> None:
    both = "Is there a pool? and divers?"
    searches = Searches({"Divers?": {"lake": 0.2}, both: {"pool": 0.4}})
    retrieved = as_meant(searches, "and divers?", HISTORY)
    assert (retrieved.question, retrieved.about) == (both, frozenset({POOL.ref}))


@pytest.mark.parametrize("relevance", [0.5, 0.2])
def test_a_thing_that_the_page_quoted_has_not_makes_the_answer_unsure(relevance: float) -> None:
    searches = Searches(
        {
            "Is there a pool? And for cats?": {"pool": relevance},
            "For cats?": {"pool": 0.3},
            "For children?": {"pool": 0.3},
            "Is there a pool? And for children?": {"pool": relevance},
        }
    )
    assert as_meant(searches, "And for cats?", HISTORY).certainty == "near"
    assert as_meant(searches, "And for children?", HISTORY).certainty == "answered"


@pytest.mark.parametrize(
    "question",
    [
        "not the pool, the bus",
        "Not the pool but the bus.",
        "No, not the pool. The bus!",
        "the bus, not the pool",
    ],
)
def test_a_correction_is_about_the_right_thing_alone(question: str) -> None:
    class Any(Searches):
        def __call__(self, question: str) -> Retrieval:
            self._found = {question: {"bus": 0.5, "pool": 0.4}}
            return super().__call__(question)

    searches = Any({})
    assert found(as_meant(searches, question, HISTORY))[0] == (1, "bus")
    assert not any("pool" in asked and "bus" in asked for asked in searches.questions if "there" not in asked)


def test_in_doubt_the_other_reading_is_offered_as_a_full_question() -> None:
    question = "Are tickets sold there?"
    searches = Searches(
        {question: {"bus": 0.5, "lake": 0.4}, f"Is there a pool? {question}": {"pool": 0.6, "bus": 0.5}}
    )
    retrieved = as_meant(searches, question, HISTORY)
    assert retrieved.about == {POOL.ref}
    assert retrieved.other_readings == ("Are tickets sold there – Bus?", "Are tickets sold there – Lake?")


@pytest.mark.parametrize(
    ("question", "absent"),
    [("Are saunas there?", ("saunas",)), ("Do children pay for saunas there?", ())],
)
def test_a_word_that_no_page_has_is_said_where_the_page_has_no_other_of_the_question(
    question: str, absent: tuple[str, ...]
) -> None:
    searches = Searches(
        {question: {"lake": 0.3}, f"Is there a pool? {question}": {"pool": 0.6}},
        absent_words=("saunas",),
    )
    retrieved = as_meant(searches, question, HISTORY)
    assert retrieved.about == {POOL.ref}
    assert retrieved.absent_words == absent


def test_an_offered_question_is_about_the_page_that_it_names() -> None:
    question = "Are tickets sold there – Bus?"
    searches = Searches({question: {"bus": 0.5}, f"Is there a pool? {question}": {"pool": 0.6, "bus": 0.5}})
    retrieved = as_meant(searches, question, HISTORY)
    assert (found(retrieved), retrieved.other_readings) == ([(1, "bus")], ())


def test_of_titles_that_end_alike_the_longer_one_is_chosen() -> None:
    question = "Permit – Residents – Parking?"
    titles = {"parking": "Parking", "residents": "Residents – Parking"}
    hits = [hit(page(name, title=title, content="Text."), rank=1) for name, title in titles.items()]
    chosen = as_meant(lambda asked: retrieval(asked, *hits), question, ())
    assert [each.page.ref.id for each in chosen.hits] == ["residents", "parking"]
    assert {ref.id for ref in chosen.about} == {"residents"}


def test_in_doubt_about_a_new_subject_the_page_answered_last_is_offered() -> None:
    question = "Do they have tickets?"
    searches = Searches({question: {"bus": 0.5, "pool": 0.1}, f"Is there a pool? {question}": {"pool": 0.56}})
    retrieved = as_meant(searches, question, HISTORY)
    assert found(retrieved)[0] == (1, "bus")
    assert retrieved.other_readings == ("Do they have tickets – Outdoor pool?",)


def both(question: str, searches: Searches) -> Retrieval:
    return FollowUp(searches, question, HISTORY).in_both_readings()


BOTH = "Is there a pool? When is the bus?"


@pytest.mark.parametrize(("alone", "pages"), [(0.5, ["bus", "pool", "lake"]), (0.3, ["pool", "bus", "lake"])])
def test_a_model_reads_the_pages_of_both_readings_in_turns(alone: float, pages: list[str]) -> None:
    searches = Searches(
        {"When is the bus?": {"bus": alone, "lake": 0.1}, BOTH: {"pool": 0.6, "lake": 0.2, "bus": 0.1}}
    )
    retrieved = both("When is the bus?", searches)
    assert [each.page.ref.id for each in retrieved.hits] == pages
    assert retrieved.question == ("When is the bus?" if alone == 0.5 else BOTH)


def test_a_follow_up_of_few_words_means_nothing_alone() -> None:
    searches = Searches({"Is there a pool? And when?": {"pool": 0.5}})
    assert found(both("And when?", searches)) == [(1, "pool")]


@pytest.mark.parametrize(
    ("alone", "joined", "expected"),
    [
        ("far", "answered", ("near", "pool")),
        ("far", "far", ("far", "pool")),
        ("near", "answered", ("near", "bus")),
        ("answered", "far", ("answered", "bus")),
    ],
)
def test_a_follow_up_that_no_page_answers_alone_is_read_with_the_question_before_it(
    alone: Certainty, joined: Certainty, expected: tuple[Certainty, str]
) -> None:
    searches = Searches({"When is the bus?": {"bus": 0.6}, BOTH: {"pool": 0.6}})

    def searched(asked: str) -> Retrieval:
        return replace(searches(asked), certainty=joined if asked == BOTH else alone)

    retrieved = FollowUp(searched, "When is the bus?", HISTORY).in_both_readings()
    assert (retrieved.certainty, retrieved.hits[0].page.ref.id) == expected


@pytest.mark.parametrize(("certainty", "first"), [("near", "pool"), ("answered", "bus")])
def test_what_only_comes_near_in_a_language_that_no_page_has_may_lean_on_the_question_before(
    certainty: Certainty, first: str
) -> None:
    searches = Searches(
        {"When is the bus?": {"bus": 0.6}, BOTH: {"pool": 0.6}}, certainty=certainty, is_foreign=True
    )
    assert both("When is the bus?", searches).hits[0].page.ref.id == first


def test_in_a_language_whose_wording_is_not_read_both_readings_count() -> None:
    asked = Turn(role="user", content="Où est la piscine pour les enfants ?")
    joined = "Où est la piscine pour les enfants ? et le dimanche dans les bus ?"
    searches = Searches({"et le dimanche dans les bus ?": {"bus": 0.5, "lake": 0.1}, joined: {"pool": 0.5}})
    retrieved = as_meant(searches, "et le dimanche dans les bus ?", (asked, ANSWERED))
    assert {each.page.ref.id for each in retrieved.hits} == {"bus", "pool"}


@pytest.mark.parametrize(("likelihood", "is_alone"), [(0.9, True), (0.42, False)])
def test_another_kind_of_answer_is_searched_for_with_the_subject_alone_if_that_is_likelier(
    likelihood: float, is_alone: bool
) -> None:
    asked = Turn(role="user", content="How much is a ticket for the pool?")
    joined, alone = "is a ticket for the pool? When is it open?", "pool When is it open?"
    likelihoods = {joined: 0.4, alone: likelihood}
    searches = Searches({each: {"pool": 0.5} for each in likelihoods})

    def search(question: str) -> Retrieval:
        result = searches(question)
        read: dict[tuple[FieldName, int], float] = {("content", 0): likelihoods[question]}
        return replace(result, hits=tuple(replace(each, likelihoods=read) for each in result.hits))

    meant = as_meant(search, "When is it open?", (asked, ANSWERED))
    assert meant.question == (alone if is_alone else joined)
    assert meant.about == {POOL.ref}


def test_a_title_that_is_a_question_gets_no_second_question_mark() -> None:
    pages = (page("leaks", title="Water leaks: what to do?"), POOL)
    assert asked_about("burst pipe", pages) == (
        "Burst pipe – Water leaks: what to do?",
        "Burst pipe – Outdoor pool?",
    )
