"""The weekly letter as mail programs draw it, wide and narrow, and in the console's frame."""

from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, expect

from app.accounts.news import Line, Section
from app.accounts.types import User
from app.console.texts import TEXTS
from app.features.letter.letter import Letter
from app.features.questions.services import QuestionServices
from app.services import Services
from app.settings.settings import load_settings
from tests.browser.barriers import OVERFLOW
from tests.browser.test_console import PASSWORD, console

GAPS: Final = "/admin/questions/groups?state=open"
WORD: Final = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
SECTIONS: Final = (
    Section(
        10,
        "Was fehlt",
        GAPS,
        (
            Line("Was kostet ein Bauantrag?", "4-mal gefragt · „Bauantrag“ steht auf keiner Seite", GAPS),
            Line(f"Wo ist die {WORD}?", "1-mal gefragt · nicht beantwortet: 1", GAPS),
            *[Line("Kann ich im Rathaus heiraten?", "2-mal gefragt · nicht beantwortet: 2", GAPS)] * 5,
        ),
    ),
    Section(
        20, "Widersprüche", "", (Line("Sie kostet 96 Euro. ≠ Sie kostet 105 Euro.", "town/a – town/b", GAPS),)
    ),
    Section(30, "Letzte Woche erledigt", "", (Line("Gibt es ein Schwimmbad?", "Erledigt: ada", GAPS),)),
)


@pytest.mark.parametrize("width", [600, 320])
def test_it_fits_whatever_width_it_is_read_at(browser: Browser, width: int) -> None:
    letter = Letter(
        name="Stadt Otterfurt",
        language="de",
        texts=TEXTS["de"],
        sections=SECTIONS,
        address="https://auskunft.town.example",
        stop="https://auskunft.town.example/letter?key=k",
    )
    page = browser.new_page(viewport={"width": width, "height": 900})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_content(letter.html)
    assert page.evaluate(OVERFLOW) <= 0
    assert page.locator("li").count() == 7 and asked == []
    page.close()


def test_the_console_shows_it_in_a_frame_with_its_styles_and_links_that_open(
    browser: Browser, tmp_path: Path
) -> None:
    with Services(load_settings(data=tmp_path, embedder="hashing")) as services:
        conversations = services.chat.conversations
        answer = conversations.begin("default", "Is there a casino?").answer
        document = {"answer": "A.", "status": "no_answer", "sources": [], "citations": []}
        conversations.finish(answer, document)
        services.feature(QuestionServices).groups.keep({answer: (1, 0)}, 0)
        key = services.users.add(User(name="ada", role="admin"))
        services.users.set_password(key, PASSWORD)
        page = browser.new_page(viewport={"width": 1000, "height": 1200})
        with console(services) as address:
            page.goto(f"{address}login?lang=en")
            page.fill("#name", "ada")
            page.fill("#password", PASSWORD)
            page.click("main button")
            page.goto(f"{address}letter")
            frame = page.frame_locator("iframe")
            heading = frame.get_by_role("heading", name="What is missing")
            expect(heading).to_have_css("font-size", "18px")
            with page.expect_popup() as opened:
                frame.get_by_role("link", name="Is there a casino?").click()
            expect(opened.value.get_by_role("heading", name="Is there a casino?")).to_be_visible()
        page.context.close()
