"""No barriers that axe-core knows, in any colours, on small and zoomed windows."""

import pytest
from playwright.sync_api import expect

from tests.browser.barriers import OVERFLOW, barriers_in_every_look
from tests.browser.conftest import StartVisit
from tests.browser.scripted import Reply, ScriptedService, block, done, found, source, started
from tests.browser.website import Website
from tests.fakes.llm import FakeLlm
from tests.fakes.llm import Reply as ModelReply

QUESTION = "Was kostet die Hundesteuer?"
TABLE = (
    "<table>\n<thead>\n<tr>\n<th>Hund</th>\n<th>Euro im Jahr</th>\n</tr>\n</thead>\n<tbody>\n"
    "<tr>\n<td>der erste</td>\n<td>96</td>\n</tr>\n</tbody>\n</table>"
)
MARKDOWN_TABLE = "| Hund | Euro im Jahr |\n|---|---|\n| der erste | 96 |\n"
ENERGY = {"wh": 0.42, "basis": "measured", "hair_dryer_seconds": 0.687, "phone_percent": 1.34}
ENERGY |= {"parts": {"cpu": 0.3, "gpu": 0.1}, "pue": 1.05}
ANSWER = (
    started(),
    found(source(1), source(2, "Gebühren", similarity=None), source(None, "Hundewiese")),
    block('<h2>Steuer</h2>\n<p>Siehe <a class="citation" href="#source-1">[1]</a>, <code>§ 3</code>.</p>'),
    block(TABLE, 1),
    block("<ol>\n<li>Anmelden</li>\n<li>Zahlen\n<ul>\n<li>bar</li>\n</ul>\n</li>\n</ol>", 2),
    done(degraded=["rephrase_failed"], probable=[2], energy=ENERGY),
)


def test_axe_finds_no_barrier(
    visit: StartVisit, website: Website, scripted: ScriptedService, axe: str
) -> None:
    chat = visit(reduced_motion="reduce")
    chat.page.goto(website.embed(scripted.address))
    expect(chat.launcher).to_be_visible()
    assert barriers_in_every_look(chat.page, axe) == []
    chat.open()
    assert barriers_in_every_look(chat.page, axe) == []
    scripted.script(Reply(pieces=ANSWER), Reply(status=429, headers={"Retry-After": "30"}))
    chat.ask(QUESTION)
    chat.finished()
    for summary in chat.exchanges.last.locator("summary").all():
        summary.click()
    expect(chat.exchanges.last.locator(".notes li li")).to_have_text(
        ["Prozessor: 0,3 Wh", "Grafikprozessor: 0,1 Wh", "Rechenzentrum, Kühlung und Verluste: 0,02 Wh"]
    )
    chat.button("Nein, nicht hilfreich").click()
    chat.answer.get_by_role("link").click()
    assert barriers_in_every_look(chat.page, axe) == []
    chat.ask("Noch eine Frage?")
    chat.finished()
    chat.button("Gespräch löschen").click()
    assert barriers_in_every_look(chat.page, axe) == []


PAGES = (
    "/?site=demo&lang=de",
    "/?site=demo&lang=de&q=Hundesteuer+in+Otterfurt",
    "/?site=demo&lang=de&q=" + "Hund" * 600,
    "/chat?site=nobody&lang=de",
    "/about?site=demo&lang=de",
    "/about?site=nobody&lang=en",
    "/otterfurt/de/index.html",
    "/otterfurt/de/hundesteuer.html",
)


def test_axe_finds_no_barrier_in_the_pages_of_the_service(
    visit: StartVisit, demo: str, llm: FakeLlm, axe: str
) -> None:
    reader = visit(bypass_csp=True)
    for path in PAGES:
        reader.page.goto(demo + path)
        assert barriers_in_every_look(reader.page, axe) == [], path
    reader.page.route("**/widget.js", lambda route: route.abort())  # as where no scripts run
    reader.page.goto(f"{demo}/chat?site=demo&lang=de")
    assert barriers_in_every_look(reader.page, axe) == []
    llm.default = ModelReply(deltas=("STATUS: answered\nSie kostet **96 Euro** [1].\n\n", MARKDOWN_TABLE))
    for question in (QUESTION, "Und was kostet der zweite Hund im Jahr?", "\u200b"):
        reader.page.locator("#question").fill(question)
        reader.button("Frage senden").click()
    expect(reader.page.locator("article.turn:nth-of-type(2) .citation").first).to_be_visible()
    expect(reader.page.locator("#error")).to_be_visible()
    assert barriers_in_every_look(reader.page, axe) == []


