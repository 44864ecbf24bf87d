"""Lines of readiness about what comes in: each fault has one, with the command that helps."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from redis import Redis

from app.chat.model.cancellation import Cancellation
from app.chat.types import Message
from app.errors import EmbedderUnavailableError, HaltReason, ModelError, RerankerUnavailableError
from app.monitoring.check import Check
from app.monitoring.readiness import checks
from app.services import Services
from app.settings.settings import Settings
from ingest.types import Save
from tests.fakes import embeddings_server, rerank_server
from tests.fakes.embeddings_server import FakeEmbeddings
from tests.fakes.llm import FakeLlm, Reply, refusing_url
from tests.fakes.presets import RERANKING, write_reranking_preset
from tests.fakes.rerank_server import FakeReranker
from tests.fakes.world import raw_page

OpenServices = Callable[..., Services]
AT_ONCE = 1e-9
"""Minutes that any page has waited for."""


@pytest.fixture
def open_services(tmp_path: Path) -> Iterator[OpenServices]:
    """Opens installations with these settings."""
    with ExitStack() as opened:

        def open_one(**settings: object) -> Services:
            given = {"data": tmp_path, "embedder": "hashing", **settings}
            return opened.enter_context(Services(Settings.model_validate(given)))

        yield open_one


@pytest.fixture
def woken(open_services: OpenServices, redis: str) -> Iterator[Services]:
    """An installation whose workers a Redis wakes, which knows of none."""
    with Redis.from_url(redis) as client:
        client.flushall()
        yield open_services(broker_url=redis)
        client.config_set("maxmemory-policy", "noeviction")


def line(services: Services, name: str) -> Check:
    [part] = [part for part in checks(services) if part.name == name]
    return part


def ask(services: Services) -> str:
    """The model's answer, or why there is none."""
    model = services.chat.model
    assert model is not None
    try:
        return "".join(model.stream([Message(role="user", content="How much is the dog tax?")], 50))
    except ModelError as error:
        return str(error)


def test_a_language_model_is_asked_whether_it_is_there(open_services: OpenServices, llm: FakeLlm) -> None:
    services = open_services(chat={"base_url": llm.base_url, "model": "fake"})
    for _ in range(3):
        check = line(services, "language model")
        assert (check.ok, check.required) == (True, False)
        assert re.fullmatch(rf"fake at {llm.base_url}: asked \d s ago", check.detail)
    assert (llm.lists, llm.requests) == (1, [])


def test_a_model_whose_context_is_smaller_than_a_presets_budget_is_reported(
    open_services: OpenServices, llm: FakeLlm
) -> None:
    chat: dict[str, object] = {"base_url": llm.base_url, "model": "fake"}
    law = {"key": "law", "preset": "rtr"}
    for sites, context_tokens, details in (
        ([], 8_192, []),
        (
            [],
            2_500,
            ["preset 'default' reads 4,000 tokens of pages, but AUSKUNFT_CHAT__CONTEXT_TOKENS leaves 500"],
        ),
        ([law], 8_192, ["preset 'rtr' reads 22,000 tokens"]),
        ([law], 24_000, []),
    ):
        services = open_services(chat=chat | {"context_tokens": context_tokens}, sites=sites)
        found = [check for check in checks(services) if check.name == "model context"]
        assert [check.detail.startswith(start) for check, start in zip(found, details, strict=True)] == [
            True
        ] * len(found)
        assert not any(check.ok or check.required for check in found)


@pytest.mark.parametrize("listed", [None, ["another"]])
def test_a_model_that_is_not_listed_is_asked_for_one_token(
    open_services: OpenServices, llm: FakeLlm, listed: list[str] | None
) -> None:
    llm.models = listed
    services = open_services(chat={"base_url": llm.base_url, "model": "fake"})
    assert line(services, "language model").ok
    [request] = llm.requests
    assert (request["max_tokens"], request["messages"]) == (1, [{"role": "user", "content": "Hello"}])


def test_a_model_that_is_used_is_not_asked_besides(open_services: OpenServices, llm: FakeLlm) -> None:
    services = open_services(chat={"base_url": llm.base_url, "model": "fake"})
    assert ask(services) == "Hello world."
    assert re.search(r": answered \d s ago$", line(services, "language model").detail)
    assert (llm.lists, len(llm.requests)) == (0, 1)


