"""What stands below an answer: its sources in a line each, what else was found, where to go on."""

from typing import Final

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import StartVisit
from tests.browser.scripted import Reply, ScriptedService, block, done, found, frame, source, started
from tests.browser.visit import Visit
from tests.browser.website import Website

QUESTION: Final = "Was kostet die Hundesteuer?"
CITING: Final = '<p>Sie kostet 96 Euro <a class="citation" href="#source-1">[1]</a>.</p>'
FOUND: Final = found(source(1), source(2, "Gebühren"), source(None, "Hundewiese", snippet="6 bis 18 Uhr | |"))
WHOLE: Final = (started(), FOUND, block(CITING), done())
SUGGESTION: Final = "Welche Hunde sind befreit? – Hundesteuer"
WIDE_TABLE: Final = (
    "<table>\n<thead>\n<tr>\n<th>Verwaltungsgebührenverzeichnis</th>\n<th>Gebühr im Jahr</th>\n"
    "<th>Gilt ab</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>Personalausweis</td>\n"
    "<td>37,00 €</td>\n<td>1. Januar 2026</td>\n"
    "</tr>\n</tbody>\n</table>"
)
BROKEN: Final = """cells => cells.flatMap((cell) => {
  const lines = ([start, end]) => {
    const range = document.createRange();
    range.setStart(cell.firstChild, start);
    range.setEnd(cell.firstChild, end);
    return new Set([...range.getClientRects()].map((box) => box.top)).size;
  };
  const words = [...cell.textContent.matchAll(/[\\d.,]+ €|\\S+/g)];
  return words.filter((word) => lines([word.index, word.index + word[0].length]) > 1).map(([word]) => word);
})"""
"""The words and amounts that are on more than one line."""


@pytest.fixture
def chat(visit: StartVisit, website: Website, scripted: ScriptedService) -> Visit:
    """The chat on the town's home page, opened."""
    return visit().go(website.embed(scripted.address))


def ask(chat: Visit, scripted: ScriptedService, *pieces: bytes) -> None:
    scripted.script(Reply(pieces=pieces or WHOLE))
    chat.ask(QUESTION)
    chat.finished()


def test_what_else_the_quoted_page_has_is_a_click_away(chat: Visit, scripted: ScriptedService) -> None:
    more = f"<blockquote>\n<p><strong>Befreiung</strong></p>\n{CITING}</blockquote>\n"
    ask(chat, scripted, started(), FOUND, block(CITING), done("extractive", more_html=more))
    hidden = chat.exchanges.last.get_by_text("Befreiung")
    expect(hidden).to_be_hidden()
    chat.exchanges.last.get_by_text("Mehr von dieser Seite").click()
    expect(hidden).to_be_visible()
    chat.exchanges.last.locator(".more a.citation").click()
    expect(chat.exchanges.last.locator(".sources li.cited")).to_have_count(1)


def test_only_cited_sources_are_listed_and_the_others_are_a_click_away(
    chat: Visit, scripted: ScriptedService
) -> None:
    ask(chat, scripted)
    listed = chat.exchanges.last.locator(".sources ol li")
    expect(listed).to_have_count(1)
    expect(listed.locator(".title")).to_have_text("Hundesteuer")
    expect(listed.locator(".path")).to_have_text("Rathaus › Steuern")
    for title in ("Gebühren", "Hundewiese"):
        expect(chat.page.get_by_role("link", name=title)).to_be_hidden()
    chat.exchanges.last.get_by_text("Ebenfalls gefunden (2)").click()
    expect(chat.page.get_by_role("link", name="Hundewiese")).to_be_visible()
    expect(chat.exchanges.last).not_to_contain_text("%")


