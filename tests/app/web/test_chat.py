"""The chat's page as a browser without scripts sees it."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import urljoin, urlsplit

import pytest
from bs4 import BeautifulSoup, Tag
from flask.testing import FlaskClient
from structlog.testing import capture_logs
from werkzeug.test import TestResponse

from app import create_app
from app.chat.events import DeltaEvent, StartEvent
from app.errors import IndexUnavailableError
from app.services import Services
from app.settings.chat import ChatSettings
from app.settings.settings import Settings, load_settings
from app.settings.sites import IndexSettings, SiteSettings
from app.web.texts import LANGUAGES, TEXTS
from ingest.types import RawField, Save
from tests.app.api.test_failures import Failing, failing_client
from tests.app.law.ferries import library
from tests.app.site import PAGES, XSS, raw_page
from tests.app.web.browser import assert_inert, soup
from tests.fakes.databases import new_data
from tests.fakes.llm import FakeLlm, Reply, rewriting

TEXT: Final = TEXTS["en"]
DOGS: Final = "How much is the dog tax in euros?"
LEADS: Final = "May my dog run free in the park of the town?"


class Reader:
    """Reads pages and fills in their forms."""

    def __init__(self, client: FlaskClient, address: str = "/chat?site=town&lang=en") -> None:
        self.client = client
        self.take(client.get(address), address)

    def take(self, response: TestResponse, address: str) -> None:
        self.status = response.status_code
        self.headers = response.headers
        self.page: BeautifulSoup = soup(response)
        self.address = address
        assert_inert(self.page)

    def send(self, form: Tag, button: Tag | None = None, **typed: str) -> None:
        """Send a form as a browser does: its fields, and the button that was pressed."""
        fields = form.select("input[name], textarea[name]")
        sent = {str(field["name"]): str(field.get("value", "")) for field in fields}
        sent |= {str(choice["name"]): chosen(choice) for choice in form.select("select[name]")}
        sent |= typed
        if button is not None and button.get("name"):
            sent[str(button["name"])] = str(button["value"])
        address = urljoin(self.address, str(form["action"])).partition("#")[0]
        self.take(self.client.post(address, data=sent), address)

    def ask(self, question: str) -> None:
        (form,) = self.page.select("form.ask")
        self.send(form, q=question)

    @property
    def turns(self) -> list[Tag]:
        return self.page.select("article.turn")

    @property
    def alert(self) -> str:
        return " ".join(alert.get_text() for alert in self.page.select("[role=alert]"))

    @property
    def conversation(self) -> str:
        (field,) = self.page.select("form.ask input[name=conversation]")
        return str(field["value"])

    @property
    def asked_before(self) -> str:
        """What stands in the field."""
        (field,) = self.page.select("#question")
        return field.get_text().removeprefix("\n")


def chosen(choice: Tag) -> str:
    """The value of a list's chosen entry: the first one where none is marked."""
    first, *_ = [*choice.select("option[selected]"), *choice.select("option")]
    return str(first["value"])


TOWN: Final = SiteSettings(
    key="town",
    name="Town of Otterfurt",
    origins=["https://www.town.example"],
    contact="Town hall, 069 90009-100",
    examples=["When is the ferry?"],
    privacy_url="https://town.example/privacy",
)
OTHER: Final = SiteSettings(key="other", sources=["elsewhere"], contact="nobody")
INDEXES: Final = {
    "whole": IndexSettings(sources=["town"], preset="rtr", label="Whole pages"),
    "empty": IndexSettings(sources=["elsewhere"]),
    "parts": IndexSettings(sources=["town"]),
}
SEVERAL: Final = SiteSettings(key="several", indexes=INDEXES, examples=["When is the ferry?"])