def test_axe_finds_no_barrier_in_the_chat_within_the_page(
    visit: StartVisit, website: Website, scripted: ScriptedService, axe: str
) -> None:
    chat = visit()
    chat.page.goto(
        website.embed(scripted.address, body='<auskunft-chat site="town"></auskunft-chat>', site="")
    )
    scripted.script(Reply(pieces=ANSWER))
    chat.ask(QUESTION)
    chat.finished()
    assert barriers_in_every_look(chat.page, axe) == []


@pytest.mark.parametrize(("width", "height"), [(320, 568), (320, 256), (640, 400), (768, 1024), (1280, 800)])
def test_everything_can_be_reached_in_a_window_of_any_size(
    visit: StartVisit, website: Website, scripted: ScriptedService, width: int, height: int
) -> None:
    chat = visit(viewport={"width": width, "height": height}).go(website.embed(scripted.address))
    scripted.script(Reply(pieces=ANSWER))
    chat.ask(QUESTION)
    chat.finished()
    controls = [chat.field, chat.button("Frage senden"), chat.button("Chat schließen")]
    summaries = [chat.exchanges.last.locator(f".{part} summary") for part in ("notes", "sources")]
    for control in (*controls, chat.button("Ja, hilfreich"), *summaries):
        control.scroll_into_view_if_needed()
        box = control.bounding_box()
        assert box is not None
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        assert box["y"] >= 0 and box["y"] + box["height"] <= height + 1  # scrolled by whole pixels
    assert chat.page.evaluate(OVERFLOW) <= 0
    assert chat.panel.evaluate("panel => panel.scrollWidth - panel.clientWidth") <= 0
    assert chat.page.locator(".log").evaluate("log => log.scrollWidth - log.clientWidth") <= 0


@pytest.mark.parametrize(("height", "scroller"), [(800, ".log"), (360, ".panel")])
def test_the_last_question_stands_at_the_top_so_that_its_answer_can_be_read_from_the_beginning(
    visit: StartVisit, website: Website, scripted: ScriptedService, height: int, scroller: str
) -> None:
    chat = visit(viewport={"width": 640, "height": height}).go(website.embed(scripted.address))
    scripted.script(Reply(pieces=ANSWER), Reply(pieces=ANSWER))
    for question in (QUESTION, "Und der zweite Hund?"):
        chat.ask(question)
        chat.finished()
    top = chat.page.locator(scroller).bounding_box()
    heading = chat.exchanges.last.locator("h3").bounding_box()
    assert top is not None and heading is not None
    assert 0 <= heading["y"] - top["y"] < 40
    if scroller == ".log":
        assert chat.panel.evaluate("panel => panel.scrollHeight - panel.clientHeight") == 0


def test_nothing_moves_for_those_who_do_not_want_it(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit(reduced_motion="reduce").go(website.embed(scripted.address))
    scripted.script(Reply(pieces=ANSWER[:2], ending="hang"))
    chat.ask(QUESTION)
    progress = chat.exchanges.last.locator(".progress p")
    expect(progress).to_have_text("Die Antwort wird geschrieben …")
    assert progress.evaluate("p => getComputedStyle(p, '::before').animationName") == "none"
    assert chat.page.evaluate("document.getAnimations().length") == 0


def test_every_control_is_large_enough_to_hit(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit().go(website.embed(scripted.address))
    scripted.script(Reply(pieces=ANSWER))
    chat.ask(QUESTION)
    chat.finished()
    for control in chat.panel.get_by_role("button").all():
        box = control.bounding_box()
        assert box is None or (box["width"] >= 44 and box["height"] >= 44), control.inner_text()
