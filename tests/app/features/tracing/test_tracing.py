"""Traces: the spans of questions and of indexing, what is in them, and when there are any."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from app.chat.service import VisitorQuestion
from app.features.tracing.start import END_SECONDS, MISSING, check
from app.features.tracing.tracer import make_tracer
from app.services import Services
from app.settings.chat import ChatSettings
from app.settings.settings import Settings, load_settings
from ingest.spans import span, spanned, trace_by
from tests.app.site import DOG_TAX, POOL, raw_page
from tests.fakes.embeddings_server import FakeEmbeddings
from tests.fakes.llm import FakeLlm, Reply, rewriting
from tests.fakes.loopback import LoopbackServer, QuietHandler
from workers import process, tasks

QUESTION = "How much is the dog tax for the first dog?"
FOLLOW_UP = "and for the second?"
ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"


@pytest.fixture
def exporter() -> Iterator[InMemorySpanExporter]:
    """Has the spans of this process."""
    found, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(found))
    trace_by(make_tracer(provider))
    yield found
    trace_by(None)
    provider.shutdown()


@pytest.fixture
def services(indexed_site: Path, site_settings: Settings, llm: FakeLlm, tmp_path: Path) -> Iterator[Services]:
    data = shutil.copytree(indexed_site, tmp_path / "data")
    chat = ChatSettings(base_url=llm.base_url, model="fake")
    with Services(site_settings.model_copy(update={"data": data, "chat": chat})) as services:
        yield services


def ask(services: Services, question: str, conversation: str | None = None) -> str:
    """Ask as a visitor. Returns the conversation."""
    asked = VisitorQuestion(question=question, conversation=conversation, sources=frozenset({"town"}))
    exchange = services.chat.service.begin(services.chat.sites.all()[0], asked)
    assert list(exchange.events())
    return exchange.pending.conversation


def tree(exporter: InMemorySpanExporter) -> dict[str, set[str]]:
    """The names of the spans below each name; "" has the outermost. All that is there is forgotten."""
    spans = exporter.get_finished_spans()
    exporter.clear()
    names = {each.context.span_id: each.name for each in spans if each.context}
    found: dict[str, set[str]] = {}
    for each in spans:
        parent = names[each.parent.span_id] if each.parent else ""
        found.setdefault(parent, set()).add(each.name)
    return found


def written(each: ReadableSpan) -> str:
    """All that a span says."""
    return str(each.to_json())


def test_a_question_is_a_trace_with_its_steps_and_what_they_ask_of_the_model(
    services: Services, exporter: InMemorySpanExporter, llm: FakeLlm
) -> None:
    llm.script(Reply(deltas=("96 euros ", "a year [1].")))
    conversation = ask(services, QUESTION)
    first = tree(exporter)
    assert first[""] == {"question"}
    assert {"SearchPages", "PlanContext", "Write"} <= first["question"]
    assert first["Write"] == {"language model"}
    llm.script(rewriting("How much is the dog tax for the second dog?"), Reply(deltas=("More [1].",)))
    ask(services, FOLLOW_UP, conversation)
    follow_up = tree(exporter)
    assert follow_up[""] == {"question"}
    assert follow_up["BeginRephrasing"] == {"language model"}, "of another thread"
    assert follow_up["Write"] == {"language model"}


def test_no_span_says_what_a_visitor_wrote_or_was_answered(
    services: Services, exporter: InMemorySpanExporter, llm: FakeLlm
) -> None:
    llm.script(Reply(deltas=("96 euros ", "a year [1].")))
    conversation = ask(services, QUESTION)
    llm.script(Reply(status=400, raw=b'{"error": {"message": "no dog tax here"}}'))
    ask(services, FOLLOW_UP, conversation)
    said = " ".join(map(written, exporter.get_finished_spans())).casefold()
    assert "searchpages" in said
    for text in ("dog", "tax", "second", "euros", conversation):
        assert text not in said


def test_indexing_is_a_trace_with_the_steps_of_each_page_and_the_embedders_calls(
    exporter: InMemorySpanExporter, tmp_path: Path
) -> None:
    with FakeEmbeddings() as server:
        options = {"base_url": server.base_url, "model": "fake"}
        cosines = dict.fromkeys(("base", "name", "title", "description", "keywords", "content"), 0.5)
        given = {"embedder": "endpoint", "embedders": {"endpoint": options}, "thresholds": {"fake": cosines}}
        with Services(load_settings(data=tmp_path, **given)) as services:
            services.store.accept([raw_page(*page) for page in (DOG_TAX, POOL)])
            services.indexing.indexer.sync_pages()
    spans = exporter.get_finished_spans()
    pages = {str((each.attributes or {})["auskunft.page"]) for each in spans if each.name == "page"}
    assert pages == {"dog-tax", "pool"}
    found = tree(exporter)
    assert found["indexing"] == {"page", "embed", "write"}
    assert found["page"] == {"convert", "chunk"}
    assert "POST embeddings" in found["embed"]


def test_of_an_error_a_span_has_the_kind_alone(exporter: InMemorySpanExporter) -> None:
    def failing() -> Iterator[int]:
        yield 1
        raise ValueError("what a visitor wrote")

    with pytest.raises(ValueError, match="visitor"), span("outer"):
        list(spanned("inner", (each for each in failing())))
    spans = exporter.get_finished_spans()
    assert [each.name for each in spans] == ["inner", "outer"]
    for each in spans:
        assert dict(each.attributes or {}) == {"error.type": "ValueError"}
        assert not each.status.is_ok
        assert "visitor" not in written(each)


def test_a_span_of_items_ends_where_they_are_given_up_and_has_nothing_of_what_is_done_between(
    exporter: InMemorySpanExporter,
) -> None:
    items = spanned("items", (number for number in range(3)))
    next(items)
    with span("between"):
        pass
    items.close()
    assert tree(exporter) == {"": {"items", "between"}}


@pytest.fixture
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of OpenTelemetry's, whatever the machine has."""
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)


