"""Cuts written as marks in a text."""

import pytest

from app.errors import InputError
from app.features.annotations.cuts import MARK, carried, cut_before, cuts_of, marked

TEXT = "First rule.\n\nSecond rule.\n\nThird rule."


@pytest.mark.parametrize("cuts", [(), (13,), (13, 27)])
def test_marks_that_nobody_moved_are_the_cuts(cuts: tuple[int, ...]) -> None:
    assert cuts_of(TEXT, marked(TEXT, cuts)) == cuts


@pytest.mark.parametrize(
    "written",
    [
        f"First rule.{MARK}\r\n\r\nSecond rule.\r\n\r\nThird rule.",
        f"First rule.\n\n{MARK}\n\n\nSecond rule.\n\nThird rule.\n",
        f"{MARK}First rule. {MARK}{MARK} Second rule.\n\nThird rule.{MARK}",
    ],
)
def test_white_space_beside_marks_and_doubled_marks_do_not_count(written: str) -> None:
    assert cuts_of(TEXT, written) == (13,)


@pytest.mark.parametrize(
    "written", ["", "First rule.", TEXT.replace("Second", f"Second{MARK}!"), f"{TEXT}{MARK} Fourth rule."]
)
def test_a_text_that_was_changed_is_refused(written: str) -> None:
    with pytest.raises(InputError, match="only set or move marks"):
        cuts_of(TEXT, written)


def test_cuts_go_with_their_words_into_a_changed_text() -> None:
    changed = f"A new beginning. {TEXT}"
    assert carried(TEXT, (13, 27), changed) == (changed.index("Second"), changed.index("Third"))
    assert carried(TEXT, (13, 27), "First rule.\n\nThird rule.") == (13,)
    assert carried(TEXT, (27,), "Third rule. Third rule.") == ()


@pytest.mark.parametrize(
    ("printed", "typed"),
    [
        ("1.\xa0\xa0\xa0First.\n\n2.\xa0\xa0\xa0In addition", "2. In addition"),
        ("Rules.\n\nNon\u2011compliance \u2013 fines", "Non-compliance - fines"),
        ("So.\n\n\u2018AI system\u2019 means", "'AI system' means"),
        ("So.\n\n\u201eKI-System\u201c ist", '"KI-System"'),
        ("So.\n\n(a) a [b] c", " (a) a [b]\n"),
    ],
)
def test_a_cut_is_found_by_words_as_people_type_them(printed: str, typed: str) -> None:
    assert cut_before(printed, typed) == printed.index("\n\n") + 2


@pytest.mark.parametrize("typed", ["rule.", "Fourth", "  "])
def test_a_cut_before_words_that_are_not_there_once_is_refused(typed: str) -> None:
    with pytest.raises(InputError, match="times: use a text that appears once"):
        cut_before(TEXT, typed)