def test_a_model_on_which_a_question_failed_is_not_ok_until_one_succeeds(
    open_services: OpenServices, llm: FakeLlm
) -> None:
    services = open_services(chat={"base_url": llm.base_url, "model": "fake"})
    llm.script(Reply(ending="cut"))
    reason = ask(services)
    check = line(services, "language model")
    assert not check.ok
    assert re.fullmatch(re.escape(reason) + r" \(\d s ago\)", check.detail)
    assert llm.lists == 0
    ask(services)
    assert line(services, "language model").ok


def test_a_question_that_its_visitor_gave_up_says_nothing_about_the_model(
    open_services: OpenServices, llm: FakeLlm
) -> None:
    services = open_services(chat={"base_url": llm.base_url, "model": "fake"})
    model, cancellation = services.chat.model, Cancellation()
    assert model is not None
    cancellation.request()
    with pytest.raises(ModelError, match="was cancelled"):
        model.complete([Message(role="user", content="Hello?")], 5, 1, cancellation)
    assert line(services, "language model").ok


@pytest.mark.parametrize("reply", [Reply(status=503), Reply(silent=True)])
def test_a_dead_model_is_told_in_a_short_time_and_its_answers_are_optional(
    open_services: OpenServices, llm: FakeLlm, reply: Reply
) -> None:
    llm.default = reply
    services = open_services(chat={"base_url": llm.base_url, "model": "fake"})
    assert services.indexing.index.live()
    assert services.chat.model
    started = time.monotonic()
    parts = {part.name: part for part in checks(services)}
    assert time.monotonic() - started < 25, "2.5 on an idle machine"
    assert "HTTP 503" in parts["language model"].detail or "in time" in parts["language model"].detail
    assert [name for name, part in parts.items() if not part.ok] == ["language model"]


def test_a_model_that_nothing_listens_for_is_not_ok(open_services: OpenServices) -> None:
    services = open_services(chat={"base_url": refusing_url(), "model": "fake"})
    assert (line(services, "language model").ok, line(services, "language model").required) == (False, False)
    assert "cannot be reached" in line(services, "language model").detail


def test_an_embedder_behind_a_server_is_asked_and_its_last_use_counts(open_services: OpenServices) -> None:
    with FakeEmbeddings() as server:
        server.models = ["m"]
        values = dict.fromkeys(("base", "name", "title", "description", "keywords", "content"), 0.1)
        endpoint = {"base_url": server.base_url, "model": "m"}
        services = open_services(
            embedder="endpoint", embedders={"endpoint": endpoint}, thresholds={"m": values}
        )
        services.indexing.embedder.embed_query("dog")
        assert re.fullmatch(r"endpoint: answered \d s ago", line(services, "embedder").detail)
        server.script(embeddings_server.Reply(status=400))
        with pytest.raises(EmbedderUnavailableError):
            services.indexing.embedder.embed_query("cat")
        assert not line(services, "embedder").ok
    assert server.lists == 0


@pytest.fixture
def presets(tmp_path: Path) -> Path:
    """A folder with the preset that reranks."""
    return write_reranking_preset(tmp_path / "presets")


def test_a_reranker_has_a_line_where_a_preset_in_use_asks_one(
    open_services: OpenServices, presets: Path
) -> None:
    used, other = {"key": "town", "preset": RERANKING}, {"key": "old", "preset": RERANKING, "suspended": True}
    for sites, lines in (([], []), ([used], ["lexical-blocks"]), ([other], [])):
        found = [
            check for check in checks(open_services(sites=sites, presets=presets)) if check.name == "reranker"
        ]
        assert [check.detail for check in found] == lines
        assert all(check.ok and not check.required for check in found)


def test_a_reranker_that_no_preset_asks_is_told(open_services: OpenServices) -> None:
    with FakeReranker() as server:
        services = open_services(reranker="endpoint", rerankers={"endpoint": {"base_url": server.base_url}})
        check = line(services, "reranker")
        assert (check.ok, check.detail) == (True, "endpoint: not used by any preset in use")
        assert (server.asked, server.requests) == (0, [])


