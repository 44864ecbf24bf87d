"""What ``/openapi.json`` says is what the API does, for whatever is made up of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import schemathesis
from flask.testing import FlaskClient
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode, checks
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.schemas import BaseSchema

from app import create_app
from app.chat.conversations import Conversations
from app.pages.database import utc_now
from app.services import Services
from app.settings.settings import load_settings
from tests.app.api.cms import SECRET
from tests.app.api.events import named, parse
from tests.app.site import DOG_TAX, POOL, raw_page
from tests.attacks.sites import BEARER, QUESTION, TOKEN

EXAMPLES: Final = 20
CHECKS: Final = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
    checks.unsupported_method,
]


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    """A small installation of its own, which nobody works for: what is asked of it stays undone."""
    settings = load_settings(
        data=Path(tmp_path_factory.mktemp("described")),
        embedder="hashing",
        admin_token=TOKEN,
        sources={"town": {"secrets": [SECRET]}},
    )
    with Services(settings) as services:
        services.store.accept([raw_page(*page) for page in (DOG_TAX, POOL)])
        services.indexing.indexer.sync_pages()
        yield create_app(services=services).test_client()


@pytest.fixture(scope="module")
def description(described: FlaskClient) -> BaseSchema:
    loaded: BaseSchema = schemathesis.openapi.from_wsgi("/openapi.json", described.application)
    return loaded


@pytest.mark.slow
def test_every_answer_is_described(description: BaseSchema) -> None:
    wrong: dict[str, BaseException] = {}
    for found in description.get_all_operations():
        assert isinstance(found, Ok), found
        operation = found.ok()
        try:
            attack(operation)
        except (FailureGroup, AssertionError) as failure:
            wrong[operation.label] = failure
    assert wrong == {}


def attack(operation: Any) -> None:
    """Send what its description makes one think of. Raises for the first answer that it does not describe."""

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=st.sampled_from(GenerationMode).flatmap(operation.as_strategy))
    def send(case: Any) -> None:
        case.call_and_validate(headers=BEARER, checks=CHECKS)

    send()


def test_what_is_kept_is_described(described: FlaskClient, description: BaseSchema) -> None:
    (started,) = named(parse(described.post("/api/chat", json={"question": QUESTION}).text), "started")
    services = described.application.extensions["auskunft"]
    running = Conversations(services.engine, utc_now).begin("default", QUESTION)
    rated = {"answer": started["answer"], "rating": "up", "comment": "Thanks"}
    assert described.post("/api/feedback", json=rated).status_code == 204
    rebuild = described.post("/api/admin/reindex", json={}, headers=BEARER)
    asked = [
        ("/api/search", {}, {"q": QUESTION}),
        ("/api/site", {}, {}),
        ("/api/answers/{answer}", {"answer": started["answer"]}, {}),
        ("/api/answers/{answer}", {"answer": running.answer}, {}),
        ("/api/conversations/{conversation}", {"conversation": started["conversation"]}, {}),
        ("/api/admin/questions", {}, {}),
        ("/api/admin/questions", {}, {"format": "csv"}),
        ("/api/admin/questions", {}, {"format": "jsonl"}),
        ("/api/admin/questions/counts", {}, {}),
        ("/api/admin/questions/groups", {}, {}),
        ("/api/admin/questions/{answer}", {"answer": started["answer"]}, {}),
        ("/api/admin/questions/{answer}", {"answer": running.answer}, {}),
        ("/api/admin/reindex", {}, {}),
    ]
    if rebuild.status_code == 202:
        asked.append(("/api/admin/reindex/{rebuild_id}", {"rebuild_id": rebuild.get_json()["id"]}, {}))
    for path, names, query in asked:
        assert is_valid(description, path, names, query), path


def is_valid(description: BaseSchema, path: str, names: dict[str, Any], query: dict[str, Any]) -> bool:
    """Whether a ``GET`` succeeds as it is described."""
    case = description[path]["GET"].Case(path_parameters=names, query=query)
    response = case.call(headers=BEARER)
    case.validate_response(response, checks=CHECKS)
    return bool(response.status_code == 200)