@pytest.fixture(scope="module")
def settings(site_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Of the small installation with these sites, indexed: to copy, never to open."""
    changed = {
        "data": tmp_path_factory.mktemp("sites"),
        "sites": [TOWN, OTHER, SEVERAL],
        "public_url": "http://localhost",
    }
    found = site_settings.model_copy(update=changed)
    with Services(found) as services:
        services.store.accept([raw_page(*page) for page in PAGES])
        while services.store.pending():
            services.indexing.indexer.sync_pages()
    return found


@pytest.fixture
def services(settings: Settings, llm: FakeLlm, tmp_path: Path) -> Iterator[Services]:
    """A copy of it with the scripted model, changed by no other test."""
    data = shutil.copytree(settings.data, tmp_path / "data")
    chat = ChatSettings(base_url=llm.base_url, model="fake", first_token_seconds=2, idle_seconds=1)
    with Services(settings.model_copy(update={"data": data, "chat": chat})) as services:
        yield services


@pytest.fixture
def client(services: Services) -> FlaskClient:
    return create_app(services=services).test_client()


@pytest.fixture
def reader(client: FlaskClient) -> Reader:
    return Reader(client)


def one_turn(reader: Reader, llm: FakeLlm, *answer: str) -> None:
    llm.script(Reply(deltas=answer or ("It is **96 euros** [1].",)))
    reader.ask(DOGS)


def test_the_first_page_invites_to_ask(reader: Reader) -> None:
    assert reader.status == 200
    assert not reader.turns
    assert "Town of Otterfurt" in reader.page.get_text()
    assert [button["value"] for button in reader.page.select(".examples button")] == ["When is the ferry?"]
    assert TEXT["ai_notice"] in reader.page.get_text()
    assert reader.page.select("a[href='https://town.example/privacy']")


def test_where_scripts_run_the_widget_takes_the_forms_place(reader: Reader, llm: FakeLlm) -> None:
    (widget,) = reader.page.select("auskunft-chat[site=town][variant=inline]")
    assert widget.select("form.ask")
    assert [script["src"] for script in reader.page.select("script")] == ["/widget.js"]
    one_turn(reader, llm)
    assert not reader.page.select("auskunft-chat, script")


def test_a_conversation_of_two_turns(reader: Reader, llm: FakeLlm) -> None:
    one_turn(reader, llm, "It is **96 euros** [1].\n\n", "Guide dogs are exempt.")
    (first,) = reader.turns
    assert first.h2
    assert DOGS in first.h2.get_text()
    assert first.select_one(".prose strong")
    assert TEXT["origin_answered"] in first.get_text()
    (citation,) = first.select("a.citation")
    (source,) = reader.page.select(str(citation["href"]))
    assert source.a
    assert (source.a["href"].partition("#")[0], source.a.get_text()) == (  # type: ignore[union-attr]
        "https://town.example/dog-tax",
        "Dog tax",
    )
    assert reader.asked_before == ""

    llm.script(rewriting("How much is a day ticket of the outdoor pool?"), Reply(deltas=("Four euros [1].",)))
    reader.ask("And the pool?")
    first, second = reader.turns
    assert "96 euros" in first.get_text()
    assert "Four euros" in second.get_text()
    assert second["id"] == "latest"
    assert "96 euros" in str(llm.requests[-1]["messages"])
    anchors = [str(link["href"]) for link in reader.page.select("a.citation")]
    assert len(set(anchors)) == 2
    ids = [str(element["id"]) for element in reader.page.select("[id]")]
    assert len(ids) == len(set(ids))


def test_nothing_of_a_conversation_stands_in_an_address_or_a_cookie(reader: Reader, llm: FakeLlm) -> None:
    one_turn(reader, llm)
    linked = reader.page.select("[href], [action]")
    queries = {urlsplit(str(element.get("href") or element.get("action"))).query for element in linked}
    assert queries == {"", "site=town&lang=en", "site=town&lang=de"}
    assert reader.conversation
    assert "Set-Cookie" not in reader.headers
    assert reader.headers["Cache-Control"] == "no-store"
    assert reader.headers["Referrer-Policy"] == "no-referrer"


def test_an_example_can_be_asked(reader: Reader, llm: FakeLlm) -> None:
    llm.script(Reply(deltas=("At nine [1].",)))
    (form,) = reader.page.select("form.examples")
    reader.send(form, form.button)
    assert "When is the ferry?" in reader.turns[0].get_text()


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_a_site_has_several_indexes_visitors_choose_and_the_choice_stays(
    client: FlaskClient, llm: FakeLlm, language: str
) -> None:
    reader = Reader(client, f"/chat?site=several&lang={language}")
    (choice,) = reader.page.select("form#ask select#index")
    assert [option.get_text() for option in choice.select("option")] == ["Whole pages", "empty", "parts"]
    (label,) = reader.page.select("label[for=index]")
    assert label.get_text() == TEXTS[language]["search_in"]
    llm.script(Reply(deltas=("It is 96 euros [1].",)))
    (form,) = reader.page.select("form.ask")
    reader.send(form, q=DOGS, index="whole")
    assert "96 euros" in reader.turns[0].get_text()
    (form,) = reader.page.select("form.ask")
    reader.send(form, q="How much is a day ticket of the outdoor pool?", index="empty")
    assert not reader.turns[1].select("ol.sources")
    assert chosen(reader.page.select("#index")[0]) == "empty"


def test_questions_that_are_offered_go_with_the_choice(client: FlaskClient) -> None:
    page = Reader(client, "/chat?site=several&lang=en").page
    (example,) = page.select(".examples button")
    assert (example["form"], example["formnovalidate"]) == ("ask", "")
    names = [element.get("name") for element in page.select("[name=q]")]
    assert (names, page.select("[name=q]")[0]) == (["q", "q"], example)  # the first value counts


def test_the_page_searches_as_the_chosen_indexs_preset_says(client: FlaskClient, llm: FakeLlm) -> None:
    found = {}
    for index in ("whole", "parts"):
        reader = Reader(client, "/chat?site=several&lang=en")
        llm.script(Reply(deltas=("It is 96 euros [1].",)))
        (form,) = reader.page.select("form.ask")
        reader.send(form, q=DOGS, index=index)
        found[index] = len(reader.turns[0].select(".sources > li"))
    assert found["whole"] == len(PAGES)  # by cosine, without a threshold
    assert 1 <= found["parts"] < len(PAGES)


def test_an_index_that_is_there_no_more_gives_way_to_the_first(client: FlaskClient, llm: FakeLlm) -> None:
    reader = Reader(client, "/chat?site=several&lang=en")
    llm.script(Reply(deltas=("It is 96 euros [1].",)))
    (form,) = reader.page.select("form.ask")
    reader.send(form, q=DOGS, index="gone")
    assert "96 euros" in reader.turns[0].get_text()


def test_where_there_is_nothing_to_choose_no_choice_is_shown(reader: Reader) -> None:
    assert not reader.page.select("select, input[type=date]")


def test_without_an_answer_the_contact_and_pages_that_may_help_are_shown(reader: Reader) -> None:
    reader.ask("xyzzy plugh frobnitz qwertz dog")
    (turn,) = reader.turns
    assert "Town hall, 069 90009-100" in turn.get_text()


def test_below_an_answer_stand_its_actions_then_the_sources_that_it_cites(
    reader: Reader, llm: FakeLlm
) -> None:
    llm.script(Reply(deltas=("It says so [1].",)))
    reader.ask("What does the quarantine report of the parcel say in full?")
    (turn,) = reader.turns
    assert [item["id"] for item in turn.select("ol.sources > li")] == ["answer-1-source-1"]
    (others,) = turn.select("details.others")
    assert not others.has_attr("open")
    assert TEXT["found"] in others.summary.get_text()  # type: ignore[union-attr]
    assert turn.select("ol.sources details .snippet")
    assert "%" not in turn.get_text()
    order = [element.name for element in turn.select(".prose, form.feedback, ol.sources, details.others")]
    assert order == ["div", "form", "ol", "details"]


def test_without_an_answer_what_was_found_is_out_of_the_way(reader: Reader, llm: FakeLlm) -> None:
    one_turn(reader, llm, "STATUS: outside\nPlease ask about the town.")
    (turn,) = reader.turns
    assert not turn.select("ol.sources")
    (others,) = turn.select("details.others")
    assert TEXT["found_only"] in others.get_text()


def test_an_answer_that_breaks_off_has_the_sources_that_it_cites_so_far(reader: Reader, llm: FakeLlm) -> None:
    llm.script(Reply(deltas=("It is 96 euros [1].\n\n", "More"), ending="cut"))
    reader.ask(DOGS)
    assert len(reader.turns[0].select("ol.sources li")) == 1


def test_a_citation_names_its_page_and_a_table_has_a_frame_that_scrolls(reader: Reader, llm: FakeLlm) -> None:
    one_turn(reader, llm, "It is so [1].\n\n| Dog | Euros |\n|---|---|\n| first | 96 |\n")
    (form,) = reader.page.select("form.feedback")
    streamed = reader.turns
    reader.send(form, form.select("button[value=up]")[0])
    for turn in (*streamed, *reader.turns):
        assert [link["title"] for link in turn.select("a.citation")] == ["Dog tax"]
        (frame,) = turn.select("div.table")
        assert (frame["role"], frame["tabindex"], frame["aria-label"]) == ("group", "0", TEXT["table"])
        assert frame.table


def test_a_contact_can_be_called(reader: Reader) -> None:
    reader.ask("xyzzy plugh frobnitz qwertz dog")
    assert reader.page.select("article.turn .prose a[href='tel:06990009100']")


def test_what_else_the_cited_page_tells_can_be_asked(
    reader: Reader, llm: FakeLlm, services: Services
) -> None:
    content = "# Dog tax\n\n## Rates\n\nThe dog tax is 96 euros.\n\n## Exemptions\n\nGuide dogs.\n"
    given = raw_page("dog-tax", "Dog tax", "")
    fields = {**given.page.fields, "content": RawField(text=content, media_type="text/markdown")}
    services.store.accept([replace(given, page=replace(given.page, fields=fields))])
    services.indexing.indexer.sync_pages()
    one_turn(reader, llm)
    (form,) = reader.page.select("article.turn form.examples")
    buttons = {str(button["value"]): button for button in form.select("button")}
    llm.script(rewriting("Which dogs are exempt from the dog tax?"), Reply(deltas=("Guide dogs [1].",)))
    assert buttons["Exemptions – Dog tax"].get_text() == "Exemptions"
    reader.send(form, buttons["Exemptions – Dog tax"])
    assert len(reader.turns) == 2
    assert "Exemptions – Dog tax" in reader.turns[1].get_text()
    assert not reader.turns[0].select("form.examples")


def test_a_question_that_may_be_meant_otherwise_can_be_asked_in_full(reader: Reader, llm: FakeLlm) -> None:
    llm.script(*[Reply(status=500)] * 6)
    reader.ask("What does the dog tax cost?")
    reader.ask("Can children go there?")
    (form,) = [form for form in reader.turns[1].select("form.examples") if "Did you mean" in form.get_text()]
    (button, *_) = form.select("button")
    assert button["value"] == button.get_text() == "Can children go there – Outdoor pool?"
    reader.send(form, button)
    assert "Swimming lessons for children" in reader.turns[2].get_text()
    assert "Did you mean" not in reader.turns[1].get_text()


def test_examples_are_in_the_language_of_the_page(services: Services) -> None:
    examples = ["When is the ferry?", "Wann fährt die Fähre?"]
    town = services.settings.sites[0].model_copy(update={"examples": examples})
    with Services(services.settings.model_copy(update={"sites": [town]})) as changed:
        client = create_app(services=changed).test_client()
        for language, example in zip(("en", "de"), examples, strict=True):
            reader = Reader(client, f"/chat?site=town&lang={language}")
            assert [button["value"] for button in reader.page.select(".examples button")] == [example]


def test_the_widget_does_not_repeat_the_pages_heading(reader: Reader) -> None:
    (widget,) = reader.page.select("auskunft-chat")
    (heading,) = reader.page.select("h1")
    assert widget["label"] not in (heading.get_text(), "Town of Otterfurt", "")


def test_preset_rtr_lists_all_that_was_read_with_cosines(services: Services, llm: FakeLlm) -> None:
    town = services.settings.sites[0].model_copy(update={"preset": "rtr"})
    with Services(services.settings.model_copy(update={"sites": [town]})) as changed:
        reader = Reader(create_app(services=changed).test_client())
        one_turn(reader, llm)
    (turn,) = reader.turns
    assert len(turn.select("ol.sources > li")) > 1
    assert not turn.select("details.others")
    assert "cosine" in turn.select("ol.sources > li")[0].get_text()


def test_when_the_model_is_away_passages_come_and_it_is_said(reader: Reader, llm: FakeLlm) -> None:
    llm.default = Reply(status=400)
    reader.ask(DOGS)
    (turn,) = reader.turns
    assert "96 euros" in turn.get_text()
    assert "word for word and without a language model" in turn.get_text()
    assert [note for note in turn.select(".notes li") if "language model" in note.get_text()]


FERRY_FEES: Final = "\n\n".join(
    f"The ferry fee for {kind} is {number} euros. {'It is paid on board to the crew of the boat. ' * 6}"
    for number, kind in enumerate(("bikes", "cars", "dogs", "goats", "horses", "lorries", "scooters"), 2)
)


def test_what_else_the_quoted_page_has_is_behind_a_disclosure(
    reader: Reader, llm: FakeLlm, services: Services
) -> None:
    services.store.accept([raw_page("ferry", "Ferry fees", FERRY_FEES)])
    services.indexing.indexer.sync_pages()
    llm.default = Reply(status=400)
    reader.ask("What is the ferry fee?")
    (streamed,) = reader.turns
    reader.ask(DOGS)
    stored, _ = reader.turns
    for turn in (streamed, stored):
        (more,) = turn.select("details.more")
        assert more.summary and more.summary.get_text() == "More from this page"
        shown = (turn.select_one(".prose") or turn).get_text()
        hidden = more.get_text()
        fees = [f"is {number} euros" for number in range(2, 9)]
        assert all((fee in shown) != (fee in hidden) for fee in fees)
        assert any(fee in shown for fee in fees) and any(fee in hidden for fee in fees)
        assert all(turn.select(str(link["href"])) for link in more.select("a.citation"))


def test_an_answer_that_breaks_off_stays_and_says_so(reader: Reader, llm: FakeLlm) -> None:
    llm.script(Reply(deltas=("It is 96 euros.\n\n", "More"), ending="cut"))
    reader.ask(DOGS)
    assert "96 euros" in reader.turns[0].get_text()
    assert TEXT["origin_interrupted"] in reader.turns[0].get_text()


def test_a_reader_sees_the_answer_while_it_is_written(client: FlaskClient, llm: FakeLlm) -> None:
    llm.script(Reply(deltas=("It is 96 euros.\n\n", "More\n", "and more."), stall_at=2))
    response = client.post("/chat?site=town&lang=en", data={"q": DOGS}, buffered=False)
    sent = ""
    for piece in response.iter_encoded():
        sent += piece.decode()
        if "96 euros" in sent:
            break
    assert TEXT["searching"] in sent
    assert "</html>" not in sent
    response.close()
    assert llm.hung_up.wait(30)


class TestFeedback:
    @pytest.fixture
    def answered(self, reader: Reader, llm: FakeLlm) -> Reader:
        one_turn(reader, llm)
        return reader

    def test_it_is_kept_and_a_comment_may_follow(self, answered: Reader, services: Services) -> None:
        (form,) = answered.page.select("form.feedback")
        answered.send(form, form.select("button[value=down]")[0])
        assert answered.status == 200
        assert TEXT["thanks"] in answered.page.get_text()
        (form,) = answered.page.select("form.feedback")
        answered.send(form, form.button, comment="Too short <script>")
        assert answered.status == 200
        assert not answered.page.select("form.feedback textarea, form.feedback button")
        assert given(services) == [("down", "Too short <script>")]

    @pytest.mark.parametrize(
        ("field", "value", "status"),
        [
            ("answer", "nobodys", 404),
            ("conversation", "nobodys", 404),
            ("rating", "great", 400),
            ("comment", "x" * 1_001, 400),
        ],
    )
    def test_what_cannot_be_kept_is_told(
        self, answered: Reader, services: Services, field: str, value: str, status: int
    ) -> None:
        (form,) = answered.page.select("form.feedback")
        answered.send(form, None, **{"rating": "up", field: value})
        assert answered.status == status
        assert TEXT["error_action"] in answered.alert
        assert given(services) == []


def given(services: Services) -> list[tuple[str, str]]:
    """The feedback that is kept."""
    with services.engine.connect() as connection:
        return [tuple(row) for row in connection.exec_driver_sql("SELECT rating, comment FROM feedback")]


class TestReload:
    def test_a_form_that_is_sent_again_shows_its_answer_and_asks_nothing(
        self, reader: Reader, llm: FakeLlm
    ) -> None:
        one_turn(reader, llm)
        (form,) = reader.page.select("form.ask")
        for answer in ("Four euros [1].", "Never."):
            llm.script(rewriting("How much is a day ticket of the outdoor pool?"), Reply(deltas=(answer,)))
            reader.send(form, q="And the pool? My address: me@town.example ")
            assert reader.status == 200
            assert [("Four euros" in turn.get_text()) for turn in reader.turns] == [False, True]
            assert reader.turns[-1]["id"] == "latest"

    def test_the_same_question_in_a_new_form_is_asked(self, reader: Reader, llm: FakeLlm) -> None:
        one_turn(reader, llm)
        one_turn(reader, llm)
        assert len(reader.turns) == 2

    def test_an_answer_that_broke_off_is_tried_again(self, reader: Reader, llm: FakeLlm) -> None:
        one_turn(reader, llm)
        (form,) = reader.page.select("form.ask")
        llm.script(rewriting(LEADS), Reply(deltas=("On a lead,\n\n", "and"), ending="cut"))
        reader.send(form, q=LEADS)
        llm.script(rewriting(LEADS), Reply(deltas=("On a lead [1].",)))
        reader.send(form, q=LEADS)
        assert len(reader.turns) == 3
        reader.send(form, q=LEADS)
        assert len(reader.turns) == 3

    @pytest.mark.parametrize("answers", ["", "many", "-1", "9" * 30])
    def test_a_number_that_cannot_be_does_no_harm(self, reader: Reader, llm: FakeLlm, answers: str) -> None:
        one_turn(reader, llm)
        (form,) = reader.page.select("form.ask")
        llm.script(rewriting(LEADS), Reply(deltas=("On a lead [1].",)))
        reader.send(form, q=LEADS, answers=answers)
        assert reader.status == 200
        assert len(reader.turns) == 2


def test_a_conversation_can_be_deleted(reader: Reader, llm: FakeLlm, services: Services) -> None:
    one_turn(reader, llm)
    conversation = reader.conversation
    (form,) = reader.page.select(".whole form")
    reader.send(form, form.button)
    assert reader.status == 200
    assert TEXT["deleted"] in reader.page.get_text()
    assert not reader.turns
    assert "96 euros" not in reader.page.get_text()
    assert reader.client.get(f"/api/conversations/{conversation}?site=town").status_code == 404


def test_a_new_conversation_knows_nothing_of_the_last(reader: Reader, llm: FakeLlm) -> None:
    one_turn(reader, llm)
    (link,) = [link for link in reader.page.select("a") if link.get_text() == TEXT["page_new_conversation"]]
    anew = Reader(reader.client, str(link["href"]))
    assert not anew.turns
    assert not anew.page.select("input[name=conversation]")


class TestErrors:
    @pytest.mark.parametrize(
        ("question", "said"),
        [
            ("", "page_empty"),
            (" \n", "page_empty"),
            ("\u200b", "error_question"),
            ("x" * 2_001, "error_question"),
        ],
    )
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_a_question_that_cannot_be_asked(
        self, client: FlaskClient, question: str, said: str, language: str
    ) -> None:
        reader = Reader(client, f"/chat?site=town&lang={language}")
        reader.ask(question)
        assert reader.status == 400
        assert TEXTS[language][said] in reader.alert
        assert reader.asked_before == question

    def test_a_question_while_another_is_being_answered(
        self, reader: Reader, llm: FakeLlm, services: Services
    ) -> None:
        one_turn(reader, llm)
        services.chat.conversations.begin("town", "And now?", reader.conversation)
        reader.ask("And then?")
        assert reader.status == 409
        assert TEXT["error_busy"] in reader.alert
        assert reader.asked_before == "And then?"
        assert "96 euros" in reader.page.get_text()
        assert reader.conversation

    def test_too_many_questions_at_once(self, reader: Reader, services: Services) -> None:
        taken = [services.chat.limit.acquire() for _ in range(services.settings.concurrent_answers)]
        reader.ask(DOGS)
        assert reader.status == 429
        assert "in 5 seconds" in reader.alert
        assert int(reader.headers["Retry-After"]) == 5
        assert reader.asked_before == DOGS
        for give_back in taken:
            give_back()

    def test_too_many_questions_in_a_minute(self, services: Services, llm: FakeLlm) -> None:
        town = services.settings.sites[0].model_copy(update={"questions_per_minute": 1})
        settings = services.settings.model_copy(update={"sites": [town]})
        with Services(settings) as limited:
            reader = Reader(create_app(services=limited).test_client())
            one_turn(reader, llm)
            conversation = reader.conversation
            reader.ask("And then?")
        assert reader.status == 429
        assert int(reader.headers["Retry-After"]) > 0
        assert TEXT["error_limit"].partition("{")[0] in reader.alert
        assert (reader.asked_before, reader.conversation) == ("And then?", conversation)

    @pytest.mark.parametrize("conversation", ["nobodys", "<script>", "a\0b", "ü", "x" * 100])
    def test_a_conversation_that_is_gone(self, reader: Reader, llm: FakeLlm, conversation: str) -> None:
        (form,) = reader.page.select("form.ask")
        reader.send(form, q=DOGS, conversation=conversation)
        assert reader.status == 404
        assert TEXT["page_forgotten"] in reader.alert
        assert reader.asked_before == DOGS
        one_turn(reader, llm)
        assert (reader.status, len(reader.turns)) == (200, 1)

    def test_a_conversation_of_another_site(self, reader: Reader, llm: FakeLlm) -> None:
        one_turn(reader, llm)
        other = Reader(reader.client, "/chat?site=other&lang=en")
        (form,) = other.page.select("form.ask")
        other.send(form, q="What did I ask?", conversation=reader.conversation)
        assert other.status == 404
        assert "96" not in other.page.get_text()

    def test_an_index_that_is_away(self, services: Services) -> None:
        reader = Reader(failing_client(services, Failing(IndexUnavailableError("of no interest"))))
        reader.ask(DOGS)
        assert "of no interest" not in reader.page.get_text()
        assert reader.status == 503
        assert TEXT["error_failed"] in reader.alert
        assert reader.asked_before == DOGS

    def test_an_index_that_fails_while_an_answer_is_written_leaves_a_whole_page(
        self, services: Services
    ) -> None:
        error = IndexUnavailableError("of no interest")
        written = (StartEvent(), DeltaEvent(text="It is 96 euros.\n\n"), DeltaEvent(text="More"))
        reader = Reader(failing_client(services, Failing(error, written)))
        with capture_logs() as logs:
            reader.ask(DOGS)
        assert "It is 96 euros." in reader.turns[0].get_text()
        assert TEXT["error_failed"] in reader.alert
        assert reader.page.select("form.ask")
        assert [entry for entry in logs if entry["log_level"] == "error"]

    @pytest.mark.parametrize("key", ["nobody", "<script>alert(1)</script>", "%00"])
    def test_an_unknown_site(self, client: FlaskClient, key: str) -> None:
        for response in (client.get(f"/chat?site={key}"), client.post(f"/chat?site={key}", data={"q": DOGS})):
            assert response.status_code == 404
            page = soup(response)
            assert_inert(page)
            assert TEXT["error_site"] in page.get_text()
            assert not page.select("form")


class TestOrigin:
    @pytest.mark.parametrize(
        "headers",
        [
            {},
            {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"},
            {"Origin": "null", "Sec-Fetch-Site": "same-origin"},
            {"Origin": "http://localhost"},
            {"Origin": "https://www.town.example", "Sec-Fetch-Site": "cross-site"},
        ],
    )
    def test_our_own_forms_and_the_sites_may_ask(
        self, client: FlaskClient, llm: FakeLlm, headers: dict[str, str]
    ) -> None:
        llm.script(Reply(deltas=("96 euros [1].",)))
        response = client.post("/chat?site=town", data={"q": DOGS}, headers=headers)
        assert response.status_code == 200
        assert "96 euros" in response.text

    @pytest.mark.parametrize("path", ["", "/feedback", "/delete"])
    @pytest.mark.parametrize(
        "headers",
        [
            {"Origin": "https://other.example", "Sec-Fetch-Site": "cross-site"},
            {"Origin": "https://other.example"},
            {"Origin": "null"},
            {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
            {"Origin": "https://localhost.other.example"},
            {"Origin": ""},
            {"Origin": "http://["},
            {"Origin": "ftp://localhost"},
        ],
    )
    def test_other_websites_may_not(
        self, client: FlaskClient, llm: FakeLlm, headers: dict[str, str], path: str
    ) -> None:
        response = client.post(f"/chat{path}?site=town&lang=en", data={"q": DOGS}, headers=headers)
        assert response.status_code == 404
        assert TEXT["error_site"] in soup(response).get_text()
        assert llm.requests == []


class TestXss:
    @pytest.mark.parametrize("payload", XSS)
    def test_in_a_question(self, reader: Reader, llm: FakeLlm, payload: str) -> None:
        llm.script(Reply(deltas=("96 euros [1].",)))
        reader.ask(f"How much is the dog tax {payload}?")
        assert payload in reader.turns[0].get_text()
        reader.ask(payload)
        assert reader.page.select("article.turn")

    @pytest.mark.parametrize("payload", XSS)
    def test_in_an_answer_also_when_it_is_shown_again(
        self, reader: Reader, llm: FakeLlm, payload: str
    ) -> None:
        one_turn(reader, llm, f"It is 96 euros {payload} [1].\n\n{payload}")
        (form,) = reader.page.select("form.feedback")
        reader.send(form, form.select("button[value=up]")[0])
        assert "96 euros" in reader.turns[0].get_text()

    @pytest.mark.parametrize("number", range(len(XSS)))
    def test_in_a_page_its_title_and_its_address(self, reader: Reader, llm: FakeLlm, number: int) -> None:
        question = f"quarantine report of parcel {number} in full"
        llm.script(Reply(deltas=("See [1] and [the page](javascript:alert(1)).",)))
        reader.ask(question)
        assert "Quarantine report" in reader.turns[0].get_text()


def test_every_form_field_has_a_label(reader: Reader, llm: FakeLlm) -> None:
    one_turn(reader, llm)
    (form,) = reader.page.select("form.feedback")
    reader.send(form, form.select("button[value=up]")[0])
    labelled = {label["for"] for label in reader.page.select("label")}
    assert {field["id"] for field in reader.page.select("textarea")} == labelled
    assert all(
        reader.page.find(id=str(item["aria-labelledby"])) for item in reader.page.select("[aria-labelledby]")
    )
    assert len(reader.page.select("h1")) == 1


def test_the_time_that_was_read_from_the_question_and_ended_texts_are_said(
    tmp_path: Path, llm: FakeLlm
) -> None:
    llm.script(
        rewriting("How much did a crossing cost?", in_force_on="2023-01-31"),
        Reply(deltas=("Four euros [1].",)),
    )
    chat = ChatSettings(base_url=llm.base_url, model="fake")
    settings = load_settings(data=new_data(tmp_path), embedder="hashing", preset="eurlex", chat=chat)
    with Services(settings) as services:
        services.store.accept([Save(page=page) for page in library()])
        while services.store.pending():
            services.indexing.indexer.sync_pages()
        client = create_app(services=services).test_client()
        page = soup(client.post("/chat?lang=en", data={"q": "How much did a crossing cost in January 2023?"}))
    assert "The law as of 2023-01-31." in [note.get_text() for note in page.select(".notes li")]
    assert "has not applied since 2024-06-01" in page.get_text()


@pytest.mark.parametrize(("public_url", "mounted"), [("", False), ("https://chat.example", True)])
def test_the_widget_takes_over_only_where_it_may_ask(
    site_settings: Settings, public_url: str, mounted: bool
) -> None:
    tables = [SiteSettings(key="town", origins=["https://www.town.example"])]
    changed = {"sites": tables, "public_url": public_url, "host": "0.0.0.0"}
    settings = site_settings.model_copy(update=changed)
    with Services(settings) as services:
        client = create_app(services=services).test_client()
        page = client.get("/chat?site=town", headers={"Host": "chat.example"}).text
    assert ("<auskunft-chat" in page) == mounted
    assert "<form" in page
