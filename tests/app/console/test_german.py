"""Nothing that goes wrong in a form is said in English where people chose German: all forms, all messages."""

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from bs4 import Tag
from lxml import html
from sqlalchemy import select
from werkzeug.test import TestResponse

import app.errors
from app.console.messages import catalogue
from app.errors import AuskunftError, LoginError, NotFoundError, SourceUnavailableError
from app.monitoring.readiness import checks
from app.pages.question_tables import answers
from app.services import Services
from app.settings.settings import Settings
from ingest.said import Said
from tests.app.console.conftest import OURS, Console
from tests.app.console.test_messages import ENGLISH
from tests.app.error_templates import ROOT, MadeError, made_errors
from tests.app.features.foreign import add_all, pages
from tests.app.law.ferries import library
from tests.app.web.browser import soup
from tests.fakes.llm import refusing_url

BAD: Final = ("", "\0", "x" * 12_000, "?!", "0000-99-99", "-1", "https://a.example/x")
SHOWN: Final = "|".join(
    f"//main//{element}"
    for element in (
        "*[@role='alert']",
        "*[contains(concat(' ', @class, ' '), ' notice ')]",
        "p[contains(concat(' ', @class, ' '), ' intro ')]",
    )
)
FILLED: Final = {
    "q": "Wo ist das Rathaus?",
    "text": "Am Markt.",
    "phrasings": "Wer malt?",
    "place": "town|town",
}
FORMS: Final = 10
"""So many forms have fields."""

FORM_ROOMS: Final = (
    "app/accounts",
    "app/console",
    "app/pages/rebuilds.py",
    "ingest/fetching",
)
"""Where the errors come from that forms show with their own messages; beside the features that have forms."""

ERRORS: Final = frozenset(
    name
    for name, error in vars(app.errors).items()
    if inspect.isclass(error)
    and issubclass(error, AuskunftError)
    and not issubclass(error, NotFoundError | LoginError)
    and (error.status < 500 or issubclass(error, SourceUnavailableError))
)
"""Errors whose messages forms show: others have texts of their own."""


@dataclass(frozen=True)
class Form:
    """A form of a page, and what it would send as it is."""

    path: str
    method: str
    fields: dict[str, str]

    def send(self, console: Console, **changes: str) -> TestResponse:
        """Send it with changes."""
        if self.method == "get":
            return console.client.get(self.path, query_string=self.fields | changes)
        return console.client.post(self.path, data=self.fields | changes, headers=OURS)


@pytest.fixture
def all_forms(german: Console) -> list[Form]:
    """All forms of all pages of an installation with something of everything that they are about, each
    once."""
    services = german.services
    services.store.accept_documents("law", library())
    while services.store.pending():
        services.indexing.indexer.sync_pages()
    assert german.client.post("/api/chat?site=town", json={"question": "How much is the dog tax?"}).get_data()
    with services.engine.connect() as connection:
        answer = connection.execute(select(answers.c.id)).scalar_one()
    urls = german.client.application.url_map
    places = [
        "/users/ada",
        f"/questions/{answer}",
        "/pages/town/en/dog-tax",
        "/pages?state=failed",
        "/sources/town",
        "/sites/town",
        *pages(urls, [*add_all(services)]),
    ]
    places += [
        rule.rule.removeprefix("/admin")
        for rule in urls.iter_rules()
        if rule.rule.startswith("/admin/") and not rule.arguments and "GET" in (rule.methods or ())
    ]
    found = {(form.path, *form.fields): form for place in places for form in _forms(german, place)}
    return list(found.values())


def _forms(console: Console, place: str) -> Iterator[Form]:
    answer = console.get(place)
    if answer.mimetype == "text/html":
        for form in soup(answer).select("main form"):
            path = str(form.get("action") or f"/admin{place.partition('?')[0]}")
            yield Form(path, str(form.get("method", "get")), _fields(form))


def _fields(form: Tag) -> dict[str, str]:
    fields = {}
    for field in form.select("[name]:not(button)"):
        chosen = field.select_one("option[selected], option") if field.name == "select" else field
        value = field.get_text() if field.name == "textarea" else chosen.get("value", "") if chosen else ""
        fields[str(field["name"])] = str(value)
    return fields