def started_anew(data: Path, variables: dict[str, str]) -> str:
    """What a new process says that starts with these variables; last, what it imported to trace."""
    program = (
        "import sys; from app.services import Services; from app.settings.settings import load_settings\n"
        "with Services(load_settings(embedder='hashing')) as services: services.start()\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry.sdk') or '.tracer' in name])"
    )
    settings = {"AUSKUNFT_DATA": str(data), "PATH": os.environ["PATH"], **variables}
    told = subprocess.run([sys.executable, "-c", program], env=settings, capture_output=True, check=True)
    return (told.stderr + told.stdout).decode()


@pytest.mark.usefixtures("no_variables")
def test_nothing_is_imported_or_reported_where_no_variable_names_a_collector(
    services: Services, indexed_site: Path
) -> None:
    services.start()
    assert check(services) == []
    with span("nothing") as opened:
        assert opened is None
    told = started_anew(indexed_site, {})
    assert told.splitlines()[-1] == "[]"


@pytest.mark.usefixtures("no_variables")
@pytest.mark.parametrize(
    ("variables", "line"),
    [
        ({ENDPOINT: "http://key@collector.example:4318/x?key=y"}, "sent to collector.example:4318"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://traces.example"}, "sent to traces.example"),
        ({ENDPOINT: "http://collector.example", "OTEL_SDK_DISABLED": "true"}, None),
        ({ENDPOINT: "http://collector.example", "OTEL_TRACES_EXPORTER": "none"}, None),
        ({ENDPOINT: " "}, None),
    ],
)
def test_the_status_says_where_traces_are_sent(
    services: Services, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], line: str | None
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert [(each.ok, each.detail) for each in check(services)] == ([(True, line)] if line else [])


@pytest.mark.usefixtures("no_variables")
def test_without_the_packages_the_status_names_the_extra_and_nothing_is_traced(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:1")
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http", None)
    services.start()
    assert [(each.ok, each.detail) for each in check(services)] == [(False, MISSING)]
    with span("nothing") as opened:
        assert opened is None


@pytest.mark.usefixtures("no_variables")
def test_what_opentelemetry_does_not_take_ends_no_server(
    services: Services, monkeypatch: pytest.MonkeyPatch, llm: FakeLlm
) -> None:
    for endpoint in ("http://[broken", "collector:4318", "http://collector:x"):
        monkeypatch.setenv(ENDPOINT, endpoint)
        [line] = check(services)
        assert (line.ok, "is not an address" in line.detail) == (False, True)
    services.start()
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "-5")
    services.start()
    llm.script(Reply(deltas=("96 euros ", "a year [1].")))
    ask(services, QUESTION)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "x"),
        ("OTEL_PYTHON_EXPORTER_OTLP_HTTP_CREDENTIAL_PROVIDER", "nobody"),
    ],
)
def test_a_variable_that_opentelemetry_refuses_turns_traces_off(
    indexed_site: Path, name: str, value: str
) -> None:
    told = started_anew(indexed_site, {ENDPOINT: "http://127.0.0.1:1", name: value})
    assert "traces_off" in told
    assert value in told


