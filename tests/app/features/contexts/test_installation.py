"""Contexts in an installation: its settings, its thread, its status and metrics."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from app.features.contexts.services import ContextServices
from app.indexing.stopping import never
from app.monitoring.metrics import Metrics
from app.monitoring.readiness import OTHER_SETTINGS, checks
from app.search.types import QuerySpec
from app.services import Services
from app.settings.settings import Settings
from ingest.converters.process import ConverterProcess
from ingest.types import Save
from tests.app.features.contexts.scripted import prompt_of, writes_contexts
from tests.fakes.databases import new_data
from tests.fakes.llm import FakeLlm, Reply, refusing_url
from tests.fakes.world import raw_page
from tests.faults.worker_group import wait_until

OpenServices = Callable[..., Services]
TEXT = "## Amount\n\n" + "The dog tax is due in spring. " * 30


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        fake.answer = writes_contexts
        yield fake


@pytest.fixture
def open_services(tmp_path: Path, llm: FakeLlm, converter: ConverterProcess) -> Iterator[OpenServices]:
    """Opens an installation whose chunks get contexts, with these settings."""
    data = new_data(tmp_path)
    with ExitStack() as opened:

        def open_one(**settings: object) -> Services:
            model = {"model": "fake", "base_url": llm.base_url}
            given = {"data": data, "embedder": "hashing", "preset": "contextual", "contexts": model}
            made = {**given, "retry_seconds": 0.1, **settings}
            services = opened.enter_context(Services(Settings.model_validate(made)))
            services.indexing.converter = converter
            return services

        yield open_one


def save(services: Services, *page_ids: str, source: str = "town") -> None:
    """Accept and index pages."""
    pages = [raw_page(each, {"title": f"Tax {each}", "content": TEXT}, source=source) for each in page_ids]
    services.store.accept([Save(page=page) for page in pages])
    while services.indexing.indexer.sync_pages():
        pass


def summary(services: Services) -> str:
    """The line of the status about contexts; empty without one."""
    return next((check.detail for check in checks(services) if check.name == "contexts"), "")


def test_the_thread_of_a_server_writes_contexts_and_indexes_their_pages_again(
    open_services: OpenServices,
) -> None:
    services = open_services()
    save(services, "dogs", "cats")
    chunks = services.feature(ContextServices).store.counts()[0].chunks
    assert summary(services).startswith(f"0 of {chunks} chunks written")
    services.background.worker.start()
    wait_until(lambda: not services.feature(ContextServices).store.counts()[0].due)
    assert summary(services) == f"{chunks} of {chunks} chunks written"


def test_a_step_that_finds_the_model_away_says_so_and_tries_again(open_services: OpenServices) -> None:
    away = open_services(contexts={"model": "fake", "base_url": refusing_url()})
    save(away, "dogs")
    assert not away.background.features.run("contexts", never)
    assert "model unavailable since" in summary(away)
    services = open_services()
    wait_until(lambda: services.background.features.run("contexts", never))
    assert "away" not in summary(services)


def test_the_chats_model_and_key_are_used_unless_others_are_named(
    open_services: OpenServices, llm: FakeLlm
) -> None:
    chat = {"model": "big", "base_url": llm.base_url, "api_key": "secret"}
    own = {"model": "small", "base_url": llm.base_url}
    for contexts, model, key in (
        ({}, "big", "Bearer secret"),
        ({"model": "small"}, "small", "Bearer secret"),
        (own, "small", "Bearer none"),
        ({**own, "api_key": "other"}, "small", "Bearer other"),
    ):
        services = open_services(chat=chat, contexts=contexts)
        save(services, f"p{len(llm.requests)}")
        assert services.background.features.run("contexts", never)
        assert (llm.requests[-1]["model"], llm.headers[-1]["authorization"]) == (model, key)


def test_only_sources_whose_preset_wants_them_get_contexts(open_services: OpenServices, llm: FakeLlm) -> None:
    services = open_services(preset="default", sources={"law": {"preset": "contextual"}})
    save(services, "dogs")
    save(services, "act", source="law")
    while services.background.features.run("contexts", never):
        pass
    assert {each.source for each in services.feature(ContextServices).store.counts()} == {"law"}
    assert all("Tax act" in prompt_of(request) for request in llm.requests)


def test_without_a_preset_that_wants_them_nothing_is_written_or_said(open_services: OpenServices) -> None:
    services = open_services(preset="default")
    save(services, "dogs")
    assert services.indexing.enrichers == ()
    assert not services.background.features.run("contexts", never)
    assert summary(services) == ""
    assert b"auskunft_context_chunks" not in Metrics(services).text()


def test_without_a_model_chunks_have_their_headings_and_get_contexts_once_there_is_one(
    open_services: OpenServices, llm: FakeLlm
) -> None:
    services = open_services(contexts={})
    save(services, "dogs")
    assert not services.background.features.run("contexts", never)
    assert "no language model writes them" in summary(services)
    later = open_services()
    assert later.background.features.run("contexts", never)
    assert later.feature(ContextServices).store.counts()[0].missing == 0


def test_a_preset_with_contexts_advises_a_rebuild(open_services: OpenServices) -> None:
    save(open_services(preset="default"), "dogs")
    [detail] = [check.detail for check in checks(open_services()) if check.name == "index"]
    assert OTHER_SETTINGS in detail


def test_another_glossary_makes_contexts_outdated(open_services: OpenServices, llm: FakeLlm) -> None:
    services = open_services()
    save(services, "dogs")
    services.background.features.run("contexts", never)
    model = {"model": "fake", "base_url": llm.base_url, "glossary": "OHS is the statute on dogs"}
    report = open_services(contexts=model).feature(ContextServices).report()
    assert report is not None
    assert (report.outdated, report.missing) == (1, 0)


@pytest.mark.parametrize("context_line", [True, False])
@pytest.mark.parametrize("handed_over", [True, False])
def test_a_preset_may_hand_contexts_over_to_the_answering_model_told_apart_from_the_text(
    open_services: OpenServices, llm: FakeLlm, tmp_path: Path, handed_over: bool, context_line: bool
) -> None:
    (tmp_path / "presets").mkdir()
    chunks = f"[question.chunks]\ncontexts = {str(handed_over).lower()}\n"
    index = f"[index]\ncontext_line = {str(context_line).lower()}\n"
    own = f'extends = "contextual"\n{index}[question]\ncorpus_tokens = 0\n{chunks}'
    (tmp_path / "presets" / "own.toml").write_text(own)
    chat = {"model": "big", "base_url": llm.base_url}
    services = open_services(preset="own", presets=tmp_path / "presets", chat=chat)
    save(services, "dogs")
    while services.background.features.run("contexts", never):
        services.indexing.indexer.sync_pages()
    llm.answer = lambda _request: Reply(deltas=("STATUS: answered\nIn spring [1].",))
    question, sources = "When is the dog tax due in spring?", frozenset({"town"})
    list(services.chat.pipelines.default().answerer.stream(question, sources=sources))
    prompt = llm.requests[-1]["messages"][-1]["content"]
    source = prompt.partition("</source>")[0]
    assert ("From the page Tax dogs, on" in source) is handed_over
    assert "The dog tax is due in spring." in source
    if handed_over:
        written, _, text = source.partition("\n\n")
        assert "Written by a language model to place the passages" in written
        assert "From the page" not in text


def test_nothing_new_is_asked_for_while_an_answer_is_written(
    open_services: OpenServices, llm: FakeLlm
) -> None:
    services = open_services()
    save(services, "dogs")
    release = services.chat.limit.acquire()
    asked: list[int] = []

    def stop() -> bool:
        asked.append(len(llm.requests))
        return len(asked) > 2

    services.background.features.run("contexts", stop)
    assert llm.requests == []
    release()
    services.background.features.run("contexts", never)
    assert llm.requests != []


def test_the_metrics_tell_what_is_written_and_what_it_took(open_services: OpenServices) -> None:
    services = open_services()
    save(services, "dogs")
    while services.background.features.run("contexts", never):
        services.indexing.indexer.sync_pages()
    chunks = services.feature(ContextServices).store.counts()[0].chunks
    lines = Metrics(services).text().decode().splitlines()
    assert f'auskunft_context_chunks{{source="town",state="written"}} {chunks:.1f}' in lines
    assert f'auskunft_context_tokens_total{{kind="cached",source="town"}} {800 * chunks:.1f}' in lines
    assert "auskunft_context_model_up 1.0" in lines


def test_what_was_written_of_a_chunk_is_found_by_words_and_changes_its_vector(
    open_services: OpenServices, llm: FakeLlm
) -> None:
    services = open_services()
    save(services, "dogs")
    words = QuerySpec(words=("zebras",), sources=frozenset({"town"}))
    vector = services.indexing.embedder.embed_query("Zebras in the savannah")
    near = QuerySpec(words=(), sources=words.sources, vector=vector)
    before = max(chunk.cosine or 0.0 for chunk in services.indexing.index.search_chunks(near, 1))
    assert services.indexing.index.search_chunks(words, 5) == []
    llm.answer = lambda _body: Reply(deltas=("It is about zebras in the savannah.",))
    while services.background.features.run("contexts", never):
        pass
    while services.indexing.indexer.sync_pages():
        pass
    found = services.indexing.index.search_chunks(words, 5)
    assert found
    assert all("zebras" in chunk.context for chunk in found)
    assert all("zebras" not in page.fields["content"] for page in [chunk.page for chunk in found])
    assert max(chunk.cosine or 0.0 for chunk in services.indexing.index.search_chunks(near, 1)) > before
    result = services.chat.default.retriever.retrieve("Which savannah has zebras?", sources=words.sources)
    assert [hit.page.ref.id for hit in result.hits] == ["dogs"]
    assert all("zebras" not in passage.text for hit in result.hits for passage in hit.passages)
