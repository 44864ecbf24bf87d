"""The budget: which pages the model reads, how much of them, under which number."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.context import (
    FIRST_CHARACTERS,
    GAP,
    GOOD_CHARACTERS,
    MINIMUM_CHARACTERS,
    PAGE_CHARACTERS,
    SHARE_CHARACTERS,
    Context,
    joined_passages,
    plan_blocks,
    plan_context,
    unnumbered_sources,
    with_earlier,
)
from app.chat.source_items import page_tokens, source_tokens
from app.search.blocks import ranked_blocks
from app.search.retrieval import Hit, LinkKind
from tests.app.chat.pages import hit, page, passage

SENTENCE = "The office is open on weekdays from eight to twelve. "
WORDS = st.lists(
    st.sampled_from(["Aba", "zwölf", "open.", "now!", "z. B.", "日本。", "x\n\n", "…"]), max_size=300
)


def hits(*texts: str) -> list[Hit]:
    return [hit(page(f"p{rank}", title=f"Page {rank}", content=text)) for rank, text in enumerate(texts, 1)]


@given(
    texts=st.lists(WORDS.map(" ".join), max_size=6),
    contexts=st.lists(WORDS.map(" ".join), max_size=3),
    budget=st.integers(0, 900),
)
def test_the_budget_is_never_exceeded_and_the_order_is_kept(
    texts: list[str], contexts: list[str], budget: int
) -> None:
    found = [
        replace(hit(page(f"p{rank}", content=text)), contexts=tuple(contexts))
        for rank, text in enumerate(texts)
    ]
    context = plan_context(found, budget)
    assert sum(map(source_tokens, context.used)) <= budget
    ranked = [[one.page.ref.id for one in context.sources if one.used == used] for used in (True, False)]
    assert [sorted(ids) for ids in ranked] == ranked
    assert [source.number for source in context.used] == list(range(1, len(context.used) + 1))
    passages = {one.page.ref: one.passages for one in found}
    for source in context.sources:
        assert source.used == (source.number is not None) == bool(source.text)
        assert joined_passages(passages[source.page.ref]).startswith(source.text)


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
    assert [source.number for source in plan_context(found, 500).sources] == [1, None]


def linked_to(found: Hit, *pages: Hit, link: LinkKind = "reference") -> Hit:
    return replace(found, linked=tuple(replace(each, link=link) for each in pages))


def read(context: Context) -> list[str]:
    return [source.page.ref.id for source in context.used]


def test_what_hits_refer_to_comes_after_all_hits_that_fit_beside_its_share() -> None:
    references = [hit(page(f"r{n}", content=SENTENCE * 8)) for n in range(20)]
    one, *others = hits(*[SENTENCE * 8] * 12)
    found = [linked_to(one, *references), *others]
    each = page_tokens(one.page, SENTENCE * 8)
    context = plan_context(found, 8 * each, linked_share=0.25)
    assert read(context) == ["p1", "p2", "p3", "p4", "p5", "p6", "r0", "r1"]
    assert read(plan_context(found, 8 * each)) == [f"p{rank}" for rank in range(1, 9)]
    unread = [source.page.ref.id for source in context.sources if not source.used]
    assert unread == [*(f"p{rank}" for rank in range(7, 13)), *(f"r{n}" for n in range(2, 20))]


def test_hits_get_what_their_references_do_not_need_and_references_what_hits_leave() -> None:
    small = hit(page("small", content=SENTENCE * 4))
    found = hits(*[SENTENCE * 8] * 12)
    each = page_tokens(found[0].page, SENTENCE * 8)
    context = plan_context([linked_to(found[0], small), *found[1:]], 8 * each, linked_share=0.5)
    assert read(context) == [*(f"p{rank}" for rank in range(1, 8)), "small"]
    assert read(plan_context([linked_to(found[0], *found[1:6])], 8 * each, linked_share=0.25)) == [
        f"p{rank}" for rank in range(1, 7)
    ]


def test_a_reference_of_a_hit_that_is_not_read_is_not_read_either() -> None:
    found = hits(*[SENTENCE * 8] * 3)
    each = page_tokens(found[0].page, SENTENCE * 8)
    far = linked_to(found[2], hit(page("r", content=SENTENCE * 4)))
    context = plan_context([*found[:2], far], 2 * each, linked_share=0.25)
    assert "r" not in {source.page.ref.id for source in context.sources}


def test_a_hit_beyond_the_budget_is_read_where_a_better_one_refers_to_it() -> None:
    found = hits(*[SENTENCE * 8] * 9)
    each = page_tokens(found[0].page, SENTENCE * 8)
    context = plan_context([linked_to(found[0], found[8]), *found[1:]], 4 * each, linked_share=0.25)
    assert read(context) == ["p1", "p2", "p3", "p9"]
    assert [source.page.ref.id for source in context.sources[4:]] == ["p4", "p5", "p6", "p7", "p8"]


def test_each_source_knows_which_ones_are_linked_to_it_and_how() -> None:
    first, second, third = hits("One.", "Two.", "Three.")
    other = hit(page("other", content="Four."))
    found = [linked_to(first, other, third), linked_to(second, other, link="recital"), third]
    context = plan_context(found, 1_000, linked_share=0.25)
    assert [source.linked_from for source in context.used] == [
        (),
        (),
        (("reference", 1),),
        (("reference", 1), ("recital", 2)),
    ]


def test_a_hit_that_defines_terms_of_the_question_is_read_with_its_definitions() -> None:
    defining = page("d", content="A ferry is a ship. A quay is a wall.")
    definition = replace(hit(defining), passages=(passage(defining, "content", 0, 18),))
    merged = replace(hit(defining), passages=(passage(defining, "content"),))
    [_, source] = plan_context([linked_to(hits("One.")[0], merged, link="definition"), definition], 900).used
    assert source.text == "A ferry is a ship. A quay is a wall."


@given(
    texts=st.lists(WORDS.map(" ".join), max_size=5),
    linked=st.lists(WORDS.map(" ".join), max_size=5),
    budget=st.integers(0, 1_500),
    share=st.sampled_from([0.0, 0.25, 0.5]),
)
def test_hits_and_references_together_never_exceed_the_budget(
    texts: list[str], linked: list[str], budget: int, share: float
) -> None:
    references = [hit(page(f"r{n}", content=text)) for n, text in enumerate(linked)]
    found = [linked_to(hit(page(f"p{n}", content=text)), *references) for n, text in enumerate(texts)]
    context = plan_context(found, budget, share)
    assert sum(page_tokens(source.page, source.text) for source in context.used) <= budget
    assert [source.number for source in context.used] == list(range(1, len(context.used) + 1))
    assert context.sources[: len(context.used)] == context.used


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


def planned(question: str, found: list[Hit], budget: int) -> Context:
    return plan_blocks(ranked_blocks(question, question, "en", found), found, budget, linked_share=0.25)


def filler(count: int) -> str:
    return "\n\n".join(f"## Part {number}\n\n{SENTENCE * 4}" for number in range(count))


@given(texts=st.lists(WORDS.map(" ".join), max_size=6), budget=st.integers(0, 900))
def test_blocks_never_exceed_the_budget_and_are_numbered_without_gaps(texts: list[str], budget: int) -> None:
    found = [hit(page(f"p{rank}", content=text), rank=rank) for rank, text in enumerate(texts, 1)]
    context = planned("open now", found, budget)
    assert sum(page_tokens(source.page, source.text) for source in context.used) <= budget
    assert [source.number for source in context.used] == list(range(1, len(context.used) + 1))
    assert {source.page.ref for source in context.sources} == {one.page.ref for one in found}


def test_the_best_blocks_of_all_pages_come_before_the_rest_of_the_first() -> None:
    first = f"## Bus\n\nThe bus goes at nine.\n\n{filler(20)}"
    second = f"{filler(20)}\n\n## Bus\n\nThe night bus goes at eleven."
    found = [hit(page("a", content=first)), hit(page("b", content=second), rank=2)]
    one, two = planned("bus", found, 4_000).used
    assert (one.page.ref.id, two.page.ref.id) == ("a", "b")
    assert one.text.startswith("**Bus**\nThe bus goes at nine.")
    assert "night bus" in two.text[: FIRST_CHARACTERS + 100]
    assert len(one.text) <= PAGE_CHARACTERS + 600


def test_a_page_leaves_room_for_the_others_but_for_blocks_nearly_as_good_as_the_best() -> None:
    good = "\n\n".join(f"## Bus\n\nThe bus goes at nine. {SENTENCE * 4}" for _ in range(20))
    for content, most in (
        (f"The bus goes at nine.\n\n{filler(20)}", SHARE_CHARACTERS),
        (good, GOOD_CHARACTERS),
    ):
        found = [hit(page(f"p{rank}", content=content), rank=rank) for rank in range(1, 11)]
        first = planned("when does the bus go", found, 2_000).used[0]
        assert most - 400 < len(first.text) < most + 400


def test_room_that_is_left_goes_to_the_last_pages_first() -> None:
    found = [hit(page(f"p{rank}", content=filler(40)), rank=rank) for rank in (1, 2)]
    first, last = planned("office", found, 1_900).used
    assert len(last.text) > GOOD_CHARACTERS + 400
    assert len(first.text) < GOOD_CHARACTERS + 400
    assert all(len(source.text) > PAGE_CHARACTERS - 400 for source in planned("office", found, 4_000).used)


def test_the_blocks_of_a_source_stand_in_the_order_of_its_page_with_gaps_marked() -> None:
    content = (
        f"## Tickets\n\nAdults pay five.\n\n{filler(30)}\n\n## More\n\nTickets for adults are sold here."
    )
    [source] = planned("tickets adults", [hit(page(content=content))], 180).used
    assert source.text.index("Adults pay") < source.text.index("are sold")
    assert {each.text.strip() for each in source.passages} >= {
        "Adults pay five.",
        "Tickets for adults are sold here.",
    }


def test_pages_that_a_hit_is_linked_to_come_after_the_blocks_with_a_share_of_the_budget() -> None:
    linked = hit(page("linked", content="What is defined."))
    found = linked_to(hit(page("a", content=filler(50))), linked)
    context = planned("office", [found], 600)
    assert [source.page.ref.id for source in context.used] == ["a", "linked"]
    assert context.used[1].text == "What is defined."
    assert context.used[1].linked_from == (("reference", 1),)


@pytest.mark.parametrize("budget", range(100, 400, 10))
def test_what_a_model_wrote_of_linked_and_earlier_pages_counts_in_the_budget(budget: int) -> None:
    placed = ("This part is about the fees of the office.", "It follows a list of documents.")
    other = replace(hit(page("other", content=SENTENCE)), contexts=placed)
    found = linked_to(hit(page("a", content=SENTENCE)), other)
    context = planned("office", [found], budget)
    assert sum(map(source_tokens, context.used)) <= budget
    context = with_earlier(planned("office", [hit(page("a", content=SENTENCE))], budget), [other], budget)
    assert sum(map(source_tokens, context.used)) <= budget


def test_each_source_knows_its_best_block() -> None:
    found = [hit(page(content=f"{filler(5)}\n\n## Bus\n\nThe bus goes at nine."))]
    ranked = ranked_blocks("bus", "bus", "en", found)
    [source] = plan_context(found, 2_000).with_blocks(ranked).used
    assert source.best is not None
    assert source.best.passage.text.strip() == "The bus goes at nine."
