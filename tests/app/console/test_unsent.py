"""A form that is sent after the session has ended: what was typed comes back, and nothing is done unasked."""

import pytest
from bs4 import BeautifulSoup, Tag
from sqlalchemy import delete
from werkzeug.test import TestResponse

from app.accounts.types import User
from app.console.unsent import labels
from app.pages.account_tables import user_sessions
from app.services import Services
from app.settings.console import ConsoleSettings
from tests.app.console.conftest import OURS, PASSWORD, Console
from tests.app.web.browser import soup

USER = {"name": "otter", "role": "editor", "sources": "town"}
TYPED = "textarea, input[type=date], input[type=url], input[type=radio][name=role], input:not([type])"


def end_sessions(services: Services) -> None:
    with services.engine.begin() as connection:
        connection.execute(delete(user_sessions))


def submit(console: Console, form: Tag, *, follow: bool = True, **typed: str) -> TestResponse:
    """Send a form as a browser does when its button is pressed; redirects keep the body where they say so."""
    fields = [(str(each["name"]), str(each.get("value", ""))) for each in form.select("input[name]")]
    known = [(name, value) for name, value in fields if name not in typed]
    data: dict[str, list[str]] = {}
    for name, value in (*known, *typed.items()):
        data.setdefault(name, []).append(value)
    return console.client.post(str(form["action"]), data=data, headers=OURS, follow_redirects=follow)


def send_late(console: Console, path: str, **fields: str) -> TestResponse:
    """Send a form after the session has ended."""
    end_sessions(console.services)
    return console.client.post(f"/admin{path}", data=fields, headers=OURS, follow_redirects=True)


def form_of(page: BeautifulSoup | TestResponse) -> Tag:
    """The only form of a page's main part."""
    page = page if isinstance(page, BeautifulSoup) else soup(page)
    [form] = page.select("main form")
    return form


def names(services: Services) -> list[str]:
    return [account.user.name for account in services.users.all()]


def labels_of(console: Console) -> dict[str, str]:
    """The names of the labels of fields, of the console and of its features."""
    return labels(console.services.features)


def test_what_was_typed_is_back_after_the_log_in_and_sent_by_a_click_alone(
    admin: Console, services: Services
) -> None:
    late = send_late(admin, "/users", **USER | {"name": "der <b>Otter</b>"})
    assert late.status_code == 401
    assert "nothing was saved" in soup(late).get_text()
    back = submit(admin, form_of(late), name="ada", password=PASSWORD)
    assert back.status_code == 200
    assert "der <b>Otter</b>" in soup(back).get_text()
    late = send_late(admin, "/users", **USER)
    back = submit(admin, form_of(late), name="ada", password=PASSWORD)
    assert names(services) == ["ada"]
    assert "otter" in soup(submit(admin, form_of(back))).get_text()
    assert services.users.get("otter").sources == frozenset({"town"})
    assert services.audit_log.entries()[0].actor == "ada"


def test_a_wrong_password_loses_nothing(admin: Console) -> None:
    late = send_late(admin, "/users", **USER)
    wrong = submit(admin, form_of(late), name="ada", password="not the password")
    assert wrong.status_code == 401
    back = submit(admin, form_of(wrong), name="ada", password=PASSWORD)
    fields = {each["name"]: each["value"] for each in form_of(back).select("input[name]")}
    assert fields == USER


def test_whoever_logs_in_may_send_no_more_than_before(admin: Console, services: Services) -> None:
    Console(services).log_in("ed", "law")
    late = send_late(admin, "/users", **USER)
    back = submit(admin, form_of(late), name="ed", password=PASSWORD)
    assert submit(admin, form_of(back)).status_code == 403
    assert "otter" not in names(services)


def test_fields_of_the_same_name_as_those_of_the_log_in_are_kept_apart(
    admin: Console, services: Services
) -> None:
    late = send_late(admin, "/users", name="lee", role="editor", sources="town")
    back = submit(admin, form_of(late), name="ada", password=PASSWORD)
    assert services.users.all()[0].user.name == "ada"
    assert "lee" in soup(submit(admin, form_of(back))).get_text()
    assert services.users.get("lee").sources == frozenset({"town"})


def test_several_values_of_a_field_come_back(admin: Console) -> None:
    end_sessions(admin.services)
    data = {"name": "lee", "role": "editor", "sources": ["town", "law"]}
    late = admin.client.post("/admin/users", data=data, headers=OURS, follow_redirects=True)
    back = submit(admin, form_of(late), name="ada", password=PASSWORD)
    assert [each["value"] for each in form_of(back).select("input[name=sources]")] == ["town", "law"]


def test_passwords_and_keys_never_come_back(admin: Console) -> None:
    secret = "vier geheime otter"
    fields = dict.fromkeys(("password", "again", "key"), secret)
    late = send_late(admin, "/users", **USER, **fields)
    assert secret not in late.text
    back = submit(admin, form_of(late), name="ada", password=PASSWORD)
    assert secret not in back.text and PASSWORD not in back.text


