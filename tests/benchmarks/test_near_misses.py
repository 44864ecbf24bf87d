"""Of the pool of near misses, some of each half: most wrong ones are marked, hardly a right one is."""

from benchmarks.near_misses import answers, is_marked, shares, sources

EVERY = 9


def test_most_figures_of_something_else_are_marked_and_hardly_a_right_one() -> None:
    pages = sources()
    found = shares((answer, is_marked(answer, pages)) for answer in answers()[::EVERY])
    (wrong, all_wrong), (right, all_right) = found["wrong"], found["right"]
    assert all_wrong >= 20 <= all_right
    assert wrong >= 0.9 * all_wrong
    assert right <= 0.05 * all_right
