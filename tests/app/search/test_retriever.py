"""The question path on a real store and index: modes, labels, qualifying, visibility, scope."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from app.presets.collection import Presets
from app.search.certainty import FOREIGN_SHARE
from app.search.examples import OffTopic
from app.search.recorder import CertaintyJudged, recording
from app.search.retrieval import Retrieval
from app.search.retriever import Retriever
from ingest.types import Delete
from ingest.vectors import MemoryVectorCache
from tests.fakes.world import World, raw_page

TOWN = frozenset({"town"})


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Four pages about different things; the pool page is long, with the prices at its end."""
    world = World(tmp_path)
    filler = "\n\n".join(f"Paragraph {n} tells about swimming lessons and lockers." for n in range(60))
    world.save(
        raw_page(
            "dogs", {"title": "Dog tax", "content": "The dog tax is 80 euros a year. Register your dog."}
        ),
        raw_page(
            "pool", {"title": "Outdoor pool", "content": f"{filler}\n\nA season ticket costs 75 euros."}
        ),
        raw_page(
            "hund", {"title": "Hundesteuer", "content": "Die Hundesteuer beträgt 80 Euro."}, language="de"
        ),
        raw_page(
            "secret", {"title": "Dog tax plans", "content": "Dog tax plans of the council."}, source="council"
        ),
    )
    yield world
    world.close()


def ids(retrieval: Retrieval) -> list[str]:
    """The found pages, best first."""
    return [hit.page.ref.id for hit in retrieval.hits]


def test_a_question_finds_the_page_that_answers_it_with_its_passage(world: World) -> None:
    found = world.retriever.retrieve("How much is the dog tax per year?", sources=TOWN)
    assert (found.mode, found.degraded, ids(found)[0]) == ("semantic", (), "dogs")
    assert "80 euros" in found.hits[0].passages[0].text


def test_a_question_in_a_language_that_no_page_has_needs_less_to_come_near(world: World) -> None:
    calibrated = Retriever(
        index=world.index,
        visibility=world.store,
        embedder_of=lambda _: world.embedder,
        preset=Presets().load("default").with_thresholds({"hashing": {"answer": 0.5}}),
        off_topic=OffTopic(MemoryVectorCache()),
        reranker=world.reranker,
        owner=world.store.id,
    )
    needed = {}
    for language, question in (("en", "How much is the dog tax?"), ("fr", "Combien coûte le dog tax ?")):
        with recording() as recorder:
            calibrated.retrieve(question, sources=TOWN, language=language)
        (judged,) = [each.part for each in recorder.parts if isinstance(each.part, CertaintyJudged)]
        needed[language] = judged.threshold
    assert needed == {"en": 0.5, "fr": pytest.approx(0.5 * FOREIGN_SHARE)}


def test_only_the_scopes_sources_are_searched(world: World) -> None:
    assert "secret" not in ids(world.retriever.retrieve("What are the dog tax plans?", sources=TOWN))
    assert "secret" not in ids(world.retriever.retrieve("dog plans", sources=TOWN))
    assert ids(world.retriever.retrieve("dog tax", sources=frozenset({"council"}))) == ["secret"]


def test_a_short_question_is_a_keyword_search_for_all_words_with_whole_pages(world: World) -> None:
    found = world.retriever.retrieve("season ticket", sources=TOWN)
    assert (found.mode, found.degraded, ids(found)) == ("keyword", (), ["pool"])
    assert [p.field for p in found.hits[0].passages] == ["title", "content"]
    assert found.hits[0].passages[1].end == len(found.hits[0].page.fields["content"].encode())


def test_a_word_alone_finds_pages_whose_titles_have_it_in_a_compound(world: World) -> None:
    world.save(
        raw_page(
            "zuzug", {"title": "Zuzug", "content": "Fragen zur Steuer? Das Bürgeramt hilft."}, language="de"
        )
    )
    found = world.retriever.retrieve("Steuer", sources=TOWN)
    assert (found.mode, ids(found)) == ("keyword", ["hund", "zuzug"])


