"""The whole way of a question, as it was recorded, and why a page is not in its answer."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import get_args

import pytest
from sqlalchemy import func, select

from app.features.explain.inspector import TracedQuestion
from app.features.explain.services import ExplainServices
from app.features.explain.trace import QuestionTrace
from app.features.explain.why_not import Cause, Remedy, RemedyCode, WhyNot
from app.features.explain.why_not_document import _texts, cause_sentence, remedy_sentence
from app.pages.database import reading
from app.pages.question_tables import answers, conversations
from app.pages.tables import meta
from app.search.recorder import SearchBegun, recording
from app.services import Services
from app.settings.chat import ChatSettings
from app.settings.settings import Settings
from app.settings.sites import SiteSettings
from ingest.converters.process import ConverterProcess
from ingest.types import Delete, PageRef, RawPage, Save
from tests.app.site import raw_page
from tests.fakes.llm import FakeLlm, Reply

QUESTION = "How much is the dog tax for the first dog?"
DOG_TAX = PageRef(source="town", id="dog-tax", language="en")


@pytest.fixture
def services(
    indexed_site: Path, site_settings: Settings, tmp_path: Path, converter: ConverterProcess
) -> Iterator[Services]:
    """A copy of the installation, which tests may change."""
    data = shutil.copytree(indexed_site, tmp_path / "data")
    with Services(site_settings.model_copy(update={"data": data})) as services:
        services.indexing.converter = converter
        yield services


def traced(services: Services, question: str = QUESTION, preset: str = "") -> QuestionTrace:
    return services.feature(ExplainServices).inspector.trace(TracedQuestion(question=question, preset=preset))


def why(services: Services, page: str | PageRef, question: str = QUESTION) -> WhyNot:
    return services.feature(ExplainServices).inspector.why_not(traced(services, question), page)


def codes(found: WhyNot) -> list[str]:
    return [remedy.code for remedy in found.remedies]


def save(services: Services, page: RawPage) -> None:
    services.store.accept([Save(page=page)])
    while services.store.pending():
        services.indexing.indexer.sync_pages()


def page_of(page_id: str, title: str, text: str, **more: object) -> RawPage:
    return replace(raw_page(page_id, title, text).page, **more)  # type: ignore[arg-type]


def test_a_trace_holds_the_answer_as_visitors_get_it(site_services: Services) -> None:
    trace = traced(site_services)
    events = site_services.chat.default.answerer.stream(QUESTION, sources=frozenset({"town"}))
    assert trace.done == list(events)[-1]


def test_without_a_site_that_of_the_visitors_is_asked_with_the_texts_of_the_console(
    services: Services,
) -> None:
    texts, question = {"contact": "Town hall, 0555 4711"}, "Is there a Zeppelin to Mars?"
    assert "0555 4711" not in str(traced(services, question).done)
    services.site_texts.save("default", texts, "ada", version=0, before={}, after=texts)
    assert "0555 4711" in str(traced(services, question).done)
    [site] = services.chat.sites.all()
    assert services.feature(ExplainServices).inspector.site("") == site


def test_of_several_sites_none_is_asked_without_a_key_but_all_sources_are(services: Services) -> None:
    sites = [SiteSettings(key="town", sources=["town"]), SiteSettings(key="law", sources=["law"])]
    with Services(services.settings.model_copy(update={"sites": sites})) as several:
        assert several.feature(ExplainServices).inspector.site("") == SiteSettings(key="default")


def test_ranks_and_scores_of_a_trace_are_those_of_the_hits(site_services: Services) -> None:
    trace = traced(site_services)
    [search] = trace.searches
    assert search.retrieval is not None
    hits = {hit.page.ref: (hit.rank, hit.score, hit.coverage) for hit in search.retrieval.hits}
    assert hits
    shown = {
        page.candidate.page.ref: (page.rank, page.score, page.candidate.coverage)
        for page in search.pages
        if page.rank
    }
    assert shown == hits
    assert [page.place for page in search.pages if page.place] == list(range(1, len(search.qualified) + 1))


def test_the_parts_of_a_score_sum_up_to_it_in_every_ranking(site_services: Services) -> None:
    for preset in ("default", "rtr"):
        [search] = traced(site_services, preset=preset).searches
        scored = [page for page in search.pages if page.score is not None and page.parts]
        assert scored, preset
        for page in scored:
            assert sum(page.parts.values()) == pytest.approx(page.score)


def test_a_page_says_how_near_each_field_is_and_which_arm_returned_it(site_services: Services) -> None:
    [search] = traced(site_services).searches
    first = search.pages[0]
    assert first.candidate.page.ref == DOG_TAX
    assert first.is_qualified
    assert (first.ranks["content"], first.ranks["words"]) == (1, 1)
    assert search.thresholds is not None
    assert search.thresholds.passes("content", first.candidate.similarity["content"])


def test_misspelt_words_are_named_with_what_was_searched_instead(site_services: Services) -> None:
    [search] = traced(site_services, "swiming lessons").searches
    [correction] = search.corrections
    assert (correction.word, correction.spelt, correction.is_compound) == ("swiming", "swimming", False)
    assert search.asked == "swiming lessons"
    assert search.query.question == "swimming lessons"
    assert search.matched[0].mode == "all"


def test_what_is_read_and_what_the_budget_leaves_out_is_told(site_services: Services) -> None:
    trace = traced(site_services)
    assert trace.context is not None
    assert trace.budget_tokens
    assert trace.context.used[0].page.ref == DOG_TAX
    assert trace.context.blocks[0].page.ref == DOG_TAX


def test_with_a_model_the_rephrased_question_and_the_final_prompt_are_told(
    indexed_site: Path, site_settings: Settings, llm: FakeLlm, tmp_path: Path
) -> None:
    data = shutil.copytree(indexed_site, tmp_path / "data")
    chat = ChatSettings(base_url=llm.base_url, model="fake")
    with Services(site_settings.model_copy(update={"data": data, "chat": chat})) as services:
        llm.script(Reply(deltas=("The first dog costs 96 euros a year [1].",)))
        trace = traced(services)
    assert trace.messages[0].role == "system"
    assert QUESTION in trace.messages[-1].content
    assert trace.done.model == "fake"
    asked = llm.requests[-1]["messages"]
    assert [message["content"] for message in asked] == [message.content for message in trace.messages]


def test_every_step_says_how_long_it_took_and_all_together_took_as_long_as_the_answer(
    site_services: Services,
) -> None:
    trace = traced(site_services)
    parts = {step.name: [type(each.part).__name__ for each in step.parts] for step in trace.steps}
    assert parts["SearchPages"] == [
        "SearchBegun",
        "QuestionEmbedded",
        "CandidatesFound",
        "PagesRanked",
        "CertaintyJudged",
        "SearchEnded",
    ]
    assert parts["PlanContext"] == ["BudgetGiven"]
    assert [*parts][-2:] == ["ListSources", "Quote"]
    assert trace.seconds == pytest.approx(sum(step.seconds for step in trace.steps))
    assert all(each.seconds >= 0 for each in trace.parts)


def test_nothing_is_recorded_outside_of_a_trace(site_services: Services) -> None:
    with recording() as recorder:
        pass
    list(site_services.chat.default.answerer.stream(QUESTION, sources=frozenset({"town"})))
    assert recorder.parts == []
    with recording() as recorder:
        site_services.chat.default.retriever.retrieve(QUESTION, sources=frozenset({"town"}))
    assert isinstance(recorder.parts[0].part, SearchBegun)


def test_a_trace_is_neither_stored_nor_counted(services: Services) -> None:
    def stored() -> list[int]:
        with reading(services.engine) as connection:
            tables = (answers, conversations, meta)
            return [
                connection.execute(select(func.count()).select_from(each)).scalar_one() for each in tables
            ]

    before = stored()
    traced(services)
    assert stored() == before


def test_a_page_that_was_read_says_under_which_number(services: Services) -> None:
    found = why(services, DOG_TAX)
    assert (found.cause, found.number, codes(found)) == ("read", 1, ["none"])


def test_a_page_is_named_by_its_id_and_by_its_address(services: Services) -> None:
    details = services.page_list.details(DOG_TAX)
    for name in ("dog-tax", details.record.url, f"{details.record.url}/", f"{details.record.url}#prices"):
        assert why(services, name).page == DOG_TAX


def test_a_page_that_no_source_has_is_unknown(services: Services) -> None:
    for name in ("https://town.example/nowhere", PageRef(source="town", id="nowhere", language="en")):
        found = why(services, name)
        assert (found.cause, found.page, codes(found)) == ("unknown", None, ["send_page"])


def test_a_deleted_page_says_so(services: Services) -> None:
    services.store.accept([Delete(source="town", id="dog-tax")])
    assert why(services, DOG_TAX).cause == "deleted"


def test_a_page_that_was_taken_out_says_so(services: Services) -> None:
    services.store.exclude("town", "dog-tax")
    found = why(services, DOG_TAX)
    assert (found.cause, codes(found)) == ("taken_out", ["bring_back"])


def test_a_page_outside_the_time_of_its_publication_says_when_it_is_shown(services: Services) -> None:
    now = datetime.now(UTC)
    save(services, page_of("later", "Later", "Dog tax later.", publish_from=now + timedelta(days=9)))
    save(services, page_of("gone", "Gone", "Dog tax gone.", publish_until=now - timedelta(days=9)))
    assert (why(services, "later").cause, why(services, "gone").cause) == (
        "not_published_yet",
        "no_longer_published",
    )


def test_a_page_of_a_source_that_is_not_searched_says_so(site_settings: Settings) -> None:
    sites = [SiteSettings(key="other", sources=["council"])]
    with Services(site_settings.model_copy(update={"sites": sites})) as services:
        inspector = services.feature(ExplainServices).inspector
        trace = inspector.trace(TracedQuestion(question=QUESTION, site="other"))
        found = inspector.why_not(trace, DOG_TAX)
    assert (found.cause, found.remedies[0].values) == ("other_source", {"source": "town"})


def test_a_page_that_is_not_indexed_yet_and_one_that_cannot_be_say_so(services: Services) -> None:
    services.store.accept([Save(page=page_of("new", "New", "Dog tax."))])
    assert why(services, "new").cause == "not_indexed"


def test_a_page_that_waits_with_a_newer_version_is_explained_by_the_older_one(services: Services) -> None:
    services.store.accept([Save(page=page_of("pool", "Pool", "The dog tax is 96 euros for the first dog."))])
    found = why(services, "pool")
    assert found.is_older_version
    assert codes(found)[0] == "wait_for_newest"


def test_a_page_that_is_too_far_says_how_far_and_which_words_it_lacks(services: Services) -> None:
    save(services, page_of("choir", "Choir", "Gesang, Montag, Schule, zwanzig Uhr."))
    found = why(services, "choir")
    assert found.weighed is not None
    assert found.cause == "too_far"
    assert (found.weighed.is_qualified, found.weighed.place) == (False, None)
    assert set(found.weighed.words_missing) == {"tax", "first", "dog"}
    assert found.weighed.words_not_in_headings == found.weighed.words_missing
    values = {remedy.code: remedy.values for remedy in found.remedies}
    assert values["add_words"]["words"]
    assert values["come_nearer"]["similarity"] < values["come_nearer"]["threshold"]


def test_a_page_that_was_returned_is_weighed_as_the_search_found_it(services: Services) -> None:
    trace = traced(services)
    before = services.feature(ExplainServices).inspector.why_not(trace, DOG_TAX).weighed
    save(services, page_of("dog-tax", "Bees", "Whoever keeps bees tells the town."))
    assert before is not None and before.was_candidate
    assert services.feature(ExplainServices).inspector.why_not(trace, DOG_TAX).weighed == before


def test_a_page_that_others_beat_says_which_and_by_what(services: Services) -> None:
    for number in range(40):
        text = f"Dog tax, first dog, much tax: the dog tax for the first dog is {number} euros."
        save(services, page_of(f"tax-{number}", f"Dog tax for the first dog {number}", text))
    save(services, page_of("notes", "Notes", "Minutes of a meeting about the first dog. Nothing else. " * 9))
    found = why(services, "notes")
    assert found.cause in ("outranked", "not_near_enough")
    assert found.weighed is not None
    assert found.weighed.rivals
    best = found.weighed.rivals[0]
    assert best.score > found.weighed.score
    assert best.strongest
    assert best.score - found.weighed.score == pytest.approx(sum(best.ahead.values()))
    assert "add_words" in codes(found)


def test_the_place_that_a_page_would_have_had_is_the_one_it_gets_among_the_candidates(
    services: Services,
) -> None:
    trace = traced(services)
    [search] = trace.searches
    known = search.pages[0]
    hidden = replace(search, pages=tuple(page for page in search.pages if page is not known))
    found = services.feature(ExplainServices).inspector.why_not(
        replace(trace, searches=(hidden,), parts=()), known.candidate.page.ref
    )
    assert found.weighed is not None
    assert not found.weighed.was_candidate
    assert found.weighed.place == known.place
    assert found.weighed.score == pytest.approx(known.score)


def test_a_word_search_says_which_words_the_page_lacks(services: Services) -> None:
    found = why(services, "pool", "dog tax")
    assert found.cause == "words_missing"
    assert found.weighed is not None
    assert found.weighed.words_missing == ("dog", "tax")


def test_a_greeting_is_not_searched(services: Services) -> None:
    assert why(services, DOG_TAX, "Hello!").cause == "not_searched"


def test_an_editor_sees_neither_pages_nor_sites_of_other_sources(services: Services) -> None:
    inspector, council = services.feature(ExplainServices).inspector, frozenset({"council"})
    trace = traced(services)
    assert inspector.why_not(trace, DOG_TAX, council).cause == "unknown"
    assert inspector.why_not(trace, "dog-tax", council).cause == "unknown"


def test_every_cause_and_remedy_has_a_sentence_in_both_languages(services: Services) -> None:
    for language in ("en", "de"):
        assert len({cause_sentence(cause, language) for cause in get_args(Cause)}) == len(get_args(Cause))
        assert all(_texts(language)["remedies"][code] for code in get_args(RemedyCode))
    found = why(services, "pool", "How much is the dog tax for puppies and kittens?")
    for language in ("en", "de"):
        assert all("{" not in remedy_sentence(remedy, language) for remedy in found.remedies)


def test_what_would_have_to_change_is_written_as_people_of_the_language_write_it() -> None:
    values = {"field": "content", "similarity": "0.18", "threshold": "0.25"}
    remedy = Remedy(code="come_nearer", values=values)
    assert "(Text: Nähe 0,18, nötig sind 0,25)" in remedy_sentence(remedy, "de")
    assert "(text: similarity 0.18 < 0.25)" in remedy_sentence(remedy, "en")
    clearly = Remedy(code="answer_clearly", values={"score": "0.50", "threshold": "1.20"})
    assert "0,50 Punkte, eine Antwort braucht 1,20" in remedy_sentence(clearly, "de")


@pytest.mark.parametrize("words", ["fee", "fee, puppies"])
def test_one_word_that_no_heading_has_is_told_as_grammatically_as_several(words: str) -> None:
    remedy = Remedy(code="add_heading", values={"words": words})
    assert remedy_sentence(remedy, "de").endswith(f"; nur im Text steht: {words}.")
    assert remedy_sentence(remedy, "en").endswith(f"; only in the text: {words}.")
