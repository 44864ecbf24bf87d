"""What is planned to make a generation what the page store says."""

from hypothesis import given
from hypothesis import strategies as st

from app.indexing.difference import Difference, difference
from app.pages.types import PageVersion
from app.search.types import Remove
from ingest.types import PageRef
from tests.contracts.raw_pages import ref

PAGES = [ref(name) for name in "abcdef"]
SEQUENCES = st.integers(1, 12)


@st.composite
def states(draw: st.DrawFn) -> tuple[list[PageVersion], dict[PageRef, int], int]:
    """Versions, held sequences, watermark. No generation is ahead of the page store but by newer claims."""
    watermark = draw(st.integers(0, 12))
    rows = draw(st.dictionaries(st.sampled_from(PAGES), st.tuples(SEQUENCES, st.booleans())))
    held = draw(st.dictionaries(st.sampled_from(PAGES), SEQUENCES))
    for page, sequence in held.items():
        if page in rows and sequence <= watermark:
            held[page] = min(sequence, rows[page][0])
    versions = [PageVersion(ref=page, sequence=s, served=served) for page, (s, served) in rows.items()]
    return versions, held, watermark


def apply(found: Difference, held: dict[PageRef, int], versions: list[PageVersion]) -> dict[PageRef, int]:
    """What the generation holds then: writes with a lower sequence change nothing."""
    after = dict(held)
    newest = {version.ref: version.sequence for version in versions}
    for page in [*found.missing, *found.early]:
        after[page] = max(newest[page], after.get(page, 0))
    for removal in found.surplus:
        if after.get(removal.ref, 0) <= removal.sequence:
            after.pop(removal.ref, None)
    return after


@given(states())
def test_applied_to_any_state_it_gives_exactly_the_stores_state(
    state: tuple[list[PageVersion], dict[PageRef, int], int],
) -> None:
    versions, held, _ = state
    newest = max([v.sequence for v in versions] + list(held.values()), default=0)
    held = {
        page: min(s, next((v.sequence for v in versions if v.ref == page), s)) for page, s in held.items()
    }
    found = difference(versions, held, newest, {})
    after = apply(found, held, versions)
    assert after == {version.ref: version.sequence for version in versions if version.served}
    assert difference(versions, after, newest, {}) == Difference()


@given(states())
def test_above_the_watermark_it_touches_only_pages_of_which_nothing_is_held(
    state: tuple[list[PageVersion], dict[PageRef, int], int],
) -> None:
    versions, held, watermark = state
    found = difference(versions, held, watermark, {})
    young = {version.ref for version in versions if version.sequence > watermark}
    young |= {page for page, sequence in held.items() if sequence > watermark}
    assert not young & found.sequences.keys()
    served = {version.ref for version in versions if version.served}
    assert set(found.early) == {
        v.ref for v in versions if v.sequence > watermark and v.ref not in held and v.ref in served
    }
    again = difference(versions, apply(found, held, versions), watermark, {})
    assert again == Difference()


def test_a_version_that_failed_is_not_tried_again_but_a_newer_one_is() -> None:
    versions = [PageVersion(ref=ref(name), sequence=5, served=True) for name in "ab"]
    found = difference(versions, {}, 9, {ref("a"): 5, ref("b"): 4})
    assert found == Difference(missing={ref("b"): 5}, failed=[ref("a")])
    assert not found.finished
    assert difference(versions[:1], {}, 9, {ref("a"): 5}).finished


def test_a_page_that_kills_workers_is_not_tried() -> None:
    poison = PageVersion(ref=ref("a"), sequence=5, served=True, poison=True)
    assert difference([poison], {}, 9, {}) == Difference(failed=[ref("a")])
    assert difference([poison], {ref("a"): 5}, 9, {}) == Difference()


def test_pages_that_the_store_does_not_know_are_taken_out_unless_they_are_new() -> None:
    found = difference([], {ref("old"): 3, ref("new"): 10}, 9, {})
    assert found == Difference(surplus=[Remove(ref=ref("old"), sequence=3)])
    assert found.sequences == {ref("old"): 3}
