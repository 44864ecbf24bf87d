"""Questions on law, from the words to the pages, on the real index."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from app.chat.documents import AnswerDocument, source_documents
from app.chat.events import DeltaEvent, DoneEvent
from app.chat.text.catalogue import describe_absent, verbatim_label
from app.chat.types import CitedPage, Turn
from app.law.absent import absent_acts
from app.law.catalogue import Catalogue
from app.law.field import LawField
from app.law.scope import LawScopes, Scope
from app.law.versions import ActVersion
from app.pages.acts import ActPages
from app.presets import LinksPreset
from app.presets.collection import Presets
from app.search.retrieval import ANY_TIME, Retrieval, TimeFilter
from app.search.retriever import Retriever
from app.search.site_retriever import SiteRetriever
from app.services import Services
from app.settings.settings import load_settings
from ingest.law.act_names import ActNames
from ingest.types import PageRef, RawField, RawPage, Save
from tests.app.law.ferries import FERRIES, HARBOURS, SOURCE, library

TODAY = date(2026, 11, 21)
FEE = "How much does a crossing cost for each passenger?"


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    with Services(load_settings(data=tmp_path_factory.mktemp("law"), embedder="hashing")) as services:
        services.store.accept([Save(page=page) for page in library()])
        while services.store.pending():
            services.indexing.indexer.sync_pages()
        yield services


def ask(
    services: Services,
    question: str,
    *,
    time: TimeFilter = ANY_TIME,
    keywords: Sequence[str] = (),
    language: str | None = None,
    linked: int = 0,
    preset_name: str = "default",
    k: int = 0,
) -> Retrieval:
    """Retrieve; ``linked`` pages follow each hit. ``k``: pages that are near, else as the preset says."""
    preset = Presets().load(preset_name)
    links = None
    if linked:
        links = LinksPreset(hits=preset.question.limit, pages=linked, bytes=8_000, share=0.25)
    half = preset.question.model_copy(update={"links": links} | ({"k": {"content": k}} if k else {}))
    law = LawScopes(Catalogue(ActPages(services.engine)).versions, today=lambda: TODAY)
    retriever = Retriever(
        index=services.indexing.index,
        visibility=services.store,
        embedder_of=services.indexing.embedders.of,
        preset=preset.model_copy(update={"question": half}),
        off_topic=services.indexing.off_topic,
        reranker=services.reranker,
        owner=services.store.id,
    )
    field = LawField(law, links, retriever.pages)
    return SiteRetriever(retriever, field=field).retrieve(
        question, sources=frozenset({SOURCE}), time=time, keywords=keywords, language=language
    )


def ids(retrieval: Retrieval) -> list[str]:
    return [f"{hit.page.ref.id} {hit.page.ref.language}" for hit in retrieval.hits]


def test_the_newest_text_of_an_act_answers(services: Services) -> None:
    found = ask(services, FEE)
    assert ids(found)[0] == "32020R0001@2024-06-01/anx_I en"
    assert "32020R0001@2020-01-01/anx_I en" not in ids(found)
    assert found.hits[0].ended is None


def test_the_recitals_of_the_text_before_are_still_found(services: Services) -> None:
    found = ask(services, "Why should crossing fees be low for islanders?")
    assert ids(found)[0] == "32020R0001@2020-01-01/rct_1 en"
    assert found.hits[0].ended is None


def test_a_question_about_an_earlier_day_gets_the_text_of_that_day_and_is_told_that_it_ended(
    services: Services,
) -> None:
    found = ask(services, FEE, time=TimeFilter(at=date(2023, 1, 1)))
    assert ids(found)[0] == "32020R0001@2020-01-01/anx_I en"
    assert found.hits[0].ended == date(2024, 6, 1)
    assert not [name for name in ids(found) if "2024-06-01" in name]


def test_nothing_answers_about_a_day_before_every_act(services: Services) -> None:
    assert ids(ask(services, FEE, time=TimeFilter(at=date(1999, 1, 1)))) == []


def test_only_acts_published_in_the_time_asked_for_answer(services: Services) -> None:
    asked = "Where do animals and dogs wait or travel?"
    before, since = TimeFilter(published_before=date(2021, 1, 1)), TimeFilter(published_from=date(2021, 1, 1))
    for time, acts in ((ANY_TIME, {FERRIES, HARBOURS}), (before, {FERRIES}), (since, {HARBOURS})):
        found = ask(services, asked, time=time)
        assert {name.partition("@")[0] for name in ids(found)} == acts
        assert found.time == time


def test_keywords_go_into_the_keyword_arm(services: Services) -> None:
    asked = "What is there for pets?"
    assert not any(hit.coverage for hit in ask(services, asked, preset_name="eurlex").hits)
    found = ask(services, asked, keywords=("animals",), preset_name="eurlex")
    assert ids(found)[0] == "32021L0002@2021-05-05/art_3 en"
    assert found.hits[0].coverage > 0


def test_keywords_are_not_asked_of_a_page_that_must_hold_all_words(services: Services) -> None:
    found = ask(services, "crossing euros", keywords=("unheard of",))
    assert (found.mode, ids(found)) == ("keyword", ["32020R0001@2024-06-01/anx_I en"])


def test_a_unit_is_one_hit_in_the_questions_language(services: Services) -> None:
    found = ids(ask(services, "Combien coûte la traversée pour chaque passager ?", language="fr"))
    assert "32020R0001@2020-01-01/anx_I fr" in found
    assert not [name for name in found if name.endswith("anx_I en")]


def test_a_short_question_keeps_to_the_newest_texts(services: Services) -> None:
    found = ask(services, "crossing euros")
    assert ids(found) == ["32020R0001@2024-06-01/anx_I en"]


def test_what_a_hit_refers_to_is_read_after_it_in_the_text_in_force(services: Services) -> None:
    found = ask(services, "Where do dogs travel on a ferry?", linked=3)
    [hit] = [hit for hit in found.hits if hit.page.ref.id.endswith("2024-06-01/art_2")]
    assert [linked.page.ref.id for linked in hit.linked if linked.page.kind == "article"] == [
        "32021L0002@2021-05-05/art_3"
    ]
    readings = [reading.page.ref for reading in found.all_hits]
    assert len(readings) == len(set(readings))


def test_an_article_brings_the_recital_that_explains_it(services: Services) -> None:
    found = ask(services, "What is the crossing fee of ferries for islanders?", linked=3)
    [article] = [hit for hit in found.hits if hit.page.ref.id == "32020R0001@2024-06-01/art_1"]
    assert [linked.page.ref.id for linked in article.linked] == [
        "32020R0001@2024-06-01/anx_I",
        "12012E100@2012-10-26/art_100",
        "32020R0001@2020-01-01/rct_1",
    ]


def test_the_definitions_of_the_questions_terms_are_read_with_the_first_hit_of_the_act(
    services: Services,
) -> None:
    found = ask(services, "Where do animals wait for their ship in harbours?", linked=3)
    [hit] = [hit for hit in found.hits if hit.page.ref.id == "32021L0002@2021-05-05/art_3"]
    [definitions] = [linked for linked in hit.linked if linked.page.ref.id.endswith("/art_1")]
    assert [passage.text for passage in definitions.passages] == ["- (2) ‘animal’ means a beast;"]


def test_units_that_no_search_returned_have_the_cosine_that_it_would_have_given(services: Services) -> None:
    asked = "Where do dogs travel on a ferry, by Article 2 of the Ferries Act?"
    found = ask(services, asked, linked=3, preset_name="rtr")
    cosines = {each.page.ref: each.similarity["content"] for each in found.all_hits}
    few = ask(services, asked, linked=3, preset_name="rtr", k=1)
    assert 1 <= len(few.hits) <= 2
    linked = [each for hit in few.hits for each in hit.linked]
    assert {each.link for each in linked} >= {"reference", "recital"}
    for each in (*few.hits, *linked):
        assert each.similarity == pytest.approx({"content": cosines[each.page.ref]}, abs=1e-6)


def test_nothing_follows_hits_where_the_preset_does_not_ask_for_it(services: Services) -> None:
    assert not any(hit.linked for hit in ask(services, "Where do dogs travel on a ferry?").hits)


def test_a_page_of_law_is_called_by_its_act_and_its_heading(services: Services) -> None:
    assert ask(services, FEE).hits[0].page.title == "Ferries Act, Annex I: Table of fees"


@pytest.mark.parametrize(
    "question", ["Article 1 Ferries Act", "32020R0001 art 1", "art. 1 of Regulation (EU) 2020/1"]
)
def test_a_question_that_only_names_a_unit_gets_that_unit_alone(services: Services, question: str) -> None:
    found = ask(services, question)
    assert (found.mode, ids(found)) == ("lookup", ["32020R0001@2024-06-01/art_1 en"])
    assert found.hits[0].passages[0].text.startswith("The fee for a crossing")


@pytest.mark.parametrize(
    "question", ["What does Article 1 of the Ferries Act say?", "Was steht in Artikel 1 des Ferries Act?"]
)
def test_a_text_that_is_asked_for_is_looked_up_in_the_language_that_is_there(
    services: Services, question: str
) -> None:
    found = ask(services, question)
    assert (found.mode, ids(found)) == ("lookup", ["32020R0001@2024-06-01/art_1 en"])


def test_an_article_that_is_asked_for_begins_with_its_first_paragraph(services: Services) -> None:
    said = answer(services, "What does Article 4 of Directive (EU) 2021/2 say?")
    places = [
        said.index(words) for words in ("1.\u00a0The harbour master", "2.\u00a0A ship", "3.\u00a0Ships")
    ]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("question", "said", "unsaid"),
    [
        ("Article 4(3)(b) of Directive (EU) 2021/2", ["Ships", "(b) free"], ["A ship", "cargo"]),
        ("Was steht in Art. 4 Abs. 2 der Richtlinie (EU) 2021/2?", ["A ship"], ["The harbour", "Ships"]),
        ("Article 4(9) of Directive (EU) 2021/2", ["1.\u00a0The harbour master"], []),
    ],
)
def test_a_part_of_an_article_that_is_asked_for_is_the_answer(
    services: Services, question: str, said: list[str], unsaid: list[str]
) -> None:
    text = answer(services, question)
    assert [words for words in said if words not in text] == []
    assert [words for words in unsaid if words in text] == []


def test_a_unit_without_an_act_is_looked_up_where_one_act_alone_has_it(services: Services) -> None:
    for question in ("What does Article 4 say?", "Artikel 4"):
        found = ask(services, question)
        assert (found.mode, ids(found)) == ("lookup", ["32021L0002@2021-05-05/art_4 en"])


@pytest.mark.parametrize(
    ("question", "readings"),
    [
        (
            "What does Article 1 say?",
            ["What does Article 1 say – Ferries Act?", "What does Article 1 say – Directive (EU) 2021/2?"],
        ),
        ("Artikel 1", ["Artikel 1 – Ferries Act", "Artikel 1 – Directive (EU) 2021/2"]),
    ],
)
def test_a_unit_of_several_acts_is_offered_of_each_instead_of_guessed(
    services: Services, question: str, readings: list[str]
) -> None:
    done = answered(services, question)
    document = AnswerDocument.of(question, done, source_documents(question, done)).to_json()
    assert (document["certainty"], document["other_readings"]) == ("near", readings)
    assert document["citations"] == [1, 2]
    assert "- Ferries Act, Article 1: Crossing fee [1]\n" in done.answer
    for reading, act in zip(readings, (FERRIES, HARBOURS), strict=True):
        [hit] = ask(services, reading).hits
        assert hit.page.metadata["celex"] == act


def test_a_unit_without_an_act_is_of_the_act_that_was_just_read(services: Services) -> None:
    first = answered(services, "Article 3 of Directive (EU) 2021/2")
    cited = tuple(CitedPage(id=source.page.ref.id, url=source.page.url) for source in first.sources[:1])
    history = [
        Turn(role="user", content="Article 3 of Directive (EU) 2021/2"),
        Turn(role="assistant", content=first.answer, cited=cited),
    ]
    done = answered(services, "And what does Article 1 say?", history)
    assert [source.page.ref.id for source in done.sources if source.used] == ["32021L0002@2021-05-05/art_1"]


@pytest.mark.parametrize("question", ["Annex I Ferries Act", "annex 1 of the Ferries Act"])
def test_an_annex_is_found_by_either_number(services: Services, question: str) -> None:
    assert ids(ask(services, question)) == ["32020R0001@2024-06-01/anx_I en"]


def test_a_named_unit_is_read_whole_with_what_it_refers_to(services: Services) -> None:
    [hit] = ask(services, "Article 2 Ferries Act", linked=3).hits
    assert [linked.page.ref.id for linked in hit.linked] == ["32021L0002@2021-05-05/art_3"]
    assert hit.passages[0].end == len(hit.page.fields["content"].encode())


def test_the_recitals_of_an_act_that_ended_say_so_too(services: Services) -> None:
    scope = LawScopes(Catalogue(ActPages(services.engine)).versions, today=lambda: TODAY).scope(
        frozenset({SOURCE})
    )
    recital = ask(services, "Why should crossing fees be low for islanders?").hits[0].page
    assert (recital.kind, scope.ended(recital)) == ("recital", None)
    key = (SOURCE, FERRIES, date(2024, 6, 1))
    over = replace(scope.validity_periods[key], until=date(2025, 1, 1))
    assert replace(scope, validity_periods={**scope.validity_periods, key: over}).ended(recital) == date(
        2025, 1, 1
    )


def test_a_name_that_is_given_a_language_is_found_in_it(services: Services) -> None:
    assert ids(ask(services, "Annex I Ferries Act", language="fr")) == ["32020R0001@2020-01-01/anx_I fr"]


def test_a_celex_number_alone_gets_the_act(services: Services) -> None:
    assert ids(ask(services, "32021L0002")) == ["32021L0002@2021-05-05/act en"]


def test_a_named_unit_is_the_one_of_the_day_asked_for(services: Services) -> None:
    found = ask(services, "Annex I Ferries Act", time=TimeFilter(at=date(2023, 1, 1)), language="fr")
    assert ids(found) == ["32020R0001@2020-01-01/anx_I fr"]
    assert found.hits[0].ended == date(2024, 6, 1)


def test_a_unit_that_there_is_not_is_searched_for_like_anything_else(services: Services) -> None:
    assert ask(services, "Article 99 Ferries Act").mode != "lookup"


def test_a_unit_named_among_other_things_comes_first(services: Services) -> None:
    found = ask(services, "Does Article 2 of the Ferries Act say how much a crossing costs?")
    assert found.mode == "semantic"
    assert ids(found)[0] == "32020R0001@2024-06-01/art_2 en"
    assert [hit.rank for hit in found.hits] == list(range(1, len(found.hits) + 1))
    assert len(set(ids(found))) == len(found.hits)


def test_an_article_of_a_treaty_is_read_in_the_version_that_is_there(services: Services) -> None:
    found = ask(services, "Who sets the crossing fee of the ferries?", linked=5)
    assert "12012E100@2012-10-26/art_100 en" in [
        f"{linked.page.ref.id} {linked.page.ref.language}" for hit in found.hits for linked in hit.linked
    ]


def test_a_page_is_known_by_its_id_only_in_the_law_of_the_time(services: Services) -> None:
    ids = ["32020R0001@2020-01-01/anx_I", "32020R0001@2024-06-01/anx_I"]
    pages = Retriever(
        index=services.indexing.index,
        visibility=services.store,
        embedder_of=services.indexing.embedders.of,
        preset=Presets().load("default"),
        off_topic=services.indexing.off_topic,
        reranker=services.reranker,
    )
    law = LawScopes(Catalogue(ActPages(services.engine)).versions, today=lambda: TODAY)
    field = LawField(law, None, pages.pages)
    retriever = SiteRetriever(pages, field=field)

    def known(time: TimeFilter) -> set[str]:
        found = retriever.named_pages(frozenset({SOURCE}), ids, time)
        return {page.ref.id for page in found if page.ref.language == "en"}

    assert known(ANY_TIME) == {ids[1]}
    assert known(TimeFilter(at=date(2023, 1, 1))) == {ids[0]}
    assert retriever.named_pages(frozenset({"other"}), ids) == []


def answer(services: Services, question: str, at: date | None = None) -> str:
    """The answer without a language model, as visitors read it."""
    return answered(services, question, at=at).answer


def answered(
    services: Services, question: str, history: Sequence[Turn] = (), at: date | None = None
) -> DoneEvent:
    """The end of the answer without a language model."""
    events = services.chat.default.answerer.stream(
        question, history=history, sources=frozenset({SOURCE}), time=TimeFilter(at=at)
    )
    deltas, done = [], None
    for event in events:
        if isinstance(event, DeltaEvent):
            deltas.append(event.text)
        elif isinstance(event, DoneEvent):
            done = event
    assert done is not None and done.answer == "".join(deltas)
    return done


@pytest.mark.parametrize(
    ("question", "act"),
    [
        ("What does the GDPR say about dogs on ferries?", "GDPR (32016R0679)"),
        ("Was sagt die DSGVO zu Hunden auf Fähren?", "DSGVO (32016R0679)"),
        ("Article 6 GDPR", "GDPR (32016R0679)"),
        ("Where do dogs travel by Regulation (EU) 2019/4321?", "32019R4321"),
    ],
)
def test_an_act_that_was_never_indexed_is_named_before_what_comes_nearest(
    services: Services, question: str, act: str
) -> None:
    said = answer(services, question)
    note, _, rest = said.partition("\n\n")
    assert note in (
        f"Not among the texts searched here: {act}.",
        f"Nicht unter den Texten, die hier durchsucht werden: {act}.",
    )
    assert not rest.startswith(verbatim_label("en")) and not rest.startswith(verbatim_label("de"))


@pytest.mark.parametrize(
    "question", [FEE, "Does the Ferries Act reach dogs?", "Article 2 Ferries Act", "Article 100 TFEU"]
)
def test_nothing_is_said_of_acts_where_the_question_names_none_that_is_absent(
    services: Services, question: str
) -> None:
    assert "(3" not in answer(services, question).partition("\n\n")[0]


def test_an_absent_act_beside_one_that_is_there_is_named_and_the_answer_is_one(services: Services) -> None:
    said = answer(services, "Where do dogs travel by the Ferries Act and the GDPR?")
    assert said.startswith("Not among the texts searched here: GDPR (32016R0679).\n\n" + verbatim_label("en"))


@pytest.mark.parametrize("question", [FEE, "Where do dogs travel by the Ferries Act?"])
def test_a_day_before_an_act_existed_is_told(services: Services, question: str) -> None:
    said = answer(services, question, date(2019, 12, 31))
    act = f"Ferries Act ({FERRIES})"
    assert f"On 2019-12-31 {act} did not apply yet: its first text here dates from 2020-01-01." in said


def test_of_a_day_before_every_act_nothing_is_said_but_that(services: Services) -> None:
    said = answer(services, FEE, date(1999, 1, 1))
    assert "On 1999-01-01 Ferries Act" in said and said == said.strip()
    assert "not answer" not in said


def test_an_act_that_had_ended_is_told(services: Services) -> None:
    texts = [
        ActVersion(
            source=SOURCE,
            celex=FERRIES,
            version=date(2020, 1, 1),
            language="en",
            document="ferries",
            name="Ferries Act",
            valid_until=date(2022, 1, 1),
        )
    ]
    names = ActNames({"Ferries Act": FERRIES})
    scope = Scope(versions=texts, at=date(2023, 1, 1), names=names)
    [act] = absent_acts("What does the Ferries Act say?", scope, "en")
    assert describe_absent([act], "de") == (
        f"Am 2023-01-01 galt Ferries Act ({FERRIES}) nicht mehr: Das Ende war am 2022-01-01."
    )


def test_a_website_says_nothing_of_law_that_it_does_not_have(tmp_path: Path) -> None:
    content = RawField(
        text="Our ferries keep to the GDPR: ask us what we know of you.", media_type="text/plain"
    )
    ref = PageRef(source="town", id="privacy", language="en")
    page = RawPage(ref=ref, document="privacy", url="https://town.example", fields={"content": content})
    with Services(load_settings(data=tmp_path, embedder="hashing")) as services:
        services.store.accept([Save(page=page)])
        while services.store.pending():
            services.indexing.indexer.sync_pages()
        found = services.chat.default.retriever.retrieve(
            "What does the GDPR say about ferries?", sources=frozenset({"town"})
        )
    assert found.hits and not found.absent