def test_a_reranker_behind_a_server_is_asked_and_its_last_use_counts(
    open_services: OpenServices, presets: Path
) -> None:
    with FakeReranker() as server:
        server.models = ["m"]
        options = {"base_url": server.base_url, "model": "m"}
        services = open_services(
            presets=presets, preset=RERANKING, reranker="endpoint", rerankers={"endpoint": options}
        )
        for _ in range(3):
            assert re.fullmatch(r"endpoint: asked \d s ago", line(services, "reranker").detail)
        assert (server.asked, server.requests) == (1, [])
        server.script(rerank_server.Reply(status=503))
        with pytest.raises(RerankerUnavailableError):
            services.reranker.scores("dog", ["the dog", "the pool"])
        check = line(services, "reranker")
        assert (check.ok, check.required) == (False, False)
        assert re.search(r"HTTP 503 .*\(\d s ago\)$", check.detail)


@pytest.mark.parametrize(
    ("settings", "detail"),
    [
        (
            {"reranker": "nope"},
            "unknown reranker 'nope'; known: bge-reranker, endpoint, lexical-blocks",
        ),
        ({"reranker": "endpoint"}, "reranker 'endpoint' cannot be used: option 'base_url' is missing"),
    ],
)
def test_a_reranker_that_cannot_be_built_is_told_on_its_own_line(
    open_services: OpenServices, presets: Path, settings: dict[str, str], detail: str
) -> None:
    check = line(open_services(presets=presets, preset=RERANKING, **settings), "reranker")
    assert (check.ok, check.detail) == (False, detail)


def test_an_embedder_that_nothing_knows_is_told_on_its_own_line(
    open_services: OpenServices, tmp_path: Path
) -> None:
    save(open_services(), "a", priority=1)
    open_services().indexing.indexer.sync_pages()
    services = open_services(embedder="nope")
    assert line(services, "index").ok
    assert "unknown embedder 'nope'" in line(services, "embedder").detail
    assert not line(services, "embedder").ok


def test_a_part_that_breaks_is_a_line_beside_the_others(open_services: OpenServices) -> None:
    services = open_services()
    values = "'2026-11-22 00:00:00', NULL, 1, 0, '', '{x'"
    with services.engine.begin() as connection:
        connection.exec_driver_sql(f"INSERT INTO reconciliations VALUES (1, {values})")
    assert line(services, "page store").ok
    part = line(services, "reconciliation")
    assert (part.ok, part.required) == (False, False)
    assert part.detail.startswith("cannot be checked (JSONDecodeError: ")


def test_an_unreadable_time_of_announcement_is_a_backlog(open_services: OpenServices) -> None:
    services = open_services()
    columns = "source, id, language, republish, announced_at, arrivals, priority, attempts, next_attempt_at"
    row = "'town', 'p', 'en', 0, 'garbage', 1, 10, 0, '1970-01-01 00:00:00', '1970-01-01 00:00:00', ''"
    with services.engine.begin() as connection:
        connection.exec_driver_sql(
            f"INSERT INTO announcements ({columns}, claimed_until, reason) VALUES ({row})"
        )
    part = line(services, "backlog")
    assert (part.ok, "1 saved pages" in part.detail) == (False, True)


def save(services: Services, *ids: str, priority: int) -> None:
    services.store.accept([Save(page=raw_page(name, {"content": name})) for name in ids], priority=priority)


def test_a_worker_that_lives_is_seen_and_one_that_is_missing_is_called_for(woken: Services) -> None:
    assert (line(woken, "workers").ok, "`auskunft worker`" in line(woken, "workers").detail) == (False, True)
    woken.broker.note_worker("somebody@somewhere")
    assert (line(woken, "workers").ok, line(woken, "workers").detail) == (True, "1 running")


def test_a_schedule_that_is_not_kept_is_told(woken: Services, redis: str) -> None:
    woken.broker.note_sweep(60)
    assert line(woken, "schedule").ok
    with Redis.from_url(redis) as client:
        client.delete("auskunft:swept")  # as it expires
    assert (line(woken, "schedule").ok, "`auskunft beat`" in line(woken, "schedule").detail) == (False, True)


