"""What breaks on our side: a status, a code, a log entry, no inside story."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from structlog.testing import capture_logs

from app import create_app
from app.chat.events import DeltaEvent, Event, StartEvent
from app.chat.pipelines import RagPipeline, RagPipelines
from app.chat.site_search import SiteSearch
from app.errors import IndexUnavailableError
from app.presets import Preset
from app.presets.collection import Presets
from app.search.retrieval import Retrieval
from app.services import Services
from app.settings.settings import load_settings
from app.settings.sites import SiteSettings
from tests.app.api.events import parse
from tests.fakes.databases import new_data

SECRET = "/srv/secret/index.sqlite"


class Failing(SiteSearch):
    """Stands in for a part of which every use raises, at once or after the first events."""

    def __init__(self, error: Exception, events: tuple[Event, ...] = ()) -> None:
        self._error = error
        self._events = events
        self.retriever = self

    def check(self, question: str) -> str:
        return question

    def retrieve(self, question: str, **_options: object) -> Retrieval:
        raise self._error

    known_words = matches = has_field = retrieve

    def stream(self, _question: str, **_options: object) -> Generator[Event, None, None]:
        yield from self._events
        raise self._error


class FailingPipelines(RagPipelines):
    """Gives every site what fails."""

    def __init__(self, failing: Failing) -> None:
        self._failing: Any = failing
        self.model = None
        self._setups = {}

    def of(self, _site: SiteSettings) -> RagPipeline:
        return self.common()

    def preset_of(self, _site: SiteSettings) -> Preset:
        return Presets().load("default")

    def common(self) -> RagPipeline:
        return RagPipeline(pages=self._failing, answerer=self._failing)


def failing_client(services: Services, failing: Failing) -> FlaskClient:
    copy = Services(services.settings)
    vars(copy).update(store=services.store)
    vars(copy.chat).update(pipelines=FailingPipelines(failing))
    return create_app(services=copy).test_client()


@pytest.mark.parametrize("path", ["/api/search?q=dog", "/api/chat"])
@pytest.mark.parametrize(
    ("error", "status", "code"),
    [(IndexUnavailableError(SECRET), 503, "index_unavailable"), (RuntimeError(SECRET), 500, "error")],
)
def test_a_failure_before_the_first_byte_is_a_problem_without_details(
    site_services: Services, path: str, error: Exception, status: int, code: str
) -> None:
    client = failing_client(site_services, Failing(error))
    with capture_logs() as logs:
        response = client.get(path) if "?" in path else client.post(path, json={"question": "dog tax"})
    assert response.status_code == status
    assert response.mimetype == "application/problem+json"
    assert response.get_json()["code"] == code
    assert "secret" not in response.text
    assert [entry for entry in logs if entry["log_level"] == "error"]


def test_an_expected_failure_after_the_first_byte_is_the_last_event(site_services: Services) -> None:
    failing = Failing(IndexUnavailableError(SECRET), (StartEvent(), DeltaEvent(text="It is")))
    response = failing_client(site_services, failing).post("/api/chat", json={"question": "dog tax"})
    assert parse(response.text)[-1] == ("failed", {"code": "index_unavailable"})
    assert "secret" not in response.text


def test_an_unexpected_failure_after_the_first_byte_is_told_and_raised(site_services: Services) -> None:
    client = failing_client(
        site_services, Failing(RuntimeError(SECRET), (StartEvent(), DeltaEvent(text="It is")))
    )
    response = client.post("/api/chat", json={"question": "dog tax"}, buffered=False)
    told = b""
    with pytest.raises(RuntimeError):
        for frames in response.iter_encoded():
            told += frames
    assert told.startswith(b"event: started\n")
    assert told.endswith(b'event: failed\ndata: {"code": "error"}\n\n')


def test_a_broken_index_makes_the_installation_unready(tmp_path: Path) -> None:
    settings = load_settings(data=new_data(tmp_path), embedder="hashing")
    with Services(settings) as services:
        assert services.indexing.index.live()
    for database in (tmp_path / "index").rglob("*.sqlite*"):
        database.write_bytes(b"no database at all" * 1_000)
    with Services(settings) as services:
        response = create_app(services=services).test_client().get("/readyz")
    assert response.status_code == 503
    assert '"name": "index", "ok": false' in response.text
