"""Pages in another language than the question's are compared as if that were nearer to it."""

from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.search.fusion import FOREIGN_WORDS, LEVELLED_PAGES, LEVELLED_SHARE, is_foreign, levelled
from app.search.types import Candidate, ChunkHit, IndexedPage
from ingest.types import UNDETERMINED, PageRef


def candidate(
    language: str, cosine: float, title: float | None = None, *, coverage: float = 0.0
) -> Candidate:
    page = IndexedPage(
        ref=PageRef(source="town", id=f"{language}-{cosine}", language=language),
        document="d",
        sequence=1,
        url="",
        kind="page",
        updated=None,
        fields={"content": "text"},
    )
    chunks = {"content": (ChunkHit(position=0, start=0, end=1, cosine=cosine),)}
    if title is not None:
        chunks["title"] = (ChunkHit(position=0, start=0, end=1, cosine=title),)
    return Candidate(page=page, chunks=chunks, near_fields=frozenset(), keyword=False, coverage=coverage)  # type: ignore[arg-type]


ENGLISH = [candidate("en", 0.90), candidate("en", 0.80)] * 3
GERMAN = [candidate("de", 0.82), candidate("de", 0.72)] * 3


def test_a_language_that_is_farther_gets_a_share_of_the_difference() -> None:
    found = levelled([*ENGLISH, *GERMAN], "en")
    assert [each.added for each in found[:6]] == [{}] * 6
    assert [each.added["content"] for each in found[6:]] == pytest.approx([LEVELLED_SHARE * 0.08] * 6)
    assert [each.similarity for each in found] == [each.similarity for each in (*ENGLISH, *GERMAN)]


def test_a_language_that_is_nearer_is_left_where_it_is() -> None:
    assert [each.added for each in levelled([*ENGLISH, *GERMAN], "de")] == [
        {"content": 0.0, "words": 0.0}
    ] * 6 + [{}] * 6


def test_a_language_of_few_pages_gets_less_for_these_may_be_about_something_else() -> None:
    [*_, few] = levelled([*ENGLISH[:2], *GERMAN[:2]], "en")
    assert few.added["content"] == pytest.approx(LEVELLED_SHARE * 0.08 * 2 / LEVELLED_PAGES)


def test_a_question_of_no_known_language_changes_nothing() -> None:
    assert levelled([*ENGLISH, *GERMAN], None) == [*ENGLISH, *GERMAN]


def test_words_count_less_where_no_page_is_in_the_questions_language() -> None:
    [found] = levelled([candidate("en", 0.9, coverage=0.5)], "fr")
    assert found.added == {"words": pytest.approx((FOREIGN_WORDS - 1) * 0.5)}
    assert found.coverage == 0.5


def test_only_the_nearest_pages_of_a_language_count() -> None:
    near = [candidate("en", 0.9)] * LEVELLED_PAGES
    far = [candidate("en", 0.1)] * 50
    german = [candidate("de", 0.77)] * LEVELLED_PAGES
    assert levelled([*near, *far, *german], "en")[-1].added["content"] == pytest.approx(LEVELLED_SHARE * 0.13)


def test_a_field_that_one_language_lacks_is_left_out() -> None:
    found = levelled([candidate("en", 0.9, title=0.9), candidate("de", 0.8)], "en")
    assert set(found[1].added) == {"content", "words"}


def test_a_language_that_shares_fewer_words_gets_a_share_of_the_difference() -> None:
    german = [candidate("de", 0.9, coverage=0.1)] * LEVELLED_PAGES
    [_, *found] = levelled([candidate("en", 0.9, coverage=0.6), *german], "en")
    assert found[0].added["words"] == pytest.approx(LEVELLED_SHARE * 0.5)
    assert found[0].coverage == 0.1


@given(st.lists(st.tuples(st.sampled_from(["de", "en", "fr"]), st.floats(0, 1)), max_size=20))
def test_no_language_becomes_nearer_than_the_questions_own(pages: list[tuple[str, float]]) -> None:
    found = levelled([candidate(*each) for each in pages], "en")
    means = {
        language: fmean(sorted(cosines, reverse=True)[:LEVELLED_PAGES])
        for language in ("de", "en", "fr")
        if (cosines := [cosine for each, cosine in pages if each == language])
    }
    for each in (each for each in found if each.added.get("content")):
        assert means[each.page.ref.language] + each.added["content"] <= means["en"] + 1e-9


@pytest.mark.parametrize(
    ("language", "expected"), [("fr", True), ("en", False), ("de", False), (None, False)]
)
def test_a_question_is_foreign_where_no_page_is_in_its_language(language: str | None, expected: bool) -> None:
    assert is_foreign([*ENGLISH, *GERMAN], language) == expected


def test_pages_of_no_known_language_may_be_in_the_questions() -> None:
    assert not is_foreign([*ENGLISH, candidate(UNDETERMINED, 0.5)], "fr")
