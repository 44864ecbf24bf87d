"""Logging in at the console, and what keeps others out."""

import pytest
from flask.testing import FlaskClient

from app.accounts.types import User
from app.api.limits import LOGINS_OF_ADDRESS, LOGINS_OF_NAME
from app.services import Services
from app.settings.console import ConsoleSettings
from tests.app.console.conftest import OURS, PASSWORD, TOKEN, Console
from tests.app.web.browser import soup


def text(console: Console, path: str) -> str:
    return soup(console.get(path)).get_text(" ", strip=True)


def cookie(console: Console) -> str:
    found = console.client.get_cookie("auskunft-console")
    return found.value if found else ""


def test_without_users_the_page_says_how_the_first_is_added(console: Console) -> None:
    assert "auskunft users add NAME --role admin" in text(console, "/login?lang=en")


def test_who_is_not_logged_in_is_sent_to_the_form_and_then_where_they_wanted(services: Services) -> None:
    console = Console(services).log_in()
    console.post("/logout")
    wanted = console.get("/sources?lang=de").location
    form = soup(console.client.get(wanted)).select_one("input[name=next]")
    assert form is not None
    answer = console.post("/login", name="ada", password=PASSWORD, next=form["value"])
    assert (answer.status_code, answer.location) == (303, "/admin/sources?lang=de")


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example/admin/",
        "//evil.example/admin/",
        "/admin/\\evil",
        "/chat",
        "/admin/../chat",
        "/admin/%2E%2e/chat",
        "//[",
        "javascript:alert(1)",
    ],
)
def test_logging_in_leads_nowhere_else(services: Services, wanted: str) -> None:
    console = Console(services).log_in()
    assert console.post("/login", name="ada", password=PASSWORD, next=wanted).location == "/admin/"


def test_a_wrong_password_is_told_and_nobody_is_logged_in(services: Services) -> None:
    Console(services).log_in()
    stranger = Console(services)
    answer = stranger.post("/login", name="ada", password="wrong password here")
    assert answer.status_code == 401
    assert "do not match" in soup(answer).get_text()
    assert cookie(stranger) == ""


def test_guessing_is_stopped(services: Services) -> None:
    stranger = Console(services)
    tries = int(LOGINS_OF_ADDRESS.split()[0])
    codes = [stranger.post("/login", name="ada", password="x").status_code for _ in range(tries + 1)]
    assert codes == [401] * tries + [429]


def guess_on(console: Console, tries: int) -> list[int]:
    """Try wrong passwords for ``ada`` from one address after another; the codes of the answers."""
    stranger = console.client.application.test_client()
    return [
        stranger.post(
            "/admin/login",
            data={"name": "ada", "password": "x"},
            headers=OURS,
            environ_overrides={"REMOTE_ADDR": f"203.0.113.{number}"},
        ).status_code
        for number in range(tries)
    ]


def log_in(client: FlaskClient, name: str = "ada", password: str = PASSWORD) -> int:
    given = {"name": name, "password": password}
    return client.post("/admin/login", data=given, headers=OURS).status_code


TRIES = int(LOGINS_OF_NAME.split()[0])


def test_who_guesses_on_keeps_nobody_out_of_a_browser_that_they_used_before(services: Services) -> None:
    console = Console(services).log_in()
    console.post("/logout")
    assert guess_on(console, TRIES + 1) == [401] * TRIES + [429]
    other = console.client.application.test_client()
    assert (log_in(other), log_in(console.client)) == (429, 303)


def test_a_known_browser_guesses_no_more_often_than_others(services: Services) -> None:
    console = Console(services).log_in()
    codes = []
    for number in range(TRIES + 1):
        address = {"REMOTE_ADDR": f"203.0.113.{number}"}
        wrong = {"name": "ada", "password": "x"}
        answer = console.client.post("/admin/login", data=wrong, headers=OURS, environ_overrides=address)
        codes.append(answer.status_code)
    assert codes == [401] * TRIES + [429]


@pytest.mark.parametrize("made_up", ["", "x", "x.y", ".", "other's", "old"])
def test_no_other_cookie_makes_a_browser_known(services: Services, made_up: str) -> None:
    console = Console(services).log_in()
    token = console.client.get_cookie("auskunft-device")
    assert token is not None
    if made_up == "other's":
        made_up = services.users.new_device(services.users.add(User(name="ed", role="admin")) and "ed")
    if made_up == "old":
        made_up = token.value
        services.users.set_password(services.users.renew_key("ada"), f"{PASSWORD}!")
    guess_on(console, TRIES)
    stranger = console.client.application.test_client()
    stranger.set_cookie("auskunft-device", made_up)
    assert log_in(stranger, password=f"{PASSWORD}!") == 429


