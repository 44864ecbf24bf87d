"""Editors see what is told of a page, and can have it not told."""

from dataclasses import replace
from typing import Any, Final

import pytest
from werkzeug.test import TestResponse

from app.chat.service import VisitorQuestion
from app.console.texts import TEXTS
from app.features.facts.services import FactServices
from app.services import Services
from app.settings.sites import SiteSettings
from ingest.types import PageRef, RawField
from tests.app.console.conftest import OURS, TOKEN, Console
from tests.app.site import XSS, raw_page
from tests.app.web.browser import soup

REF: Final = PageRef(source="town", id="library", language="en")
PATH: Final = "/pages/town/en/library"
BEARER: Final = {"Authorization": f"Bearer {TOKEN}"}
CONTENT: Final = """# Library

## Opening hours

* Monday to Sunday: 10 am to 6 pm

## Fees

| Card | Price |
|---|---|
| Library card | €15 |
| Visitor card | €3 |
| Lost card | €5 |
| Evil {evil} | €1 |

## Contact

Library desk, Gerberufer 5, 00815 Otterfurt
Phone: +49 69 90009-180

## What to bring

* your passport,
* {evil}
"""


@pytest.fixture
def services(services: Services) -> Services:
    """With the page of a library."""
    save = raw_page("library", "Library", "")
    content = RawField(text=CONTENT.format(evil=XSS[0]), media_type="text/markdown")
    fields = {**save.page.fields, "content": content}
    services.store.accept([replace(save, page=replace(save.page, fields=fields))])
    while services.store.pending():
        services.indexing.indexer.sync_pages()
    return services


def answer(services: Services, question: str, **site: object) -> str:
    asked = VisitorQuestion(question=question, sources=frozenset({"town"}))
    of_site = SiteSettings.model_validate({"key": "town", "sources": ["town"]} | site)
    exchange = services.chat.service.begin(of_site, asked)
    assert list(exchange.events())
    return str(exchange.document["answer"])


def json_of(answered: TestResponse) -> dict[str, Any]:
    assert answered.status_code == 200
    found: dict[str, Any] = answered.get_json()
    return found


PHONE: Final = "Phone number of the library desk"
PRICE: Final = "How much is a visitor card of the library?"
TOLD: Final = "* Visitor card: **€3** [1]"


def test_what_is_told_stands_on_the_page_and_is_told_no_more_on_request(
    editor: Console, services: Services
) -> None:
    shown = soup(editor.get(f"{PATH}?lang=en"))
    text = shown.get_text(" ", strip=True)
    assert "Monday–Sunday: 10 am to 6 pm" in text
    assert "Visitor card: €3" in text
    assert "Contact Library desk, Gerberufer 5, 00815 Otterfurt Phone: +49 69 90009-180" in text
    assert "your passport" in text
    assert not shown.select(".plain script")
    assert TOLD in answer(services, PRICE)
    assert answer(services, PHONE).startswith("**Library**\n\n* Library desk")
    assert answer(services, "Is the library open on Sundays?").startswith("**")

    assert f"{PATH}?done=" in editor.post("/facts/silence/town/en/library").location
    assert TEXTS["en"]["page_facts_silent"] in soup(editor.get(PATH)).get_text()
    assert TOLD not in answer(services, PRICE)
    assert not answer(services, PHONE).startswith("**")
    assert not answer(services, "Is the library open on Sundays?").startswith("**")

    editor.post("/facts/tell/town/en/library")
    assert TOLD in answer(services, PRICE)


def test_a_site_can_have_no_cards(services: Services) -> None:
    assert TOLD not in answer(services, PRICE, cards=False)


def test_programs_read_the_facts_and_have_them_not_told(console: Console) -> None:
    path, client = "/api/admin/facts/town/en/library", console.client
    facts = json_of(client.get(path, headers=BEARER))
    assert facts["is_silent"] is False
    assert facts["opening_hours"][0]["rules"][0]["spans"] == [{"opens": "10:00", "closes": "18:00"}]
    assert facts["json_ld"]["openingHoursSpecification"][0]["closes"] == "18:00"
    assert facts["json_ld"]["telephone"] == facts["contacts"][0]["phone"] == "+49 69 90009-180"
    assert facts["bring"][0]["headings"] == ["What to bring"]
    assert {"label": "Visitor card", "prices": [["", "€3"]]} in facts["prices"][0]["rows"]
    assert json_of(client.put(f"{path}/silence", headers=BEARER))["is_silent"] is True
    assert json_of(client.put(f"{path}/silence", headers=BEARER))["is_silent"] is True
    assert json_of(client.delete(f"{path}/silence", headers=BEARER))["is_silent"] is False
    for missing in ("town/en/nowhere", "town/xxxx/library"):
        assert client.get(f"/api/admin/facts/{missing}", headers=BEARER).status_code == 404


def test_another_sources_editor_changes_nothing(services: Services) -> None:
    other = Console(services).log_in("lee", "law")
    assert other.post("/facts/silence/town/en/library").status_code == 404
    assert not services.feature(FactServices).silent.has(REF)


def test_a_form_of_another_website_changes_nothing(editor: Console, services: Services) -> None:
    sent = editor.client.post(
        "/admin/facts/silence/town/en/library", headers=OURS | {"Sec-Fetch-Site": "cross-site"}
    )
    assert sent.status_code == 403
    assert not services.feature(FactServices).silent.has(REF)


def test_a_page_without_facts_has_no_box(editor: Console) -> None:
    shown = soup(editor.get("/pages/town/en/pool?lang=en")).get_text()
    assert TEXTS["en"]["page_facts"] not in shown
