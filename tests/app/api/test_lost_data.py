"""The data folder goes away behind a server that runs: nothing is accepted that would be lost."""

from pathlib import Path

from flask.testing import FlaskClient

from app import create_app
from app.services import Services
from app.settings import load_settings
from tests.app.api.cms import SECRET, Cms, saved
from tests.fakes.command import Command


def page_store(client: FlaskClient) -> tuple[int, str]:
    """What ``/readyz`` says: status, and the page store's line."""
    response = client.get("/readyz")
    return response.status_code, response.text.splitlines()[0]


def test_an_event_that_no_restart_would_find_is_refused_until_the_folder_is_back(tmp_path: Path) -> None:
    command = Command(tmp_path)
    settings = load_settings(data=command.data, embedder="hashing", sources={"town": {"secrets": [SECRET]}})
    with Services(settings) as services:
        cms = Cms(create_app(services=services).test_client(), services)
        cms.send(saved("kept"))
        cms.index()
        command.data.rename(tmp_path / "elsewhere")
        command.run("status")  # which makes an empty folder
        assert command.data.is_dir()
        refused = cms.post(saved("refused"))
        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "30")
        assert cms.client.post("/api/chat", json={"question": "dog tax"}).status_code == 503
        assert cms.client.post("/api/feedback", json={"answer": "a", "rating": "up"}).status_code == 503
        status, line = page_store(cms.client)
        assert (status, '"ok": false' in line) == (503, True)
        assert "put the file back that was there, or restart Auskunft" in line
        command.data.rename(tmp_path / "empty")
        (tmp_path / "elsewhere").rename(command.data)
        cms.send(saved("later"))
        assert page_store(cms.client)[0] == 200
    with Services(settings) as restarted:
        assert sorted(row.ref.id for row in restarted.store.rows()) == ["kept", "later"]