def test_a_source_is_one_line_whose_excerpt_opens(chat: Visit, scripted: ScriptedService) -> None:
    ask(chat, scripted)
    item = chat.exchanges.last.locator(".sources ol li")
    box = item.bounding_box()
    assert box is not None and box["height"] <= 46
    expect(item.locator(".snippet")).to_be_hidden()
    more = chat.button("Auszug: Hundesteuer")
    expect(more).to_have_attribute("aria-expanded", "false")
    more.press("Enter")
    expect(more).to_have_attribute("aria-expanded", "true")
    expect(item.locator(".snippet")).to_contain_text("144 Euro")


def test_an_answer_that_cites_nothing_has_its_probable_sources_named_as_such(
    chat: Visit, scripted: ScriptedService
) -> None:
    ask(chat, scripted, started(), FOUND, block("<p>Ja.</p>"), done(citations=[], probable=[2]))
    expect(chat.page.get_by_role("heading", name="Wahrscheinlich aus")).to_be_visible()
    expect(chat.exchanges.last.locator(".sources ol .title")).to_have_text("Gebühren")


def test_without_an_answer_no_page_poses_as_one(chat: Visit, scripted: ScriptedService) -> None:
    nothing = done("no_answer", citations=[], model=None)
    ask(chat, scripted, started(), FOUND, block("<p>Die Seiten beantworten das nicht.</p>"), nothing)
    expect(chat.exchanges.last.locator(".sources ol")).to_have_count(0)
    expect(chat.exchanges.last.get_by_text("Gefundene Seiten (3)")).to_be_visible()
    expect(chat.page.get_by_text("6 bis 18 Uhr")).to_be_hidden()