def test_a_broker_that_may_throw_messages_away_is_told(woken: Services, redis: str) -> None:
    assert line(woken, "broker").ok
    with Redis.from_url(redis) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
    assert not line(woken, "broker").ok
    assert "`maxmemory-policy noeviction`" in line(woken, "broker").detail


def test_a_broker_that_is_away_makes_nothing_fail_but_its_own_lines(open_services: OpenServices) -> None:
    services = open_services(broker_url="redis://:secret-password@127.0.0.1:1/0")
    parts = {part.name: part for part in checks(services)}
    assert [name for name, part in parts.items() if not part.ok] == ["broker", "workers", "schedule"]
    assert all(part.ok for part in parts.values() if part.required)
    assert "secret-password" not in " ".join(part.detail for part in parts.values())


def test_pages_that_somebody_waits_for_too_long_are_told(open_services: OpenServices) -> None:
    services = open_services(backlog_minutes=AT_ONCE)
    assert (line(services, "backlog").ok, line(services, "backlog").detail) == (True, "none")
    save(services, "a", "b", priority=1)
    late = line(services, "backlog")
    assert not late.ok
    assert late.detail.startswith("2 saved pages, the oldest for 0 min: start `auskunft serve`")
    services.indexing.indexer.sync_pages()
    assert line(services, "backlog").ok


def test_pages_that_wait_no_longer_than_they_may_are_fine(open_services: OpenServices) -> None:
    services = open_services(backlog_minutes=5)
    save(services, "a", priority=1)
    assert line(services, "backlog").ok


def test_an_import_that_somebody_works_on_is_not_late(open_services: OpenServices) -> None:
    services = open_services(backlog_minutes=AT_ONCE)
    save(services, "a", "b", priority=0)
    assert "2 imported pages" in line(services, "backlog").detail
    assert not line(services, "backlog").ok
    services.store.claim(1, services.workers.id)
    assert line(services, "backlog").ok


def test_late_pages_call_for_workers_where_there_is_a_broker(
    woken: Services, open_services: OpenServices
) -> None:
    services = open_services(broker_url=woken.settings.broker_url.get_secret_value(), backlog_minutes=AT_ONCE)
    save(services, "a", priority=1)
    assert line(services, "backlog").detail.endswith("start another `auskunft worker`")


def test_pages_that_the_page_store_kept_damaged_are_told_until_they_are_saved_again(
    open_services: OpenServices,
) -> None:
    services = open_services()
    save(services, "a", "b", priority=1)
    assert "damaged pages" not in {part.name for part in checks(services)}
    with services.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE bodies SET body = '' WHERE id = 'a'")
    services.indexing.indexer.sync_pages()
    check = line(services, "damaged pages")
    assert (check.ok, check.required) == (False, False)
    assert "of 1 pages" in check.detail
    assert "save, import or pull them again (`auskunft pages --failed` lists them)" in check.detail
    save(services, "a", priority=1)
    services.indexing.indexer.sync_pages()
    assert "damaged pages" not in {part.name for part in checks(services)}


def test_only_pulls_of_sources_that_the_settings_name_are_told_to_be_halted(
    open_services: OpenServices,
) -> None:
    services = open_services(sources={"town": {"kind": "website", "address": "https://town.example"}})
    for source in ("town", "village"):
        services.sources.pull_log.begin(source, "worker")
        services.sources.pull_log.finish(
            source, "worker", halted_for=[HaltReason(code="missing", count=9, pages=9)]
        )
    assert (line(services, "halted pulls").ok, line(services, "halted pulls").detail) == (
        False,
        "town: 9 of 9 pages are missing",
    )


def test_a_reader_that_cannot_read_is_told_once_it_was_asked(
    open_services: OpenServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.search.block_reader.MODEL", "__init__.py")
    services = open_services()
    assert [check for check in checks(services) if check.name == "reader"] == []
    services.indexing.block_comparison.reader.load()
    check = line(services, "reader")
    assert not check.ok
    assert not check.required
    assert check.detail == "the model's file has an unknown format"
