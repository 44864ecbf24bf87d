"""The items of a long list by their heads."""

from hypothesis import given
from hypothesis import strategies as st

from app.chat.text.excerpts import HEAD_CHARACTERS, heads
from tests.app.search.omissions import is_all_told

PLACING = "the placing on the market, the putting into service or the use of systems that"


def test_an_item_is_cut_after_its_first_words_and_keeps_its_number() -> None:
    form = f"- (c) a [form](https://town.example/{'forms/' * 30})"
    head, short = heads([f"- (b) a photo {'of the face ' * 30}", form])
    assert head.startswith("- (b) a photo of the face of the face")
    assert head.endswith(" of the […]")
    assert len(head) < HEAD_CHARACTERS + 20
    assert short == form


def test_a_long_beginning_that_several_items_have_tells_none_apart_and_is_left_out() -> None:
    ends = {"a": "exploit the weak " * 10, "b": "score people " * 10, "c": "scrape faces " * 10}
    first, second, _ = heads([f"- ({letter}) {PLACING} {ends[letter]}" for letter in ends])
    assert first.startswith("- (a) […] exploit the weak exploit")
    assert second.startswith("- (b) […] score people")


def test_of_an_item_with_lines_of_its_own_the_first_is_shown() -> None:
    assert heads(["1. one:\n   - a\n   - b"]) == ["1. one: […]"]


WORDS = st.sampled_from(
    ["the", "use", "of", "**systems**", "[that](https://x.example)", "place", "1.", "(i)"]
)
ITEMS = st.lists(WORDS, min_size=1, max_size=60).map(lambda words: f"- (a) {' '.join(words)}")


@given(st.lists(ITEMS, min_size=1, max_size=6))
def test_what_is_left_out_of_a_head_is_marked(items: list[str]) -> None:
    for item, head in zip(items, heads(items), strict=True):
        assert is_all_told(head, item)