def test_a_session_is_a_new_one_with_every_log_in_whatever_the_browser_sent(services: Services) -> None:
    Console(services).log_in()
    victim = Console(services)
    victim.client.set_cookie("auskunft-console", "chosen-by-somebody-else")
    victim.post("/login", name="ada", password=PASSWORD)
    first = cookie(victim)
    assert first not in ("", "chosen-by-somebody-else")
    victim.post("/login", name="ada", password=PASSWORD)
    assert cookie(victim) != first
    assert services.sessions.user(first) is None


def set_cookies(services: Services) -> list[str]:
    """The cookies that a log-in sets: the session, and that the browser is known."""
    key = services.users.add(User(name="ada", role="admin"))
    answer = Console(services).post("/welcome", key=key, password=PASSWORD, again=PASSWORD)
    return [each for each in answer.headers.getlist("Set-Cookie") if "Max-Age=0" not in each]


def test_the_cookies_are_out_of_reach_of_scripts_and_other_websites(services: Services) -> None:
    for cookie, same_site in zip(set_cookies(services), ("Lax", "Strict"), strict=True):
        parts = {part.strip() for part in cookie.split(";")}
        assert {"HttpOnly", f"SameSite={same_site}", "Path=/"} <= parts


def test_behind_tls_the_cookies_belong_to_this_host_alone(services: Services) -> None:
    services.settings.public_url = "https://chat.town.example"
    for cookie, name in zip(set_cookies(services), ("console", "device"), strict=True):
        assert cookie.startswith(f"__Host-auskunft-{name}=") and "Secure" in cookie


def test_looking_at_a_link_does_not_use_it_up(services: Services) -> None:
    key = services.users.add(User(name="ada", role="admin"))
    console = Console(services)
    for _ in range(2):
        assert "Welcome, ada" in text(console, f"/welcome?key={key}&lang=en")
    differ = console.post("/welcome", key=key, password=PASSWORD, again=PASSWORD + "!")
    assert differ.status_code == 400
    assert console.post("/welcome", key=key, password=PASSWORD, again=PASSWORD).status_code == 303
    assert console.get(f"/welcome?key={key}").status_code == 401


def test_log_out_ends_the_session(admin: Console, services: Services) -> None:
    token = cookie(admin)
    assert admin.post("/logout").location == "/admin/login?done=logged_out"
    assert services.sessions.user(token) is None
    assert admin.get("/").status_code == 303


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_a_form_of_another_website_changes_nothing(
    admin: Console, services: Services, headers: dict[str, str]
) -> None:
    fields = {"name": "mallory", "role": "admin"}
    for path in ("/admin/users", "/admin/logout", "/admin/login"):
        assert admin.client.post(path, data=fields, headers=headers).status_code == 403
    api = admin.client.post("/api/admin/reindex", json={}, headers=headers)
    assert api.status_code == 403
    assert [account.user.name for account in services.users.all()] == ["ada"]
    assert services.indexing.rebuild_queue.all() == []
    assert admin.get("/").status_code == 200


def test_pages_cannot_be_framed_or_cached(admin: Console) -> None:
    for path in ("/", "/login", "/users"):
        headers = admin.get(path).headers
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert "script-src 'self'" in headers["Content-Security-Policy"]
        assert headers["Cache-Control"] == "no-store"


def test_a_proxy_may_say_who_it_is(services: Services) -> None:
    services.settings.console = ConsoleSettings(user_header="X-Remote-User")
    services.users.add(User(name="ada", role="admin"))
    console = Console(services)
    assert console.get("/", headers={"X-Remote-User": "ada"}).status_code == 200
    assert console.get("/").status_code == 303
    unknown = console.get("/", headers={"X-Remote-User": "nobody"})
    assert unknown.status_code == 303
    outside = {"REMOTE_ADDR": "203.0.113.7"}
    headers = {"X-Remote-User": "ada"}
    assert console.get("/", headers=headers, environ_overrides=outside).status_code == 403
    changed = console.client.post("/admin/users", data={"name": "lee"}, headers=headers)
    assert changed.status_code == 403


def test_where_a_proxy_logs_people_in_no_session_counts(admin: Console, services: Services) -> None:
    services.settings.console = ConsoleSettings(user_header="X-Remote-User")
    assert admin.get("/").status_code == 303


def test_the_token_of_machines_works_as_before_and_without_a_browsers_headers(console: Console) -> None:
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    assert console.client.get("/api/admin/reindex", headers=bearer).status_code == 200
    assert console.client.post("/api/admin/reindex", json={}, headers=bearer).status_code == 202
    assert console.client.get("/api/admin/reindex").status_code == 401


def test_an_admin_may_use_the_api_by_their_session_and_an_editor_not_all_of_it(
    admin: Console, editor: Console
) -> None:
    assert admin.client.get("/api/admin/reindex").status_code == 200
    assert admin.client.post("/api/admin/reindex", json={}, headers=OURS).status_code == 202
    assert editor.client.get("/api/admin/reindex").status_code == 403
