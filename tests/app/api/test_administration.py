"""``/api/admin/overview``, ``/sources`` and ``/users``: what the console shows, as JSON."""

import shutil
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from flask.testing import FlaskClient
from pydantic import SecretStr
from werkzeug.test import TestResponse

from app import create_app
from app.accounts.types import User
from app.api.admin_documents import (
    ChangesDocument,
    GenerationsDocument,
    RehearsalsDocument,
    SettingsDocument,
    SitesDocument,
    SourceReportDocument,
    SourcesDocument,
    UserDocument,
    UserLinkDocument,
    UsersDocument,
)
from app.document import Document
from app.errors import HaltReason
from app.monitoring.overview import OverviewDocument
from app.pages.types import Delivery
from app.services import Services
from app.settings.settings import Settings
from app.settings.sites import SiteSettings
from app.settings.sources import SourceSettings
from ingest.converters.process import ConverterProcess
from ingest.types import PageRef, Save
from tests.app.site import raw_page

TOKEN = "an-administrator-token-of-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
OURS = {"Sec-Fetch-Site": "same-origin"}
PASSWORD = "vier grosse otter baden"
SECRET = SecretStr(f"whsec_{b64encode(bytes(24)).decode()}")
SITES = [SiteSettings(key="town", sources=["town"]), SiteSettings(key="law", sources=["law"])]


@pytest.fixture
def services(
    indexed_site: Path, site_settings: Settings, tmp_path: Path, converter: ConverterProcess
) -> Iterator[Services]:
    data = shutil.copytree(indexed_site, tmp_path / "data")
    town = SourceSettings(secrets=[SECRET])
    changes = {"data": data, "admin_token": TOKEN, "sites": SITES, "sources": {"town": town}}
    with Services(Settings.model_validate(site_settings.model_dump() | changes)) as services:
        services.indexing.converter = converter
        ferries = PageRef(source="law", id="ferries", language="en")
        services.store.accept(
            [Save(page=replace(raw_page("ferries", "Ferries", "Dogs travel on deck.").page, ref=ferries))]
        )
        services.indexing.indexer.sync_pages()
        yield services


@pytest.fixture
def client(services: Services) -> FlaskClient:
    """A machine."""
    return create_app(services=services).test_client()


def logged_in(services: Services, name: str, *sources: str) -> FlaskClient:
    """The browser of a new user, an editor if sources are given."""
    browser = create_app(services=services).test_client()
    role: Any = "editor" if sources else "admin"
    key = services.users.add(User(name=name, role=role, sources=frozenset(sources) or None))
    browser.post("/admin/welcome", data={"key": key, "password": PASSWORD, "again": PASSWORD}, headers=OURS)
    return browser


def told(answer: TestResponse, document: type[Document], status: int = 200) -> Any:
    assert (answer.status_code, answer.headers["Cache-Control"]) == (status, "no-store")
    jsonschema_rs.validate(document.model_json_schema(), answer.get_json())
    return answer.get_json()


def test_the_overview_says_what_the_console_does(client: FlaskClient, services: Services) -> None:
    client.post("/api/chat?site=town", json={"question": "How much is the dog tax?"}).get_data()
    services.store.accept([raw_page("blank", "", "")])
    services.indexing.indexer.sync_pages()
    overview = told(client.get("/api/admin/overview", headers=BEARER), OverviewDocument)
    assert (overview["backlog"], overview["failed"], overview["questions"]["asked"]) == (0, 1, 1)
    assert [source["name"] for source in overview["sources"]] == ["law", "town"]
    assert {check["name"] for check in overview["checks"] if not check["ok"]} == set()


def test_a_source_tells_its_pages_and_the_jobs_of_its_messages(
    client: FlaskClient, services: Services
) -> None:
    delivery = Delivery(source="town", id="m1", digest="0" * 64)
    services.deliveries.accept(delivery, [raw_page("pool", "Pool", "New.")])
    listed = told(client.get("/api/admin/sources", headers=BEARER), SourcesDocument)["sources"]
    assert [(each["name"], each["kind"]) for each in listed] == [("law", ""), ("town", "events")]
    source = told(client.get("/api/admin/sources/town", headers=BEARER), SourceReportDocument)
    assert [job["page"] for job in source["jobs"]] == ["pool"]
    assert (source["secrets"], source["pages"]["pending"]) == (1, 1)
    assert client.get("/api/admin/sources/nothing", headers=BEARER).status_code == 404


def test_a_test_event_is_answered_and_stored_nowhere(client: FlaskClient, services: Services) -> None:
    def test_event(source: str) -> TestResponse:
        return client.post(f"/api/admin/sources/{source}/test", json={}, headers=BEARER)

    found = told(test_event("town"), RehearsalsDocument)
    assert found["secrets"] == [{"secret": 1, "problem": ""}]
    assert found["endpoint"] == "http://localhost/api/sources/town/events"
    assert services.deliveries.last_messages() == {}
    assert test_event("law").status_code == 404
    assert client.post("/api/admin/sources/town/test", headers=BEARER).status_code == 415


