"""The budget: which pages the model reads, how much of them, under which number."""

from hypothesis import given
from hypothesis import strategies as st

from app.chat.context import (
    GAP,
    MINIMUM_CHARACTERS,
    joined_passages,
    page_tokens,
    plan_context,
    unnumbered_sources,
)
from app.search.types import Hit
from tests.app.chat.pages import hit, page, passage

SENTENCE = "The office is open on weekdays from eight to twelve. "
WORDS = st.lists(
    st.sampled_from(["Aba", "zwölf", "open.", "now!", "z. B.", "日本。", "x\n\n", "…"]), max_size=300
)


def hits(*texts: str) -> list[Hit]:
    return [hit(page(f"p{rank}", title=f"Page {rank}", content=text)) for rank, text in enumerate(texts, 1)]


@given(texts=st.lists(WORDS.map(" ".join), max_size=6), budget=st.integers(0, 900))
def test_the_budget_is_never_exceeded_and_the_order_is_kept(texts: list[str], budget: int) -> None:
    found = [hit(page(f"p{rank}", content=text)) for rank, text in enumerate(texts)]
    context = plan_context(found, budget)
    assert sum(page_tokens(source.page, source.text) for source in context.used) <= budget
    assert [source.page for source in context.sources] == [one.page for one in found]
    assert [source.number for source in context.used] == list(range(1, len(context.used) + 1))
    for source, one in zip(context.sources, found, strict=True):
        assert source.used == (source.number is not None) == bool(source.text)
        assert joined_passages(one.passages).startswith(source.text)


def test_the_first_page_that_does_not_fit_is_cut_at_a_sentence_and_the_rest_left_out() -> None:
    found = hits(SENTENCE * 5, SENTENCE * 50, "Short.")
    budget = page_tokens(found[0].page, SENTENCE * 5) + page_tokens(found[1].page, SENTENCE * 6) + 5
    context = plan_context(found, budget)
    assert [source.number for source in context.sources] == [1, 2, None]
    assert context.sources[1].text == (SENTENCE * 6).strip()
    assert context.sources[2].text == ""
    assert context.numbers == {1, 2}


def test_a_page_cut_to_less_than_the_minimum_is_left_out() -> None:
    found = hits(SENTENCE * 50)
    assert len(SENTENCE) * 3 < MINIMUM_CHARACTERS < len(SENTENCE) * 4
    assert not plan_context(found, page_tokens(found[0].page, SENTENCE * 3) + 5).used
    assert plan_context(found, page_tokens(found[0].page, SENTENCE * 4) + 5).used


def test_nothing_enters_after_a_page_that_does_not_fit() -> None:
    found = hits("word " * 2_000, "This one would fit.")
    assert not plan_context(found, 500).used


def test_a_page_without_text_gets_no_number_and_leaves_no_gap() -> None:
    found = hits("", "Some text.")
    assert [source.number for source in plan_context(found, 500).sources] == [None, 1]


def test_gaps_are_marked_within_a_field_but_not_between_fields() -> None:
    found = page(description="About.", content="First part. Middle. Last part.")
    parts = [passage(found, "description"), passage(found, "content", 0, 11), passage(found, "content", 20)]
    assert joined_passages(parts) == f"About.\n\nFirst part.{GAP}Last part."


def test_similarity_is_the_contents_or_else_the_best() -> None:
    found = page(content="x")
    assert plan_context([hit(found, cosine=0.8)], 500).sources[0].similarity == 0.8
    assert plan_context([hit(found, cosine=None)], 500).sources[0].similarity is None


def test_offered_pages_are_unnumbered() -> None:
    [source] = unnumbered_sources(hits("Text."))
    assert (source.number, source.used, source.text) == (None, False, "")
