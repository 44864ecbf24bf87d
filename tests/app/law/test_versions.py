"""Which texts of acts a question is answered from."""

from dataclasses import replace
from datetime import date

import pytest

from app.law.versions import ActVersion, Validity, hidden_collections, validity_periods
from app.search.retrieval import ANY_TIME, TimeFilter
from app.search.types import collection

OLD, NEW = date(2020, 1, 1), date(2024, 6, 1)
TODAY = date(2026, 1, 1)
THEN = TimeFilter(at=date(2023, 1, 1))


def text(
    version: date, language: str = "en", *, recitals: bool = False, celex: str = "32020R0001"
) -> ActVersion:
    """A version of an act in source ``law``."""
    return ActVersion(
        source="law",
        celex=celex,
        version=version,
        language=language,
        document=f"{celex}@{version}/{language}",
        name=celex,
        recitals=recitals,
    )


def hidden(versions: list[ActVersion], time: TimeFilter = ANY_TIME, today: date = TODAY) -> set[str]:
    """What is out of scope, without the source's name."""
    return {name.removeprefix("law:") for name in hidden_collections(versions, time, today)}


def test_of_two_texts_the_newer_one_counts() -> None:
    found = hidden([text(OLD, recitals=True), text(NEW, recitals=True)])
    assert found == {f"32020R0001@2020-01-01/en#{kind}" for kind in ("act", "recital", "article", "annex")}


def test_recitals_of_an_older_text_stay_where_the_newer_one_has_none() -> None:
    found = hidden([text(OLD, recitals=True), text(NEW)])
    assert "32020R0001@2020-01-01/en#article" in found
    assert "32020R0001@2020-01-01/en#recital" not in found
    assert "32020R0001@2024-06-01/en#article" not in found


def test_each_language_has_its_own_newest_text() -> None:
    found = hidden([text(OLD, "fr"), text(OLD, "en"), text(NEW, "en")])
    assert not [name for name in found if "/fr#" in name and not name.endswith("#recital")]
    assert "32020R0001@2020-01-01/en#article" in found


def test_a_question_about_an_earlier_day_is_answered_from_the_text_of_that_day() -> None:
    found = hidden([text(OLD), text(NEW)], THEN)
    assert "32020R0001@2020-01-01/en#article" not in found
    assert "32020R0001@2024-06-01/en#article" in found


def test_an_act_that_did_not_exist_on_that_day_is_out_of_scope() -> None:
    found = hidden_collections([text(NEW)], THEN, TODAY)
    assert collection("law", "32020R0001@2024-06-01/en", "article") in found


@pytest.mark.parametrize(
    ("time", "answers"),
    [
        (TimeFilter(published_before=date(2021, 1, 1)), {"32020R0001"}),
        (TimeFilter(published_before=date(2020, 1, 20)), set()),
        (TimeFilter(published_from=date(2020, 1, 20)), {"32020R0001", "32024R0009"}),
        (TimeFilter(published_from=date(2024, 1, 1), published_before=date(2025, 1, 1)), {"32024R0009"}),
    ],
)
def test_only_acts_published_in_the_time_asked_for_answer(time: TimeFilter, answers: set[str]) -> None:
    """The consolidated text of 2024 does not make the act of 2020 any younger."""
    consolidated = replace(text(NEW), published=None)
    known = [
        replace(text(OLD, "fr"), published=date(2020, 1, 20)),
        consolidated,
        replace(text(NEW, celex="32024R0009"), published=NEW),
        text(OLD, celex="12006E044"),
    ]
    shown = {f"{version.document}#article" for version in known} - hidden(known, time)
    assert {name.partition("@")[0] for name in shown} == answers


def test_an_act_whose_only_text_is_of_the_future_is_found_when_no_day_is_asked_for() -> None:
    assert "32020R0001@2024-06-01/en#article" not in hidden([text(NEW)], today=date(2023, 1, 1))


def test_a_text_counts_from_the_day_it_was_published() -> None:
    dated = replace(text(OLD, recitals=True), published=date(2020, 2, 1))
    assert hidden([dated], TimeFilter(at=date(2020, 1, 31)))
    assert not hidden([dated], TimeFilter(at=date(2020, 2, 1)))
    assert validity_periods([dated])["law", "32020R0001", OLD].since == date(2020, 2, 1)


def test_a_text_counts_on_its_first_day() -> None:
    assert "32020R0001@2024-06-01/en#article" not in hidden([text(OLD), text(NEW)], TimeFilter(at=NEW))


def test_an_act_that_had_ended_answers_no_question_about_a_later_day() -> None:
    ended = replace(text(OLD, recitals=True), valid_until=date(2022, 1, 1))
    assert not hidden([ended], TimeFilter(at=date(2021, 12, 31)))
    assert len(hidden([ended], TimeFilter(at=date(2022, 1, 1)))) == 4
    assert not hidden([ended])
    assert validity_periods([ended])["law", "32020R0001", OLD].until == date(2022, 1, 1)


def test_an_end_that_a_later_text_moved_is_the_later_one() -> None:
    ended = replace(text(OLD), valid_until=date(2022, 1, 1))
    prolonged = text(date(2021, 1, 1))
    assert "32020R0001@2021-01-01/en#article" not in hidden([ended, prolonged], THEN)


def test_acts_do_not_hide_one_another() -> None:
    found = hidden([text(OLD), text(NEW, celex="32024R0009")])
    assert not [name for name in found if name.endswith("#article")]


def test_a_text_applies_until_its_successor_in_any_language() -> None:
    known = validity_periods([text(OLD, "fr"), text(NEW, "en")])
    assert known["law", "32020R0001", OLD] == Validity(since=OLD, until=NEW)
    assert known["law", "32020R0001", NEW].until is None


def test_a_text_covers_its_first_day_and_not_that_of_its_successor() -> None:
    validity = Validity(since=OLD, until=NEW)
    assert validity.covers(OLD)
    assert not validity.covers(NEW)
    assert not validity.covers(date(2019, 12, 31))
