"""A page weighed in a search that was traced."""

from dataclasses import replace

import pytest

from app.features.explain.search_trace import search_traces
from app.features.explain.weighing import weighed_page
from app.search.recorder import recording
from tests.app.search.test_retriever import TOWN, world
from tests.fakes.world import World

__all__ = ["world"]


def test_words_that_are_the_same_in_both_languages_are_not_searched_for_again(world: World) -> None:
    world.terms.learn("fr", "en", {"canin": ["canine"]})
    with recording() as recorder:
        world.retriever.retrieve("Quelle est la taxe canine ?", sources=TOWN, language="fr")
    [search] = search_traces(recorder.parts)
    assert search.translations == {}


def test_a_page_weighed_alone_has_the_words_that_a_search_finds_in_it(world: World) -> None:
    world.terms.learn("fr", "en", {"canin": ["dog"], "vignet": ["tax"]})
    with recording() as recorder:
        world.retriever.retrieve("Quelle est la vignette canine ?", sources=TOWN, language="fr")
    [search] = search_traces(recorder.parts)
    assert search.translations == {"en": {"vignette": ("tax",), "canine": ("dog",)}}
    [found] = [page.candidate for page in search.pages if page.candidate.page.ref.id == "dogs"]
    forgotten = replace(search, pages=tuple(page for page in search.pages if page.candidate is not found))
    weighed = weighed_page(world.index, forgotten, found.page.ref, 1)
    assert weighed is not None
    assert weighed.candidate.coverage == pytest.approx(found.coverage) != 0.0
    assert weighed.words_missing == ()
