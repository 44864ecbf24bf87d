"""The log: a JSON object a line, which page and job it is about, and never a secret or a question."""

import io
import json
import logging
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import structlog

from app import create_app
from app.monitoring.logging import configure_logging, secrets_of
from app.services import Services
from app.settings.settings import Settings
from tests.app.api.cms import SECRET, Cms, saved
from tests.fakes.llm import refusing_url

Lines = Callable[[], list[dict[str, Any]]]

QUESTION: Final = "How does Waldemar Unverwechselbar pay his dog tax?"
SECRETS: Final = {
    "admin_token": "admin-token-of-thirty-two-characters",
    "broker_url": "redis://:br%C3%BCcke-broker@127.0.0.1:1/0",
    "elasticsearch_api_key": "elastic-api-key",
    "chat": {"base_url": refusing_url(), "model": "fake", "api_key": "chat-api-key"},
    "sources": {"town": {"secrets": [SECRET], "token": "pulling-token"}},
}
HIDDEN: Final = (
    "admin-token-of-thirty-two-characters",
    "br%C3%BCcke-broker",
    "brücke-broker",
    "elastic-api-key",
    "chat-api-key",
    "pulling-token",
    SECRET,
)


@contextmanager
def logging_of(settings: Settings, stream: io.StringIO) -> Iterator[None]:
    """Log as a server does, into ``stream``."""
    handlers, hook, error = logging.root.handlers[:], threading.excepthook, sys.stderr
    sys.stderr = stream
    try:
        configure_logging(settings)
        yield
    finally:
        sys.stderr, threading.excepthook, logging.root.handlers = error, hook, handlers
        logging.captureWarnings(False)
        structlog.reset_defaults()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.model_validate({"data": tmp_path, "embedder": "hashing", **SECRETS})


@pytest.fixture
def lines(settings: Settings) -> Iterator[Lines]:
    """What has been logged so far."""
    stream = io.StringIO()
    with logging_of(settings, stream):
        yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.fixture
def cms(settings: Settings) -> Iterator[Cms]:
    with Services(settings) as services:
        yield Cms(create_app(services=services).test_client(), services)


def test_a_page_can_be_followed_from_its_message_to_the_index(cms: Cms, lines: Lines) -> None:
    good, bad = cms.send(saved("tax"), saved("empty", title="", html="<p></p>"), message_id="m-1")
    cms.index()
    accepted, indexed, failed = [
        line for line in lines() if line["logger"].startswith("app.") and line["logger"] != "app.queue.tasks"
    ]
    assert (accepted["event"], accepted["jobs"]) == ("delivery_accepted", 2)
    assert (accepted["source"], accepted["delivery"]) == ("town", "m-1")
    page = {"source": "town", "language": "en"}
    assert indexed.items() >= {**page, "event": "page_indexed", "page": "tax", "job": good["id"]}.items()
    known = {**page, "event": "page_failed", "page": "empty", "job": bad["id"], "reason": "empty"}
    assert failed.items() >= known.items()
    assert (indexed["level"], failed["level"]) == ("info", "warning")


def test_what_was_bound_for_one_page_is_not_said_of_others(cms: Cms, lines: Lines) -> None:
    cms.send(saved())
    cms.index()
    logging.getLogger("app").warning("something else")
    assert lines()[-1].keys() == {"event", "logger", "level", "timestamp"}


@pytest.mark.filterwarnings("default")
def test_lines_of_libraries_warnings_and_dying_threads_are_json_too(lines: Lines) -> None:
    logging.getLogger("celery.worker").warning("lost\nits %s", "broker")
    logging.getLogger("kombu").info("too much detail")
    warnings.warn("old", stacklevel=1)
    thread = threading.Thread(target=lambda: 1 / 0, name="mill")
    thread.start()
    thread.join()
    library, warning, death = lines()
    assert (library["event"], library["logger"]) == ("lost\nits broker", "celery.worker")
    assert "UserWarning: old" in warning["event"]
    assert (death["event"], death["thread"]) == ("thread_died", "mill")
    assert "ZeroDivisionError" in death["exception"]


def test_no_question_and_no_secret_is_logged(cms: Cms, lines: Lines) -> None:
    client = cms.client
    cms.send(saved())
    cms.index()
    assert client.get("/api/search", query_string={"q": QUESTION}).status_code == 200
    client.post("/api/chat", json={"question": QUESTION}).get_data()
    client.post("/api/chat", json={"question": QUESTION * 100})
    cms.post(saved(), secret="whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
    client.get("/api/search", query_string={"q": QUESTION, "source": "nowhere"})
    client.get("/metrics", headers={"Via": "elsewhere", "Authorization": "Bearer wrong-token-of-somebody"})
    text = json.dumps(lines(), ensure_ascii=False)
    assert {"model_failed", "broker_unavailable"} <= {line["event"] for line in lines()}
    assert "Waldemar" not in text
    assert "wrong-token" not in text
    assert [secret for secret in HIDDEN if secret in text] == []


def test_secrets_are_masked_whoever_logs_them(settings: Settings, lines: Lines) -> None:
    assert set(HIDDEN) <= set(secrets_of(settings))
    for secret in HIDDEN:
        logging.getLogger("library").warning("connecting with %s", secret)
    try:
        raise ValueError(settings.broker_url.get_secret_value())
    except ValueError:
        logging.getLogger("library").exception("failed")
    text = json.dumps(lines(), ensure_ascii=False)
    assert [secret for secret in HIDDEN if secret in text] == []
    assert text.count("connecting with ***") == len(HIDDEN)


def test_a_traceback_shows_no_values_of_variables_on_a_terminal_either(settings: Settings) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    with logging_of(settings, stream):
        asked = QUESTION
        try:
            raise ValueError(len(asked))
        except ValueError:
            structlog.get_logger("app").error("request_broke", exc_info=True)
    assert "request_broke" in stream.getvalue()
    assert "ValueError" in stream.getvalue()
    assert "Waldemar" not in stream.getvalue()


def test_the_level_is_a_setting(settings: Settings) -> None:
    stream = io.StringIO()
    with logging_of(settings.model_copy(update={"log_level": "warning"}), stream):
        structlog.get_logger("app.indexing.indexer").info("page_indexed")
        structlog.get_logger("app.indexing.indexer").warning("page_failed")
    assert [json.loads(line)["event"] for line in stream.getvalue().splitlines()] == ["page_failed"]