def test_an_editor_sees_their_own_sources_alone(services: Services) -> None:
    browser = logged_in(services, "lee", "law")
    services.settings.sources["town"] = SourceSettings(kind="website")
    pulls, lost = services.sources.pull_log, HaltReason(code="lost", count=9, pages=9)
    pulls.begin("town", "worker")
    pulls.finish("town", "worker", halted_for=[lost])
    overview = told(browser.get("/api/admin/overview"), OverviewDocument)
    assert "9 of 9 pages" not in str(overview)
    listed = told(browser.get("/api/admin/sources"), SourcesDocument)
    assert [each["name"] for each in (*overview["sources"], *listed["sources"])] == ["law", "law"]
    assert browser.get("/api/admin/sources/town").status_code == 404
    tried = browser.post("/api/admin/sources/town/test", json={}, headers=OURS)
    assert tried.status_code == 404
    for method in ("get", "post"):
        assert getattr(browser, method)("/api/admin/users", json={}, headers=OURS).status_code == 403


def test_an_editor_hears_nothing_of_questions_on_other_sites(client: FlaskClient, services: Services) -> None:
    client.post("/api/chat?site=town", json={"question": "How much is the dog tax?"}).get_data()
    for sources, asked in ((["law"], 0), (["town"], 1)):
        browser = logged_in(services, f"ed-{asked}", *sources)
        assert told(browser.get("/api/admin/overview"), OverviewDocument)["questions"]["asked"] == asked


def test_users_are_added_changed_and_removed_and_the_log_tells_of_it(
    client: FlaskClient, services: Services
) -> None:
    lee = {"name": "lee", "role": "editor", "sources": ["town"]}
    added = client.post("/api/admin/users", json=lee, headers=BEARER)
    assert told(added, UserLinkDocument, 201)["user"].items() >= lee.items()
    assert added.headers["Location"] == "/api/admin/users/lee"
    link = told(client.post("/api/admin/users/lee/link", json={}, headers=BEARER), UserLinkDocument)["link"]
    assert services.users.of_key(link.partition("key=")[2]).name == "lee"
    changed = client.put("/api/admin/users/lee", json={"role": "admin"}, headers=BEARER)
    assert told(changed, UserDocument)["role"] == "admin"
    assert told(client.get("/api/admin/users/lee", headers=BEARER), UserDocument)["sources"] is None
    listed = told(client.get("/api/admin/users", headers=BEARER), UsersDocument)["users"]
    assert [user["name"] for user in listed] == ["lee"]
    assert client.delete("/api/admin/users/lee", headers=BEARER).status_code == 204
    assert client.get("/api/admin/users/lee", headers=BEARER).status_code == 404
    entries = services.audit_log.entries()
    assert [entry.action for entry in entries] == ["user.remove", "user.change", "user.link", "user.add"]
    assert {entry.actor for entry in entries} == {"admin token"}
    assert link.partition("key=")[2] not in repr(entries)


def test_admins_cannot_lock_themselves_out(services: Services) -> None:
    browser = logged_in(services, "ada")
    changed = browser.put("/api/admin/users/ada", json={"role": "editor"}, headers=OURS)
    assert changed.status_code == browser.delete("/api/admin/users/ada", headers=OURS).status_code == 400
    assert services.users.get("ada").is_admin


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": "a b", "role": "editor"}, 400),
        ({"name": "lee", "role": "editor", "sources": ["nothing"]}, 400),
        ({"name": "kim", "role": "admin"}, 409),
        ({"name": "lee", "role": "editor", "sources": []}, 422),
        ({"name": "lee", "role": "king"}, 422),
        ({"name": "lee"}, 422),
        ({"role": "admin"}, 422),
        ({"name": "lee", "role": "admin", "password": "x"}, 422),
    ],
)
def test_a_user_who_cannot_be_is_refused(
    client: FlaskClient, services: Services, body: dict[str, Any], status: int
) -> None:
    services.users.add(User(name="kim", role="editor"))
    assert client.post("/api/admin/users", json=body, headers=BEARER).status_code == status
    assert [account.user.name for account in services.users.all()] == ["kim"]


def test_strangers_and_forms_of_other_websites_are_refused(client: FlaskClient, services: Services) -> None:
    for path in ("overview", "sources", "sources/town", "users", "users/lee"):
        assert client.get(f"/api/admin/{path}").status_code == 401
    browser = logged_in(services, "ada")
    body = {"name": "lee", "role": "admin"}
    crossed = {"Sec-Fetch-Site": "cross-site"}
    assert browser.post("/api/admin/users", json=body, headers=crossed).status_code == 403
    assert browser.post("/api/admin/users", data=body, headers=OURS).status_code == 415


def test_the_installation_itself_is_told_to_admins_and_to_editors_their_sites(
    client: FlaskClient, services: Services
) -> None:
    def told(name: str, document: type[Document]) -> Any:
        answer = client.get(f"/api/admin/{name}", headers=BEARER)
        assert answer.status_code == 200, name
        jsonschema_rs.validate(document.model_json_schema(), answer.get_json())
        [found] = answer.get_json().values()
        return found

    client.post("/api/admin/reindex", json={}, headers=BEARER)
    assert [site["key"] for site in told("sites", SitesDocument)] == ["town", "law"]
    assert [each["state"] for each in told("generations", GenerationsDocument)] == ["live"]
    values = {each["name"]: each for each in told("settings", SettingsDocument)}
    assert TOKEN not in str(values) and values["port"]["origin"] == "default"
    [change] = told("changes", ChangesDocument)
    assert (change["actor"], change["action"]) == ("admin token", "rebuild.request")
    assert told(f"changes?below={change['number']}", ChangesDocument) == []
    editor = logged_in(services, "ed", "town")
    assert [site["key"] for site in editor.get("/api/admin/sites").get_json()["sites"]] == ["town"]
    for name in ("generations", "settings", "changes"):
        assert editor.get(f"/api/admin/{name}").status_code == 403