def test_a_short_question_whose_words_no_page_has_together_weighs_words_and_meaning(world: World) -> None:
    found = world.retriever.retrieve("dog lockers", sources=TOWN)
    assert (found.mode, found.degraded) == ("semantic", ("keyword_no_match",))
    assert set(ids(found)[:2]) == {"dogs", "pool"}


def test_a_preset_without_keyword_arm_lists_pages_with_any_word_of_a_short_question(tmp_path: Path) -> None:
    world = World(tmp_path, preset="egocms")
    world.save(raw_page("dogs", {"content": "The dog tax."}), raw_page("pool", {"content": "Many lockers."}))
    found = world.retriever.retrieve("dog lockers", sources=TOWN)
    assert (found.mode, found.degraded) == ("keyword", ("keyword_any_word",))
    assert set(ids(found)) == {"dogs", "pool"}
    world.close()


def test_a_short_question_without_any_known_word_goes_to_knn_labelled(world: World) -> None:
    found = world.retriever.retrieve("Hundesteuerbescheid", sources=TOWN)
    assert (found.mode, found.degraded, ids(found)[0]) == ("semantic", ("keyword_no_match",), "hund")


@pytest.mark.parametrize("question", ["", "???", "§ _"])
def test_a_question_without_words_finds_nothing_and_does_not_fail(world: World, question: str) -> None:
    assert world.retriever.retrieve(question, sources=TOWN).degraded == ("keyword_no_match",)


def test_without_embedder_words_alone_are_searched_and_labelled(world: World) -> None:
    world.embedder.off = True
    found = world.retriever.retrieve("What does a season ticket cost there?", sources=TOWN)
    assert (found.mode, found.degraded, ids(found)[0]) == ("keyword", ("embedder_unavailable",), "pool")


def test_without_embedder_a_short_question_is_labelled_by_its_words_alone(world: World) -> None:
    world.embedder.off = True
    found = world.retriever.retrieve("dog lockers", sources=TOWN)
    assert (found.mode, found.degraded) == ("keyword", ("keyword_any_word", "embedder_unavailable"))


def test_nothing_qualifies_for_a_foreign_subject_but_keyword_hits_are_offered(world: World) -> None:
    found = world.retriever.retrieve("quantum chromodynamics lattice gauge euros", sources=TOWN)
    assert found.hits == ()
    assert found.keyword_hits


def test_a_deleted_page_is_gone_from_answers_before_the_index_knows(world: World) -> None:
    world.store.accept([Delete(source="town", id="dogs")])
    assert "dogs" in {ref.id for ref, _ in world.index.refs(1)}
    for question in ("How much is the dog tax per year?", "dog tax"):
        assert "dogs" not in ids(world.retriever.retrieve(question, sources=TOWN))


def test_an_excluded_page_is_gone_and_comes_back_when_included(world: World) -> None:
    world.store.exclude("town", "dogs")
    world.drain()
    assert "dogs" not in ids(world.retriever.retrieve("dog tax", sources=TOWN))
    world.store.include("town", "dogs")
    world.drain()
    assert "dogs" in ids(world.retriever.retrieve("dog tax", sources=TOWN))


def test_the_limit_counts_pages_and_ranks_rise_from_1(world: World) -> None:
    found = world.retriever.retrieve("What about the dog tax or Hundesteuer?", sources=TOWN, limit=2)
    assert [hit.rank for hit in found.hits] == [1, 2]
    assert found.hits[0].score >= found.hits[1].score


@pytest.mark.parametrize("preset", Presets().names())
def test_every_preset_gives_as_many_pages_as_are_asked_for(tmp_path: Path, preset: str) -> None:
    world = World(tmp_path, preset=preset)
    world.save(*(raw_page(f"p{n}", {"content": f"The dog tax is {n} euros a year."}) for n in range(50)))
    question = "How much is the dog tax a year?"
    for limit in (3, 20, 45):
        assert len(world.retriever.retrieve(question, sources=TOWN, limit=limit).hits) == limit
    world.close()