def test_headers_that_are_malformed_are_reported_without_the_key(indexed_site: Path) -> None:
    headers = {"OTEL_EXPORTER_OTLP_HEADERS": "Authorization: Bearer s3cr3t"}
    told = started_anew(indexed_site, {ENDPOINT: "http://127.0.0.1:1", **headers})
    assert "Header format invalid" in told
    assert "s3cr3t" not in told


class Collector(LoopbackServer):
    """Takes what OTLP sends over HTTP."""

    def __init__(self) -> None:
        super().__init__(_Receiver)
        self.received: list[tuple[str, ExportTraceServiceRequest]] = []

    @property
    def resources(self) -> list[ResourceSpans]:
        """The spans by the process that sent them."""
        return [each for _, request in self.received for each in request.resource_spans]

    @property
    def names(self) -> set[str]:
        """The names of all spans."""
        return {made.name for each in self.resources for scope in each.scope_spans for made in scope.spans}


class _Receiver(QuietHandler):
    def do_POST(self) -> None:  # noqa: N802 - http.server's name
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.fake.received.append((self.path, ExportTraceServiceRequest.FromString(body)))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()


@pytest.mark.usefixtures("no_variables")
def test_a_collector_gets_the_traces_once_the_process_ends(
    services: Services, monkeypatch: pytest.MonkeyPatch, llm: FakeLlm
) -> None:
    with Collector() as collector:
        monkeypatch.setenv(ENDPOINT, collector.address)
        services.start()
        llm.script(Reply(deltas=("96 euros ", "a year [1].")))
        ask(services, QUESTION)
        services.close()
    [path] = {path for path, _ in collector.received}
    assert path == "/v1/traces"
    assert {"question", "SearchPages", "language model"} <= collector.names
    told = {each.key: each.value.string_value for each in collector.resources[0].resource.attributes}
    assert told["service.name"] == "auskunft"
    with span("after") as opened:
        assert opened is None


@pytest.mark.usefixtures("no_variables")
def test_a_workers_task_is_traced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AUSKUNFT_DATA", str(tmp_path))
    monkeypatch.setenv("AUSKUNFT_EMBEDDER", "hashing")
    monkeypatch.setenv("AUSKUNFT_BROKER_URL", "redis://127.0.0.1:1/0")
    process.services.cache_clear()
    with Collector() as collector:
        monkeypatch.setenv(ENDPOINT, collector.address)
        with process.services() as services:
            services.store.accept([raw_page(*POOL)])
            tasks.sync()
    process.services.cache_clear()
    assert {"indexing", "page", "convert"} <= collector.names


@pytest.mark.usefixtures("no_variables")
def test_a_collector_that_is_away_delays_neither_answers_nor_the_end(
    services: Services, monkeypatch: pytest.MonkeyPatch, llm: FakeLlm
) -> None:
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:1")
    services.start()
    llm.script(Reply(deltas=("96 euros ", "a year [1].")))
    begun = time.monotonic()
    ask(services, QUESTION)
    services.close()
    assert time.monotonic() - begun < END_SECONDS + 3