def test_a_button_that_was_pressed_too_late_leads_back_to_its_page(admin: Console) -> None:
    end_sessions(admin.services)
    headers = OURS | {"Referer": "http://localhost/admin/pages/town/en/dog-tax?from=7"}
    path = "/admin/pages/town/en/dog-tax/take-out"
    late = admin.client.post(path, headers=headers, follow_redirects=True)
    assert late.status_code == 200
    assert "session has ended" in soup(late).get_text()
    answer = submit(admin, form_of(late), follow=False, name="ada", password=PASSWORD)
    assert answer.location == "/admin/pages/town/en/dog-tax?from=7"


@pytest.mark.parametrize("referrer", ["http://[", "https://evil.example/", "about:blank"])
def test_a_button_of_an_unknown_page_leads_to_the_log_in_form(admin: Console, referrer: str) -> None:
    end_sessions(admin.services)
    path = "/admin/pages/town/en/dog-tax/take-out"
    late = admin.client.post(path, headers=OURS | {"Referer": referrer}, follow_redirects=True)
    assert late.status_code == 200
    answer = submit(admin, form_of(late), follow=False, name="ada", password=PASSWORD)
    assert answer.location == "/admin/"


def test_nothing_comes_back_by_an_address_or_from_another_website(admin: Console, services: Services) -> None:
    end_sessions(services)
    crafted = "unsent=/admin/users&unsent.name=mallory&unsent.role=admin"
    fields = form_of(admin.get(f"/login?{crafted}")).select("input")
    assert [each["name"] for each in fields] == ["next", "name", "password"]
    assert [each.get("value", "") for each in fields] == ["", "", ""]
    answer = admin.client.post(
        f"/admin/login?{crafted}", data={"name": "ada", "password": PASSWORD}, headers=OURS
    )
    assert (answer.status_code, answer.location) == (303, "/admin/")
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}, {}):
        mallory = {"name": "mallory", "role": "admin"}
        for path in ("/admin/users", "/admin/unsent?to=/admin/users"):
            assert admin.client.post(path, data=mallory, headers=headers).status_code == 403


@pytest.mark.parametrize(
    "to",
    [
        "https://evil.example/admin/",
        "//evil.example/admin/",
        "/chat",
        "/admin/../chat",
        "/admin\\",
        "//[",
        "",
    ],
)
def test_it_is_sent_again_nowhere_else(admin: Console, to: str) -> None:
    answer = admin.client.post("/admin/unsent", query_string={"to": to}, data=USER, headers=OURS)
    assert answer.location == "/admin/login?done=expired"
    fields = {"unsent": to, "unsent.name": "x", "name": "ada", "password": PASSWORD}
    assert admin.client.post("/admin/login", data=fields, headers=OURS).location == "/admin/"


def test_whoever_is_logged_in_again_in_another_tab_gets_it_at_once(
    admin: Console, services: Services
) -> None:
    again = admin.client.post("/admin/unsent", query_string={"to": "/admin/users"}, data=USER, headers=OURS)
    assert again.status_code == 200
    assert submit(admin, form_of(again)).status_code == 200
    assert "otter" in names(services)


def test_behind_a_proxy_that_logs_people_in_it_can_be_sent_again(services: Services) -> None:
    services.settings.console = ConsoleSettings(user_header="X-Remote-User")
    services.users.add(User(name="ada", role="admin"))
    console = Console(services)
    late = send_late(console, "/users", **USER)
    assert late.status_code == 401
    form = form_of(late)
    fields = {str(each["name"]): str(each["value"]) for each in form.select("input[name]")}
    headers = OURS | {"X-Remote-User": "ada"}
    assert console.client.post(str(form["action"]), data=fields, headers=headers).status_code == 200
    assert "otter" in names(services)


def test_long_texts_come_back_and_many_fields_do_not(admin: Console) -> None:
    long = "Öffnungszeiten & Preise\n" * 20_000
    late = send_late(admin, "/users", name=long)
    back = submit(admin, form_of(late), name="ada", password=PASSWORD)
    sent = form_of(back).select_one("input[name=name]")
    assert sent is not None and str(sent["value"]) == long
    many = {f"field{number}": "" for number in range(2_000)} | USER
    assert len(send_late(admin, "/users", **many).text) < 200_000


def test_what_was_typed_is_back_where_the_installation_failed(admin: Console, services: Services) -> None:
    store = services.settings.data / "pages.sqlite"
    store.rename(store.with_name("elsewhere"))
    failed = admin.post("/users", **USER)
    log_in = admin.post("/login", name="ada", password=PASSWORD)
    foreign = admin.client.post("/admin/users", data=USER, headers={"Sec-Fetch-Site": "cross-site"})
    store.with_name("elsewhere").rename(store)
    assert (failed.status_code, log_in.status_code, foreign.status_code) == (503, 503, 403)
    assert "otter" in soup(failed).get_text()
    assert soup(log_in).select("main form") == soup(foreign).select("main form") == []
    assert submit(admin, form_of(failed)).status_code == 200
    assert "otter" in names(services)


def test_everything_that_people_type_in_a_form_has_a_label(admin: Console) -> None:
    paths = [
        "/users",
        "/users/ada",
        "/index",
        "/pages?state=failed",
        "/sources/town",
        "/questions/groups",
    ]
    forms = [form for path in paths for form in soup(admin.get(path)).select("main form[method=post]")]
    typed = {str(field["name"]) for form in forms for field in form.select(TYPED)}
    assert {"name", "role"} <= typed
    assert typed <= labels_of(admin).keys()