def test_more_pages_do_not_change_which_page_has_the_nearest_title(tmp_path: Path) -> None:
    world = World(tmp_path, preset="egocms")
    world.save(*(raw_page(f"p{n}", {"title": f"Dog tax {n}", "content": "A year."}) for n in range(30)))
    found = world.retriever.retrieve("How much is the dog tax a year?", sources=TOWN, limit=20)
    assert found.hits[0].score > 1 > found.hits[1].score
    world.close()


def test_egocms_ranks_by_its_clauses_alone_and_knows_no_keyword_arm(tmp_path: Path) -> None:
    world = World(tmp_path, preset="egocms")
    world.save(raw_page("dogs", {"title": "Dog tax", "content": "The dog tax is 80 euros a year."}))
    found = world.retriever.retrieve("How much is the dog tax a year?", sources=TOWN)
    expected = sum((1 + cosine) / 2 for field, cosine in found.hits[0].similarity.items())
    assert found.hits[0].score == pytest.approx(expected)
    world.close()


def test_an_index_without_pages_finds_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert world.retriever.retrieve("Is there anything in here?", sources=TOWN).hits == ()
    world.close()


def test_rtr_ranks_by_the_contents_cosine_alone_and_knows_no_threshold(tmp_path: Path) -> None:
    world = World(tmp_path, preset="rtr")
    world.save(
        raw_page("dogs", {"content": "The dog tax is 80 euros a year."}),
        raw_page("pool", {"keywords": "How much is the dog tax a year?", "content": "Swimming lessons."}),
    )
    found = world.retriever.retrieve("How much is the dog tax a year?", sources=TOWN)
    assert ids(found) == ["dogs", "pool"]
    assert [hit.score for hit in found.hits] == [hit.similarity["content"] for hit in found.hits]
    world.close()


def test_eurlex_adds_places_among_the_vectors_and_among_the_words(tmp_path: Path) -> None:
    world = World(tmp_path, preset="eurlex")
    world.save(
        raw_page("dogs", {"content": "The dog tax is 80 euros a year."}),
        raw_page("pool", {"content": "Swimming lessons and lockers."}),
    )
    found = world.retriever.retrieve("How much is the dog tax a year?", sources=TOWN)
    assert ids(found) == ["dogs", "pool"]
    assert [hit.score for hit in found.hits] == pytest.approx([1 / 61 + 1 / 61, 1 / 62])
    world.close()


def test_all_pages_are_those_of_the_sources_that_may_be_shown_unless_there_are_too_many(world: World) -> None:
    world.store.accept([Delete(source="town", id="dogs")])
    assert [page.ref.id for page in world.retriever.all_pages(TOWN, 4)] == ["hund", "pool"]
    assert world.retriever.all_pages(TOWN, 3) == []


ASKED = "When is the dog tax due?"


@pytest.fixture
def praised(tmp_path: Path) -> Iterator[World]:
    """Six pages, the first four found of which are reranked: the reranker likes the longest, "p1", most."""
    world = World(tmp_path, candidates=4)
    for n in range(1, 7):
        praise = "best, " * (7 - n) + "and other things. " * 10 * (7 - n)
        world.save(raw_page(f"p{n}", {"title": "Dog tax", "content": f"The dog tax is due in May. {praise}"}))
    yield world
    world.close()


def test_a_preset_that_does_not_rerank_asks_no_reranker(world: World) -> None:
    assert world.retriever.retrieve(ASKED, sources=TOWN).hits
    assert world.reranker.asked == []


def test_the_first_candidates_come_in_the_rerankers_order_before_the_limit(praised: World) -> None:
    praised.reranker.off = True
    first, others = (found := ids(praised.retriever.retrieve(ASKED, sources=TOWN)))[:4], found[4:]
    praised.reranker.off = False
    result = praised.retriever.retrieve(ASKED, sources=TOWN)
    assert first != sorted(first)
    assert ids(result) == [*sorted(first), *others]
    assert [hit.rank for hit in result.hits] == [1, 2, 3, 4, 5, 6]
    assert result.degraded == ()
    assert ids(praised.retriever.retrieve(ASKED, sources=TOWN, limit=1)) == sorted(first)[:1]


