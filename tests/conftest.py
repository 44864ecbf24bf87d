"""What all tests may ask for."""

import errno
import gc
import signal
import socket
from collections.abc import Callable, Generator, Hashable, Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
import structlog
from flask import Flask
from hypothesis import HealthCheck, settings
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from sqlalchemy import Engine
from sqlalchemy.util import LRUCache
from werkzeug.routing import Rule

from ingest.converters.process import ConverterProcess
from tests import lanes

pytest_plugins = ["tests.crashes", "tests.services.fixtures"]

# A shell ignores Ctrl-C for what it starts in the background, which every process of a test would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes is a matter of the machine's load, not of the code.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
# For whoever waits for `make test`; all tests together try as many examples as ever.
settings.register_profile("quick", settings.get_profile("any machine"), max_examples=25)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep what is prepared out of every search for garbage.

    A million objects of modules and tests stay to the end; to look through them takes most of a second.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave files out that have no test of a lane that is run alone: importing all takes 20 seconds."""
    is_file = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    if is_file and not lanes.may_have(collection_path, config.rootpath, config.option.markexpr):
        return True
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give every test its lane, before ``-m`` selects; long ones come first."""
    for item in items:
        lanes.mark(item)
    lanes.sort(items)


@pytest.fixture(scope="session", autouse=True)
def routes_compiled_once() -> Iterator[None]:
    """Each application compiles the same 124 routes, which takes longer than most tests."""
    compiled: dict[Hashable, Rule] = {}
    compile_rule = Rule.compile

    def once(rule: Rule) -> None:
        assert rule.map is not None
        converters = tuple(rule.map.converters.items())
        key = (rule.rule, rule.merge_slashes, rule.subdomain, rule.host, repr(rule.defaults), converters)
        if key not in compiled:
            compile_rule(rule)
            compiled[key] = rule
            return
        known = compiled[key]
        rule._parts, rule._trace, rule._converters = known._parts, known._trace, known._converters
        rule.arguments |= known.arguments
        for name in ("_build", "_build_unknown"):
            setattr(rule, name, getattr(known, name).__func__.__get__(rule))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "compile", once)
        yield


class TemplatesInMemory(BytecodeCache):
    """Jinja's compiled templates, for all applications of the session."""

    def __init__(self) -> None:
        self._compiled: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """A template whose text changed has another checksum, and is compiled again."""
        if bucket.key in self._compiled:
            bucket.bytecode_from_string(self._compiled[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._compiled[bucket.key] = bucket.bytecode_to_string()


@pytest.fixture(scope="session", autouse=True)
def templates_compiled_once() -> Iterator[None]:
    """Each application compiles the same templates, up to a hundred milliseconds for a page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(Flask.jinja_options, "bytecode_cache", TemplatesInMemory())
        yield


class SharedStatements(LRUCache[Any, Any]):
    """SQLAlchemy's compiled statements, for all engines with a dialect of one kind."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get((type(key[0]), *key[1:]), default)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__((type(key[0]), *key[1:]), value)


@pytest.fixture(scope="session", autouse=True)
def statements_compiled_once() -> Iterator[None]:
    """Each engine compiles the same statements, a tenth of what tests with a database compute."""
    compiled = SharedStatements(5000)
    open_engine = Engine.__init__

    def sharing(engine: Engine, *given: Any, **more: Any) -> None:
        open_engine(engine, *given, **more)
        engine._compiled_cache = compiled

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Engine, "__init__", sharing)
        yield


@pytest.fixture(scope="session")
def converter() -> Iterator[ConverterProcess]:
    """The child process that converts pages, for one installation after the other: to start one takes longer
    than most tests."""
    with ConverterProcess() as process:
        yield process


@pytest.fixture(autouse=True)
def default_logging() -> Iterator[None]:
    """A command that ran in the process of the tests, or a benchmark, silences no test after it."""
    yield
    structlog.reset_defaults()


@pytest.fixture(autouse=True)
def loopback_only(request: pytest.FixtureRequest) -> Iterator[None]:
    """In the plain lane no socket reaches another machine."""
    if request.node.get_closest_marker("plain") is None:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex", "sendto"):
            patch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))
        yield


def _guarded(send: Callable[..., Any]) -> Callable[..., Any]:
    def to_loopback(connection: socket.socket, *arguments: Any) -> Any:
        address = arguments[-1]
        inet = connection.family in (socket.AF_INET, socket.AF_INET6)
        if inet and not _is_here(address[0]):
            raise OSError(errno.ENETUNREACH, f"the plain lane has no network, also not {address[0]}")
        return send(connection, *arguments)

    return to_loopback


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    address = ip_address(host.partition("%")[0])
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified  # 0.0.0.0 is this machine too
