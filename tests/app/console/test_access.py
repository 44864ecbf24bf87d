"""Every address of the console and of its API: closed to strangers, to other websites, and to editors of
other sources. A new address is tried as soon as it is there; what it names has to be told here."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote_plus

import pytest
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from app.accounts.types import User
from app.services import Services
from app.settings.settings import load_settings
from app.settings.sites import SiteSettings
from tests.app.api.cms import SECRET, Cms, saved
from tests.app.console.conftest import OURS, Console
from tests.app.features.foreign import ForeignEntries, add_all
from tests.app.law.ferries import library
from tests.app.site import DOG_TAX, POOL, raw_page
from tests.fakes.databases import new_data

PREFIXES: Final = ("/admin", "/api/admin")
OPEN: Final = frozenset(
    {
        "console.static",
        "login.form",
        "login.log_in",
        "login.unsent",
        "login.welcome",
        "login.choose_password",
        "login.log_out",
    }
)
"""What people reach who are not logged in."""

OF_ADMINS: Final = frozenset(
    {"admin", "user_admin", "installation_admin", "search_index", "users", "settings", "log", "site_texts"}
)
"""Blueprints whose addresses editors may not use, but for :data:`OF_ALL`."""

OF_ALL: Final = frozenset({"installation_admin.sites"})
FRAMED: Final = frozenset({"sites.preview", "site_texts.preview", "console_letter.html"})
"""What pages of the console show in a frame."""

MARKS: Final = ("dog-tax", "Dog tax", "dog tax", "Outdoor pool", "96 euros", "ferries", "Ferries", "Otto")
"""Words of what the editor may not see."""

QUESTION: Final = "How much is the dog tax?"


@dataclass(frozen=True)
class Foreign:
    """What belongs to sources that the editor may not see, and what addresses call it."""

    services: Services
    job: str
    features: tuple[ForeignEntries, ...]

    def values(self, rule: Rule) -> dict[str, Any]:
        """What stands for the places of an address."""
        blueprint = rule.endpoint.partition(".")[0]
        known: dict[str, Any] = {
            "source": "town",
            "page_id": "dog-tax",
            "language": "en",
            "action": "take-out",
            "change": "stop",
            "decision": "keep",
            "key": "town",
            "name": "ada" if blueprint in ("users", "user_admin") else "town",
            "job_id": self.job,
            "rebuild_id": "unknown",
            "number": 1,
            "address": "nothing",
        }
        for feature in self.features:
            known |= feature.values.get(blueprint, {})
        return {name: known[name] for name in rule.arguments}

    @property
    def bodies(self) -> dict[str, dict[str, Any]]:
        """What is sent where the address alone does not name what is meant."""
        return {name: body for feature in self.features for name, body in feature.bodies.items()}

    @property
    def queries(self) -> dict[str, tuple[dict[str, Any], ...]]:
        """Queries that name what is not the editor's."""
        own: dict[str, tuple[dict[str, Any], ...]] = {
            "page_list.page": ({"source": "town"}, {"q": "dog"}, {"state": "indexed"}),
            "page_admin.pages": ({"source": "town"}, {"q": "dog"}),
        }
        return own | {name: each for feature in self.features for name, each in feature.queries.items()}

    def is_for_admins(self, endpoint: str) -> bool:
        """True if editors may not use the address."""
        names = OF_ADMINS.union(*(feature.for_admins for feature in self.features))
        return endpoint.partition(".")[0] in names and endpoint not in OF_ALL


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Foreign]:
    """An installation with something of everything, of which the editor has another source alone."""
    keys = ("town", "law", "council")
    sites = [SiteSettings(key=key, name=key.title(), sources=[key], language="en") for key in keys]
    data = new_data(tmp_path_factory.mktemp("access"))
    sources = {"town": {"secrets": [SECRET]}}
    with Services(load_settings(data=data, embedder="hashing", sites=sites, sources=sources)) as services:
        services.users.add(User(name="ada", role="admin"))
        services.store.accept([raw_page(*page) for page in (DOG_TAX, POOL)])
        services.store.accept_documents("law", library())
        client = Console(services).client
        cms = Cms(client, services)
        [job] = cms.send(saved("tax", 1))
        cms.index()
        assert client.post("/api/chat?site=town", json={"question": QUESTION}).get_data()
        yield Foreign(
            services=services,
            job=job["id"],
            features=tuple(add_all(services)),
        )