def english(answer: TestResponse) -> list[str]:
    """What a page says in English; nothing if it leads on. Read without :func:`soup`, which takes ten times
    as long: there are hundreds of pages."""
    if answer.status_code == 303:
        return []
    assert answer.mimetype == "text/html"
    texts = [" ".join(each.itertext()) for each in html.fromstring(answer.text).xpath(SHOWN)]
    return [text for text in texts if ENGLISH.search(text)]


def test_bad_input_is_said_in_german_in_every_form(german: Console, all_forms: list[Form]) -> None:
    found = [form for form in all_forms if form.fields]
    assert len(found) >= FORMS, [form.path for form in found]
    for form in found:
        for name in form.fields:
            for bad in BAD:
                answer = form.send(german, **{name: bad})
                assert answer.status_code < 500, (form.path, name, bad[:20])
                assert english(answer) == [], (form.path, name, bad[:20])


@pytest.mark.parametrize("lost", ["index", "pages.sqlite"])
def test_an_installation_that_is_broken_says_so_in_german_in_every_form(
    german: Console, all_forms: list[Form], lost: str
) -> None:
    place = german.services.settings.data / lost
    place.rename(place.with_name("elsewhere"))
    statuses = set()
    for form in all_forms:
        answer = form.send(german, **{name: FILLED.get(name, value) for name, value in form.fields.items()})
        statuses.add(answer.status_code)
        assert english(answer) == [], form.path
    place.with_name("elsewhere").rename(place)
    assert 503 in statuses


def test_every_message_that_a_form_may_show_has_a_translation() -> None:
    found = [
        each
        for room in (*map(ROOT.joinpath, FORM_ROOMS), *features_with_forms())
        for each in made_for_forms(room)
    ]
    assert len(found) > 30
    assert [each for each in found if each.template not in catalogue("de")] == []


def features_with_forms() -> list[Path]:
    """The folders of features whose pages have forms."""
    templates = (ROOT / "app/features").glob("*/templates/console/*.html")
    return sorted({path.parents[2] for path in templates if "<form" in path.read_text("utf-8")})


def made_for_forms(room: Path) -> Iterator[MadeError]:
    """The errors of a room whose messages forms show: of a feature those of the modules that its pages
    import, but for ``api.py``, which speaks to programs."""
    paths = [room] if room.is_file() else sorted(room.rglob("*.py"))
    if (room / "console.py").is_file():
        paths = sorted(imported(room / "console.py"))
    for path in (each for each in paths if each.name != "api.py"):
        yield from (each for each in made_errors(path) if each.kind in ERRORS)


def imported(module: Path) -> set[Path]:
    """The module, and those of its folder that it imports, and that these import."""
    found, waiting = set[Path](), [module]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        nodes = ast.walk(ast.parse(path.read_text("utf-8")))
        names = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        paths = (ROOT.joinpath(*name.split(".")).with_suffix(".py") for name in names)
        waiting += [each for each in paths if module.parent in each.parents and each.is_file()]
    return found


AWAY = refusing_url()


@pytest.mark.parametrize(
    "settings",
    [
        {"chat": {"base_url": AWAY, "model": "small"}},
        {"embedder": "endpoint", "embedders": {"endpoint": {"model": "small", "base_url": AWAY}}},
        {"broker_url": AWAY.replace("http", "redis").replace("/v1", "/0")},
    ],
    ids=["model", "embedder", "broker"],
)
def test_what_is_away_is_told_in_german(tmp_path: Path, settings: dict[str, object]) -> None:
    given = {"data": tmp_path, "embedder": "hashing", **settings}
    with Services(Settings.model_validate(given)) as services:
        told = [check.detail for check in checks(services) if not check.ok]
    assert told
    assert [each for each in told if foreign_parts(each)] == []


def foreign_parts(told: object) -> list[str]:
    """The templates in what a check says that have words and no translation."""
    if isinstance(told, tuple):
        return [part for each in told for part in foreign_parts(each)]
    if not isinstance(told, AuskunftError | Said):
        return []
    has_words = re.search("[a-z]", re.sub(r"\{[^}]*\}", "", told.template))
    own = [told.template] if has_words and told.template not in catalogue("de") else []
    return own + [part for value in told.values.values() for part in foreign_parts(value)]
