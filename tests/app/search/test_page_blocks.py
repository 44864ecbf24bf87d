"""How values are kept while there is room."""

from app.search.page_blocks import LruCache


def test_what_was_used_last_is_kept_while_there_is_room() -> None:
    cache = LruCache[str, int](10)
    cache.put("a", 1, 4)
    cache.put("b", 2, 4)
    assert cache.get("a") == 1
    cache.put("c", 3, 4)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]


def test_a_value_that_is_kept_again_takes_its_room_once() -> None:
    cache = LruCache[str, int](10)
    for value in range(9):
        cache.put("a", value, 4)
    cache.put("b", 2, 6)
    assert [cache.get(key) for key in "ab"] == [8, 2]


def test_what_is_larger_than_the_room_is_not_kept_and_costs_no_other_its_room() -> None:
    cache = LruCache[str, int](10)
    cache.put("a", 1, 4)
    cache.put("b", 2, 11)
    assert [cache.get(key) for key in "ab"] == [1, None]
