"""The data folder goes away behind a running server, or cannot be written: what would be lost is refused."""

from pathlib import Path

from flask.testing import FlaskClient
from sqlalchemy import Connection, event

from app import create_app
from app.services import Services
from app.settings.settings import load_settings
from tests.app.api.cms import SECRET, Cms, saved
from tests.app.api.events import parse
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
        assert "put the original file back, or restart Auskunft" in line
        command.data.rename(tmp_path / "empty")
        (tmp_path / "elsewhere").rename(command.data)
        cms.send(saved("later"))
        assert page_store(cms.client)[0] == 200
    with Services(settings) as restarted:
        assert sorted(row.ref.id for row in restarted.page_list.records()) == ["kept", "later"]


def make_read_only(connection: Connection) -> None:
    """From the beginning of each transaction."""
    connection.exec_driver_sql("PRAGMA query_only = ON").close()


def test_where_nothing_can_be_written_conversations_go_on_unkept(cms: Cms) -> None:
    cms.send(saved("kept"))
    cms.index()
    question = {"question": "How much is the dog tax?"}
    kept = parse(cms.client.post("/api/chat", json=question).text)[0][1]
    event.listen(cms.services.engine, "begin", make_read_only)
    assert cms.post(saved("refused")).status_code == 503
    rating = {"answer": kept["answer"], "rating": "up"}
    assert cms.client.post("/api/feedback", json=rating).status_code == 503
    first = parse(cms.client.post("/api/chat", json=question).text)
    assert first[-1][0] == "done"
    for conversation in (kept["conversation"], first[0][1]["conversation"]):
        further = parse(cms.client.post("/api/chat", json=question | {"conversation": conversation}).text)
        assert (further[0][1]["conversation"], further[-1][0]) == (conversation, "done")
    assert len(cms.services.chat.conversations.answers("default", kept["conversation"])) == 1