def test_a_site_may_list_all_that_was_read_and_what_was_cut_with_cosines(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    scripted.site["listed_sources"] = "used"
    chat = visit().go(website.embed(scripted.address))
    linked = source(2, "Gebühren", linked_from={"reference": [1, 3], "recital": [1]})
    ask(
        chat, scripted, started(), found(source(1), linked, source(None, "Hundewiese")), block(CITING), done()
    )
    items = chat.exchanges.last.locator(".sources ol li")
    expect(items.locator(".title")).to_have_text(["Hundesteuer", "Gebühren", "Hundewiese"])
    expect(items.locator(".facts")).to_have_text(
        [
            "Kosinus 87 %",
            "Kosinus 87 % · Verweis aus [1], [3] · Erwägungsgrund zum Rechtsakt von [1]",
            "Kosinus 71 % · nicht gelesen",
        ]
    )
    expect(chat.exchanges.last.locator("details")).to_have_count(0)


def test_actions_stand_directly_under_the_answer(chat: Visit, scripted: ScriptedService) -> None:
    ask(chat, scripted)
    answer, action = chat.answer.bounding_box(), chat.button("Antwort kopieren").bounding_box()
    sources = chat.exchanges.last.locator(".sources").bounding_box()
    assert answer is not None and action is not None and sources is not None
    assert 0 <= action["y"] - (answer["y"] + answer["height"]) < 30
    assert action["y"] < sources["y"]


class TestPreview:
    def test_it_shows_what_a_citation_leads_to_while_it_is_pointed_at(
        self, chat: Visit, scripted: ScriptedService
    ) -> None:
        ask(chat, scripted)
        preview = chat.page.get_by_role("tooltip")
        chat.answer.locator("a.citation").hover()
        expect(preview).to_contain_text("144 Euro")
        preview.hover()
        expect(preview).to_be_visible()
        chat.field.hover()
        expect(preview).to_be_hidden()

    def test_it_comes_with_the_focus_and_escape_closes_it_alone(
        self, chat: Visit, scripted: ScriptedService
    ) -> None:
        ask(chat, scripted)
        chat.button("Antwort kopieren").focus()
        chat.page.keyboard.press("Shift+Tab")
        preview = chat.page.get_by_role("tooltip")
        expect(preview).to_contain_text("Hundesteuer")
        expect(chat.answer.locator("a.citation")).to_have_attribute("aria-describedby", "preview")
        chat.page.keyboard.press("Escape")
        expect(preview).to_be_hidden()
        expect(chat.panel).to_be_visible()
        chat.page.keyboard.press("Escape")
        expect(chat.panel).to_be_hidden()

    def test_a_finger_goes_to_the_source(
        self, visit: StartVisit, website: Website, scripted: ScriptedService
    ) -> None:
        chat = visit(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
        chat.go(website.embed(scripted.address))
        ask(chat, scripted)
        chat.answer.locator("a.citation").tap()
        expect(chat.exchanges.last.locator(".sources li a").first).to_be_focused()
        expect(chat.page.get_by_role("tooltip")).to_be_hidden()

    @pytest.mark.parametrize("width", [320, 1280])
    def test_it_stays_within_the_chat(
        self, visit: StartVisit, website: Website, scripted: ScriptedService, width: int
    ) -> None:
        chat = visit(viewport={"width": width, "height": 568}).go(website.embed(scripted.address))
        ask(chat, scripted)
        chat.answer.locator("a.citation").hover()
        preview = chat.page.get_by_role("tooltip")
        expect(preview).to_be_visible()
        inner, outer = preview.bounding_box(), chat.panel.bounding_box()
        assert inner is not None and outer is not None
        assert inner["x"] >= outer["x"] and inner["x"] + inner["width"] <= outer["x"] + outer["width"]
        assert inner["y"] >= outer["y"]


def test_a_wide_table_scrolls_and_breaks_no_word_or_figure(
    visit: StartVisit, website: Website, scripted: ScriptedService
) -> None:
    chat = visit(viewport={"width": 320, "height": 568}).go(website.embed(scripted.address))
    ask(chat, scripted, started(), FOUND, block(WIDE_TABLE), done())
    frame = chat.answer.get_by_role("group", name="Tabelle")
    assert frame.evaluate("frame => frame.scrollWidth > frame.clientWidth")
    assert chat.page.locator(".log").evaluate("log => log.scrollWidth - log.clientWidth") <= 0
    assert chat.answer.locator("th, td").evaluate_all(BROKEN) == []
    frame.focus()
    chat.page.keyboard.press("ArrowRight")
    chat.page.wait_for_function(
        "document.querySelector('auskunft-chat').shadowRoot.querySelector('.table').scrollLeft > 0"
    )


def test_a_follow_up_question_is_asked_by_one_click(chat: Visit, scripted: ScriptedService) -> None:
    ask(chat, scripted, *WHOLE[:3], done(suggestions=[SUGGESTION]))
    scripted.script(Reply(pieces=(*WHOLE[:3], done(suggestions=["Fahrplan – Fähre"]))))
    label = SUGGESTION.removesuffix(" – Hundesteuer")  # the page that the answer is of
    chat.button(label).click()
    chat.finished()
    expect(chat.exchanges).to_have_count(2)
    expect(chat.field).to_be_focused()
    expect(chat.button(label)).to_be_hidden()
    expect(chat.button("Fahrplan – Fähre")).to_be_visible()
    asked = scripted.asked("POST", "/api/chat")[-1]
    assert asked == {"question": SUGGESTION, "conversation": "c1"}


def test_a_question_that_may_be_meant_otherwise_is_asked_in_full_by_one_click(
    chat: Visit, scripted: ScriptedService
) -> None:
    meant = "Was kostet das – Reisepass?"
    ask(chat, scripted, *WHOLE[:3], done(other_readings=[meant]))
    expect(chat.exchanges.last.get_by_role("heading", name="Meinten Sie")).to_be_visible()
    scripted.script(Reply(pieces=WHOLE))
    chat.button(meant).click()
    chat.finished()
    expect(chat.button(meant)).to_be_hidden()
    assert scripted.asked("POST", "/api/chat")[-1] == {"question": meant, "conversation": "c1"}


OTHER, MEANT = "Ausweis – Reisepass?", "Ausweis – Hallenbad?"


def test_readings_stand_above_the_answer_by_their_pages_and_end_what_is_being_written(
    chat: Visit, scripted: ScriptedService
) -> None:
    several = frame("sources", sources=[source(1)], mode="knn", degraded=[], other_readings=[OTHER, MEANT])
    scripted.script(Reply(pieces=(started(), several, block(CITING)), ending="hang"), Reply(pieces=WHOLE))
    chat.ask("Ausweis")
    expect(chat.button("Hallenbad")).to_be_visible()
    chat.button("Hallenbad").dblclick()
    chat.finished()
    assert len(scripted.asked("POST", "/api/chat")) == 2
    assert scripted.asked("POST", "/api/chat")[-1] == {"question": MEANT, "conversation": "c1"}
    expect(chat.button("Hallenbad")).to_be_hidden()


def test_a_reading_is_asked_once_however_late_the_second_click_of_two_comes(
    chat: Visit, scripted: ScriptedService
) -> None:
    several = frame("sources", sources=[source(1)], mode="knn", degraded=[], other_readings=[OTHER, MEANT])
    hanging = Reply(pieces=(started(), several, block(CITING)), ending="hang")
    scripted.script(hanging, hanging, Reply(pieces=WHOLE))
    chat.ask("Ausweis")
    button = chat.exchanges.first.get_by_role("button", name="Hallenbad")
    button.evaluate("button => { window.reading = button; button.click(); }")
    expect(chat.exchanges).to_have_count(2)
    expect(chat.exchanges.last.get_by_role("heading", name="Meinten Sie")).to_be_visible()
    chat.page.evaluate("window.reading.click()")
    chat.page.evaluate("new Promise(requestAnimationFrame)")
    assert [each["question"] for each in scripted.asked("POST", "/api/chat")] == ["Ausweis", MEANT]


def test_a_new_conversation_begins_without_the_last_one(chat: Visit, scripted: ScriptedService) -> None:
    expect(chat.button("Neues Gespräch")).to_be_hidden()
    ask(chat, scripted)
    chat.button("Neues Gespräch").click()
    expect(chat.exchanges).to_have_count(0)
    expect(chat.field).to_be_focused()
    expect(chat.page.get_by_role("status")).to_contain_text("Ein neues Gespräch hat begonnen.")
    assert chat.page.evaluate("sessionStorage.length") == 0
    ask(chat, scripted)
    assert "conversation" not in scripted.asked("POST", "/api/chat")[-1]
    assert not [path for method, path, _ in scripted.requests if method == "DELETE"]


def test_phone_numbers_and_addresses_can_be_followed(chat: Visit, scripted: ScriptedService) -> None:
    phone, mail = "tel:06990009100", "mailto:a@town.example"
    html = f'<p><a href="{phone}">069 90009-100</a> oder <a href="{mail}">a@town.example</a></p>'
    ask(chat, scripted, started(), FOUND, block(html), done())
    links = chat.answer.get_by_role("link")
    assert [link.get_attribute("href") for link in links.all()] == [
        "tel:06990009100",
        "mailto:a@town.example",
    ]


@pytest.mark.parametrize(
    ("kind", "origin"),
    [
        ("answer", "Von der Redaktion dieser Website geschrieben."),
        ("blocked", "Von der Redaktion dieser Website geschrieben."),
        ("pin", "Von einer KI aus den Quellen geschrieben."),
    ],
)
def test_an_answer_says_whether_the_editors_or_an_ai_wrote_it(
    chat: Visit, scripted: ScriptedService, kind: str, origin: str
) -> None:
    curated = {"kind": kind, "entries": [1]}
    ask(chat, scripted, started(), found(), block("<p>Text.</p>"), done(curated=curated))
    expect(chat.exchanges.last).to_contain_text(origin)
    expect(chat.exchanges.last.get_by_text(" geschrieben.")).to_have_count(1)
