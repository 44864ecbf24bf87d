"""What ``visible`` removes and what it must leave alone."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.text import VisibleFilter, shortened, visible

ANY_TEXT = st.text(st.characters(exclude_categories=()))
SEPARATORS = str.maketrans(dict.fromkeys("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029", "\n") | {"\x1f": " "})
DELICATE = st.text(st.sampled_from("\r\n\x0c\x1f\x85\u200b\u200c\u200d\u00ad\ud800\U000e0049 aیکषी\u094d"))


@given(ANY_TEXT)
@example("\r\r\n\u200c\u2028")
@example("\ud83d\ude00")
def test_what_is_visible_can_be_encoded_and_stays_as_it_is(text: str) -> None:
    once = visible(text)
    once.encode("utf-8")
    assert visible(once) == once


@given(ANY_TEXT)
def test_no_control_character_but_tab_and_newline_is_left(text: str) -> None:
    assert {c for c in visible(text) if unicodedata.category(c) in ("Cc", "Cs")} <= {"\t", "\n"}


@given(
    st.text(
        st.characters(categories=("L", "N", "P", "Sm", "Sc"), exclude_characters="\u3164\uffa0\u115f\u1160")
    )
)
def test_letters_numbers_and_punctuation_are_left_alone(text: str) -> None:
    assert visible(text) == text


@given(ANY_TEXT.map(lambda text: unicodedata.normalize("NFC", text)))
def test_separators_become_newlines_or_blanks_and_nothing_else_is_added(text: str) -> None:
    remaining = iter(text.translate(SEPARATORS))
    assert all(character in remaining for character in visible(text))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("nul\x00 bell\x07 c1\x9b del\x7f", "nul bell c1 del"),
        ("tab\tand\nnewline", "tab\tand\nnewline"),
        ("a\r\nb\rc\x85d\u2028e\u2029f", "a\nb\nc\nd\ne\nf"),
        ("page\x0cpage\x0bline", "page\npage\nline"),
        ("file\x1cgroup\x1drecord\x1eunit\x1fend", "file\ngroup\nrecord\nunit end"),
        ("soft\u00adhyphen zero\u200bwidth \u2060\ufefflast", "softhyphen zerowidth last"),
        ("\u202eright\u202c \u2066iso\u2069 \u200elrm\u200f", "right iso lrm"),
        ("ignore\U000e0049\U000e0047 tags", "ignore tags"),
        ("lone \ud800 surrogate", "lone  surrogate"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("क\u094d\u200dष", "क\u094d\u200dष"),
        ("in\u200dvis\u200cible \u200dedge\u200c", "invisible edge"),
        ("می\u200c خواهم", "می خواهم"),
        ("👩\u200d🚀", "👩🚀"),
    ],
)
def test_what_a_reader_sees_stays(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.lists(st.one_of(DELICATE, ANY_TEXT)))
@example(["- one\r", "\n- two"])
@example(["می", "\u200b\u200c", "", "خواهم"])
def test_it_does_not_matter_how_a_text_is_split(pieces: list[str]) -> None:
    filtered = VisibleFilter()
    assert "".join([*map(filtered.feed, pieces), filtered.close()]) == visible("".join(pieces))


def test_of_a_piece_only_what_depends_on_the_next_is_held_back() -> None:
    filtered = VisibleFilter()
    assert [filtered.feed(piece) for piece in ("one\n", "two\r", "\nthree")] == ["one\n", "two", "\nthree"]


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("", ""),
        ("ten tender", "ten tender"),
        ("ten tenders", "ten…"),
        ("ten tende rs", "ten tende…"),
        ("ten   tenders", "ten…"),
        ("tententententen", "tententen…"),
        ("            ", "…"),
    ],
)
def test_a_long_text_is_cut_after_a_word(text: str, short: str) -> None:
    assert shortened(text, 10) == short
