"""An answer while it is written: its text comes at once, and nothing moves."""

import threading
from typing import Any, Final

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import StartVisit
from tests.browser.scripted import Reply, ScriptedService, block, done, found, preview, source, started
from tests.browser.visit import Visit
from tests.browser.website import Website

QUESTION: Final = "Hundesteuer?"
"""So short that the field does not shrink when it is sent."""
CITING: Final = '<p>Sie kostet 96 Euro <a class="citation" href="#source-1">[1]</a>.</p>'
LIST: Final = "<ul>\n<li>für den ersten Hund</li>\n<li>im Jahr</li>\n</ul>"
ANSWER: Final = (
    started(),
    found(source(1), source(2, "Gebühren"), source(None, "Hundewiese")),
    preview("Sie kostet"),
    preview(" 96 Euro [1", keep=10),
    preview(" [1].", keep=18),
    block(CITING),
    preview("• für den ersten Hund", index=1),
    preview("\n• im", keep=21, index=1),
    block(LIST, 1),
    done(suggestions=["Welche Hunde sind befreit? – Hundesteuer"], degraded=["rephrase_failed"]),
)
SHOWN: Final = {
    3: "Sie kostet",
    4: "Sie kostet 96 Euro [1",
    5: "Sie kostet 96 Euro [1].",
    7: "• für den ersten Hund",
    8: "• für den ersten Hund\n• im",
}
"""The text that can be read before the event with this position."""

OBSERVE: Final = """
  window.shifts = [];
  const told = ({ value, sources }) => [value, ...sources.map(({ node, previousRect, currentRect }) =>
    [node?.className ?? node?.nodeName, previousRect.top, currentRect.top].join(" "))];
  new PerformanceObserver((list) => shifts.push(...list.getEntries().map(told)))
    .observe({ type: "layout-shift", buffered: true });
"""
SHIFTED: Final = """() => new Promise((resolve) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(shifts)))))"""


def start(visit: StartVisit, website: Website, scripted: ScriptedService, **options: Any) -> Visit:
    chat = visit(**options)
    chat.page.add_init_script(OBSERVE)
    return chat.go(website.embed(scripted.address))


@pytest.mark.parametrize("width", [320, 1280])
def test_text_comes_as_it_is_written_and_nothing_moves(
    visit: StartVisit, website: Website, scripted: ScriptedService, width: int
) -> None:
    chat = start(visit, website, scripted, viewport={"width": width, "height": 640})
    scripted.script(Reply(pieces=ANSWER))
    chat.ask("Eine Frage davor?")
    chat.finished()
    gates = {position: threading.Event() for position in SHOWN}
    scripted.script(Reply(pieces=ANSWER, gates=gates))
    chat.page.evaluate("shifts.length = 0")
    chat.ask(QUESTION)
    draft = chat.exchanges.last.locator(".draft")
    for position, text in SHOWN.items():
        expect(draft).to_have_text(text, use_inner_text=True)
        gates[position].set()
    chat.finished()
    expect(draft).to_be_hidden()
    expect(chat.answer.get_by_role("listitem")).to_have_text(["für den ersten Hund", "im Jahr"])
    expect(chat.exchanges.last.locator(".sources")).to_contain_text("Hundesteuer")
    assert chat.page.evaluate(SHIFTED) == []


def test_those_who_listen_hear_whole_blocks_alone(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = start(visit, website, scripted)
    gate = threading.Event()
    scripted.script(Reply(pieces=ANSWER, gates={5: gate}))
    chat.ask(QUESTION)
    expect(chat.exchanges.last.locator(".draft")).to_have_attribute("aria-hidden", "true")
    expect(chat.exchanges.last.locator(".draft")).to_contain_text("[1].")
    assert chat.announced[-1] == "Die Antwort wird geschrieben …"
    gate.set()
    chat.finished()
    assert chat.announced[2:] == [
        "Sie kostet 96 Euro.",
        "für den ersten Hund",
        "im Jahr",
        "Die Antwort ist vollständig.",
    ]


def test_a_stopped_answer_keeps_the_text_that_could_be_read(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = start(visit, website, scripted)
    scripted.script(Reply(pieces=ANSWER[:7], ending="hang"))
    chat.ask(QUESTION)
    draft = chat.exchanges.last.locator(".draft")
    expect(draft).to_have_text("• für den ersten Hund")
    chat.button("Anhalten").click()
    chat.finished()
    expect(draft).to_be_visible()
    assert draft.get_attribute("aria-hidden") is None
    expect(chat.exchanges.last.locator(".sources li[data-number='1']")).to_be_visible()


def test_the_button_that_stops_takes_the_place_of_that_which_asks(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = start(visit, website, scripted, viewport={"width": 320, "height": 568})
    before = chat.button("Frage senden").bounding_box()
    scripted.script(Reply(pieces=ANSWER[:4], ending="hang"))
    chat.ask(QUESTION)
    expect(chat.button("Anhalten")).to_be_visible()
    expect(chat.button("Frage senden")).to_be_hidden()
    assert chat.button("Anhalten").bounding_box() == before
