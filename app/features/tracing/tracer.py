"""Spans by OpenTelemetry's SDK, which reads its own variables: addresses, headers, sampling, batches."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from logging import LogRecord, getLogger
from typing import Final, ParamSpec, TypeVar

from opentelemetry import trace
from opentelemetry.context import Context, attach, detach, get_current
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, StatusCode

from ingest.spans import Attributes

P = ParamSpec("P")
T = TypeVar("T")

SERVICE: Final = "auskunft"


def make_provider() -> TracerProvider:
    """Return a provider that sends spans to the configured collector in the background.

    It is not OpenTelemetry's global provider, so that spans of other packages are not sent.
    """
    named = Resource({"service.name": SERVICE}).merge(OTELResourceDetector().detect())
    getLogger("opentelemetry.util.re").addFilter(_without_key)
    provider = TracerProvider(resource=Resource.create().merge(named), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def _without_key(record: LogRecord) -> bool:
    """Redact the malformed header that a warning about variables repeats."""
    record.args = ("***",)
    return True


class SdkTracer:
    """Records spans with OpenTelemetry (:class:`ingest.spans.Tracer`).

    Only the type of an error is recorded, because messages may repeat visitors' words.
    """

    def __init__(self, tracer: trace.Tracer) -> None:
        self._tracer = tracer

    @contextmanager
    def span(self, name: str, attributes: Attributes) -> Iterator[None]:
        opened = self._opened(name, attributes)
        try:
            with _inside(trace.set_span_in_context(opened)):
                yield
        except BaseException as error:
            _fail(opened, error)
            raise
        finally:
            opened.end()

    def spanned(
        self, name: str, items: Generator[T, None, None], attributes: Attributes
    ) -> Generator[T, None, None]:
        return _spanned(self._opened(name, attributes), items)

    def carried(self, function: Callable[P, T]) -> Callable[P, T]:
        context = get_current()

        def inside(*args: P.args, **values: P.kwargs) -> T:
            with _inside(context):
                return function(*args, **values)

        return inside

    def _opened(self, name: str, attributes: Attributes) -> Span:
        named = {f"{SERVICE}.{key}": value for key, value in attributes.items()}
        return self._tracer.start_span(name, attributes=named)


def make_tracer(provider: TracerProvider) -> SdkTracer:
    """Return a tracer that gives its spans to the provider."""
    return SdkTracer(provider.get_tracer(SERVICE))


def _spanned(opened: Span, items: Generator[T, None, None]) -> Generator[T, None, None]:
    context = trace.set_span_in_context(opened)
    try:
        while True:
            with _inside(context):  # for each item again, because the next may be made in another thread
                try:
                    item = next(items)
                except StopIteration:
                    return
            yield item
    except GeneratorExit:
        raise
    except BaseException as error:
        _fail(opened, error)
        raise
    finally:
        with _inside(context):
            items.close()
        opened.end()


@contextmanager
def _inside(context: Context) -> Iterator[None]:
    token = attach(context)
    try:
        yield
    finally:
        detach(token)


def _fail(opened: Span, error: BaseException) -> None:
    opened.set_attribute("error.type", type(error).__name__)
    opened.set_status(StatusCode.ERROR)