@dataclass(frozen=True)
class Request:
    """A request to an address of a rule."""

    rule: Rule
    method: str
    path: str
    query: dict[str, Any]

    def send(self, console: Console, foreign: Foreign, headers: dict[str, str]) -> TestResponse:
        """Send it with what its body has to say."""
        sent: dict[str, Any] = {}
        if self.method in ("POST", "PUT"):
            kind = "json" if self.path.startswith("/api") else "data"
            sent = {kind: foreign.bodies.get(self.rule.endpoint, {})}
        return console.client.open(
            self.path, method=self.method, query_string=self.query, headers=headers, **sent
        )


def requests(foreign: Foreign) -> Iterator[Request]:
    """One of each method of every rule, and one of each query that names what is not the editor's."""
    urls = Console(foreign.services).client.application.url_map
    for rule in urls.iter_rules():
        if not rule.rule.startswith(PREFIXES) or rule.endpoint in OPEN:
            continue
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            path = urls.bind("localhost").build(rule.endpoint, foreign.values(rule), method=method)
            for query in ({}, *foreign.queries.get(rule.endpoint, ())):
                yield Request(rule, method, path, query)


def test_strangers_reach_nothing_but_the_log_in(foreign: Foreign) -> None:
    stranger = Console(foreign.services)
    for each in requests(foreign):
        answer = each.send(stranger, foreign, OURS)
        if each.path.startswith("/api"):
            assert answer.status_code in (401, 403), (each.method, each.path)
        elif each.method == "POST":
            assert answer.status_code == 307, (each.method, each.path)
            assert answer.location.startswith("/admin/unsent?to=")
        else:
            assert answer.status_code == 303, (each.method, each.path)
            assert answer.location.startswith("/admin/login")


def test_no_other_website_changes_anything_by_an_admins_browser(foreign: Foreign) -> None:
    admin = Console(foreign.services).log_in("mia")
    before = len(foreign.services.audit_log.entries())
    for each in requests(foreign):
        if each.method != "GET":
            answer = each.send(admin, foreign, {"Sec-Fetch-Site": "cross-site"})
            assert answer.status_code == 403, (each.method, each.path)
    assert len(foreign.services.audit_log.entries()) == before


def test_an_editor_of_another_source_sees_and_changes_nothing(foreign: Foreign) -> None:
    editor = Console(foreign.services).log_in("eve", "council")
    for each in requests(foreign):
        answer = each.send(editor, foreign, OURS)
        where = (each.method, each.path, each.query, answer.status_code, answer.text[:300])
        if foreign.is_for_admins(each.rule.endpoint):
            assert answer.status_code == 403, where
        elif each.rule.arguments or each.rule.endpoint in foreign.bodies:
            lacks_query = not each.query and each.rule.endpoint in foreign.queries
            assert answer.status_code == 404 or (lacks_query and answer.status_code == 422), where
        else:
            assert answer.status_code < 500, where
        shown, body = answer.text, foreign.bodies.get(each.rule.endpoint, {})
        for told in map(str, (foreign.values(each.rule) | each.query | body).values()):
            shown = shown.replace(told, "").replace(quote_plus(told), "")
        assert [mark for mark in MARKS if mark in shown] == [], where
    changed = {entry.action for entry in foreign.services.audit_log.entries(actor="eve")}
    assert changed <= {"questions.group"}


def test_an_admin_reaches_what_editors_of_others_do_not(foreign: Foreign) -> None:
    admin = Console(foreign.services).log_in("max")
    missing = ("overview.missing", "admin.rebuild")
    for each in requests(foreign):
        if each.method == "GET" and each.rule.endpoint not in missing:
            answer = each.send(admin, foreign, OURS)
            lacks_query = not each.query and each.rule.endpoint in foreign.queries
            good = (200, 422) if lacks_query else (200,)
            assert answer.status_code in good, (each.path, each.query, answer.text[:300])


def test_no_page_can_be_framed_cached_or_sniffed(foreign: Foreign) -> None:
    admin = Console(foreign.services).log_in("kim")
    for each in requests(foreign):
        if each.method == "GET" and each.path.startswith("/admin"):
            headers = each.send(admin, foreign, OURS).headers
            assert headers["X-Content-Type-Options"] == "nosniff", each.path
            assert headers["Cache-Control"] == "no-store", each.path
            own = "'self'" if each.rule.endpoint in FRAMED else "'none'"
            assert f"frame-ancestors {own}" in headers["Content-Security-Policy"], each.path