def test_without_its_reranker_pages_come_as_they_were_found_labelled(praised: World) -> None:
    praised.reranker.off = True
    found = praised.retriever.retrieve(ASKED, sources=TOWN)
    assert (found.mode, found.degraded) == ("semantic", ("reranker_unavailable",))
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)


def test_the_reranker_reads_the_question_and_the_titles_and_contents(praised: World) -> None:
    praised.retriever.retrieve(ASKED, sources=TOWN)
    [(question, texts)] = praised.reranker.asked
    assert (question, len(texts)) == (ASKED, 4)
    assert all(text.startswith("# Dog tax\n\nThe dog tax is due in May.") for text in texts)


def test_what_is_searched_by_words_alone_is_not_reranked(praised: World) -> None:
    praised.retriever.retrieve("dog tax", sources=TOWN)
    praised.embedder.off = True
    praised.retriever.retrieve(ASKED, sources=TOWN)
    assert praised.reranker.asked == []


@pytest.mark.parametrize("question", ["seasn tickett", "Where are the swimmming lessons and lockers?"])
def test_misspelt_words_are_searched_for_as_pages_spell_them(world: World, question: str) -> None:
    found = world.retriever.retrieve(question, sources=TOWN)
    assert (ids(found)[0], found.degraded) == ("pool", ())
    assert any(words in found.question for words in ("season ticket", "swimming"))


def test_a_word_that_is_only_spoken_is_read_as_the_one_that_pages_have(world: World) -> None:
    content = "Für neue Personalausweise kommen Sie ins Bürgeramt."
    world.save(raw_page("identity", {"title": "Ausweise", "content": content}, language="de"))
    found = world.retriever.retrieve("Wo bekomme ich meinen neuen Perso?", sources=TOWN)
    assert "Personalausweis" in found.question
    assert ids(found)[0] == "identity"


def test_a_page_with_a_synonym_of_a_word_that_no_page_has_is_one_with_the_word(world: World) -> None:
    content = "Wer eine Wohnung am Gehweg hat, räumt dort Schnee."
    world.save(raw_page("snow", {"title": "Schnee", "content": content}, language="de"))
    found = world.retriever.retrieve("Bürgersteig", sources=TOWN, language="de")
    assert (found.mode, ids(found)) == ("keyword", ["snow"])


def test_translated_words_count_in_pages_of_their_language(world: World) -> None:
    asked = partial(world.retriever.retrieve, "Quelle est la vignette canine ?", sources=TOWN, language="fr")
    before = {hit.page.ref.id: hit.coverage for hit in asked().hits}
    world.terms.learn("fr", "en", {"canin": ["dog"], "vignet": ["tax"]})
    found = {hit.page.ref.id: hit.coverage for hit in asked().hits}
    assert found["dogs"] > before.get("dogs", 0.0) == 0.0
    assert found.get("hund", 0.0) == before.get("hund", 0.0)
    assert ids(asked())[0] == "dogs"


def test_what_translated_words_find_is_still_hidden_from_whom_it_must_be(world: World) -> None:
    world.terms.learn("fr", "en", {"plan": ["plans"], "conseil": ["council"]})
    found = world.retriever.retrieve("Quels sont les plans du conseil ?", sources=TOWN, language="fr")
    assert "secret" not in ids(found)

    world.terms.learn("fr", "en", {"canin": ["canine"]})


def test_a_preset_without_words_does_not_translate_them(tmp_path: Path) -> None:
    with closing(World(tmp_path, preset="rtr")) as world:
        world.save(raw_page("dogs", {"title": "Dog tax", "content": "The dog tax is 80 euros a year."}))
        world.terms.learn("fr", "en", {"canin": ["dog"]})
        found = world.retriever.retrieve("Quelle est la vignette canine ?", sources=TOWN, language="fr")
    assert [hit.coverage for hit in found.hits] == [0.0] * len(found.hits)
    world.terms.learn("fr", "en", {"canin": ["dog"], "vignet": ["tax"]})
