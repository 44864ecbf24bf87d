"""The text of a page with its chunks drawn over it."""

import pytest

from app.console.page_text import part_of
from app.search.types import IndexedPage
from ingest.types import PageRef


def pieces(content: str, *spans: tuple[int, int]) -> list[tuple[int, str]]:
    page = IndexedPage(
        ref=PageRef(source="town", id="p", language="de"),
        document="p",
        sequence=1,
        url="",
        kind="page",
        updated=None,
        fields={"content": content},
        content_spans=spans,
    )
    return list(part_of(page).pieces)


@pytest.mark.parametrize("place", [5, 9, 14])
def test_chunks_are_shown_cut_between_words(place: int) -> None:
    shown = [(1, "Die "), (2, "Parkplätze an der Straße")]
    assert pieces("Die Parkplätze an der Straße", (0, place), (place, 30)) == shown


def test_text_without_spaces_is_shown_cut_where_it_is() -> None:
    content = "字" * 60
    assert pieces(content, (0, 90), (90, 180)) == [(1, "字" * 30), (2, "字" * 30)]
