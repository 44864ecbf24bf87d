"""What is kept of answers, who may read it, and what is left when readers leave or parts break."""

import threading
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app import create_app
from app.chat.site_search import SiteSearch
from app.errors import IndexUnavailableError
from app.search.retrieval import Retrieval
from app.services import Services
from app.settings.chat import ChatSettings
from app.settings.settings import Settings
from app.settings.sites import SiteSettings
from tests.app.api.events import named, parse
from tests.fakes.llm import FakeLlm, Reply

QUESTION = "How much is the dog tax in euros?"
ANSWER = Reply(
    deltas=("STATUS: answered\n", "It is **96", " euros** [1].", "\n\n", "- for the first", " dog")
)


def ask(client: FlaskClient, question: str = QUESTION, **body: Any) -> list[tuple[str, Any]]:
    response = client.post("/api/chat", json={"question": question, **body})
    assert response.status_code == 200, response.text
    return parse(response.text)


def started(events: list[tuple[str, Any]]) -> tuple[str, str]:
    (ids,) = named(events, "started")
    return ids["answer"], ids["conversation"]


def test_an_answer_can_be_read_again_as_it_streamed(model_client: FlaskClient, llm: FakeLlm) -> None:
    llm.script(ANSWER)
    events = ask(model_client)
    answer, conversation = started(events)
    kept = model_client.get(f"/api/answers/{answer}").get_json()
    assert kept["html"] == "".join(block["html"] for block in named(events, "block"))
    assert (kept["id"], kept["conversation"], kept["status"]) == (answer, conversation, "answered")
    assert (kept["question"], kept["citations"]) == (QUESTION, [1])
    assert kept["sources"] == named(events, "sources")[0]["sources"]
    assert model_client.get(f"/api/conversations/{conversation}").get_json() == {
        "id": conversation,
        "answers": [kept],
    }


def test_a_preset_may_let_the_model_read_again_what_it_cited_before(
    site_settings: Settings, llm: FakeLlm, tmp_path: Path
) -> None:
    (tmp_path / "remembering.toml").write_text(
        'extends = "default"\n[question]\nlimit = 1\nremembered_pages = 2\n'
    )
    chat = ChatSettings(base_url=llm.base_url, model="fake")
    changed = {"chat": chat, "presets": tmp_path, "preset": "remembering"}
    llm.repeats_questions = True
    with Services(site_settings.model_copy(update=changed)) as services:
        client = create_app(services=services).test_client()
        llm.script(ANSWER)
        events = ask(client)
        cited = named(events, "sources")[0]["sources"][0]["id"]
        llm.script(ANSWER)
        again = ask(client, "When does the swimming pool open?", conversation=started(events)[1])
    remembered = [source["id"] for source in named(again, "sources")[0]["sources"] if source.get("earlier")]
    assert remembered == [cited]
    assert 'cited-earlier="yes"' in llm.requests[-1]["messages"][-1]["content"]


def test_what_is_kept_names_no_person(client: FlaskClient) -> None:
    answer, _ = started(ask(client, "My address is ann@otter.example: how much is the dog tax?"))
    assert "ann@otter" not in client.get(f"/api/answers/{answer}").text


def test_a_deleted_conversation_is_gone_with_its_answers(client: FlaskClient) -> None:
    answer, conversation = started(ask(client))
    assert client.delete(f"/api/conversations/{conversation}").status_code == 204
    for path in (f"/api/answers/{answer}", f"/api/conversations/{conversation}"):
        assert client.get(path).status_code == 404
    assert client.delete(f"/api/conversations/{conversation}").status_code == 404


def test_a_question_while_another_is_answered_has_to_wait_unless_that_one_is_stopped(
    model_client: FlaskClient, llm: FakeLlm
) -> None:
    llm.script(Reply(deltas=("It is ", "96."), stall_at=1))
    reading = model_client.post("/api/chat", json={"question": QUESTION}, buffered=False)
    first, *_ = parse(next(iter(reading.iter_encoded())).decode())
    answer, conversation = started([first])
    body = {"question": QUESTION, "conversation": conversation}
    refused = model_client.post("/api/chat", json=body)
    assert (refused.status_code, refused.get_json()["code"]) == (409, "conflict")
    assert model_client.get(f"/api/answers/{answer}").get_json()["status"] == "running"
    assert model_client.post(f"/api/answers/{answer}/stop").status_code == 204
    assert model_client.post("/api/chat", json=body).status_code == 200
    reading.close()


def test_a_reader_who_leaves_ends_the_models_work_and_what_came_stays(
    model_client: FlaskClient, llm: FakeLlm
) -> None:
    llm.script(Reply(deltas=("It is 96 euros.\n\n", "More", " to come"), stall_at=2))
    reading = model_client.post("/api/chat", json={"question": QUESTION}, buffered=False)
    told = ""
    for frames in reading.iter_encoded():
        told += frames.decode()
        if "event: block" in told:
            break
    assert [name for name, _ in parse(told)][:4] == ["started", "sources", "preview", "block"]
    leaving = threading.Thread(target=reading.close)
    leaving.start()
    leaving.join(5)
    assert not leaving.is_alive()
    assert llm.hung_up.wait(5)
    kept = model_client.get(f"/api/answers/{started(parse(told))[0]}").get_json()
    assert kept["status"] == "interrupted"
    assert kept["answer"].startswith("It is 96 euros.")
    assert kept["sources"]


def test_a_reader_who_leaves_before_the_first_byte_takes_no_place(
    site_settings: Settings,
) -> None:
    with Services(site_settings.model_copy(update={"concurrent_answers": 1})) as services:
        client = create_app(services=services).test_client()
        for _ in range(3):
            response = client.post("/api/chat", json={"question": QUESTION}, buffered=False)
            assert response.status_code == 200
            response.close()


def unfinished(site_settings: Settings, llm: FakeLlm, places: int) -> Settings:
    """So many places for answers, which the model begins and does not end."""
    llm.default = Reply(deltas=("It is ", "96."), stall_at=1)
    chat = ChatSettings(base_url=llm.base_url, model="fake")
    return site_settings.model_copy(update={"chat": chat, "concurrent_answers": places})


def test_more_answers_at_once_than_there_are_places_are_refused_for_a_while(
    site_settings: Settings, llm: FakeLlm
) -> None:
    with Services(unfinished(site_settings, llm, places=1)) as services:
        client = create_app(services=services).test_client()
        first = client.post("/api/chat", json={"question": QUESTION}, buffered=False)
        refused = client.post("/api/chat", json={"question": QUESTION})
        assert (refused.status_code, refused.get_json()["code"]) == (429, "too_many_requests")
        assert int(refused.headers["Retry-After"]) > 0
        first.close()
        llm.default = ANSWER
        assert client.post("/api/chat", json={"question": QUESTION}).status_code == 200


def test_refused_questions_take_no_place_and_leave_nothing(site_settings: Settings) -> None:
    with Services(site_settings.model_copy(update={"concurrent_answers": 1})) as services:
        client = create_app(services=services).test_client()
        for body in ({"question": " "}, {"question": "dog tax", "conversation": "unknown"}):
            assert client.post("/api/chat", json=body).status_code in (400, 404)
        assert client.post("/api/chat", json={"question": QUESTION}).status_code == 200


@pytest.fixture
def two_sites(site_settings: Settings) -> Any:
    tables = [SiteSettings(key="town"), SiteSettings(key="other")]
    with Services(site_settings.model_copy(update={"sites": tables})) as services:
        yield create_app(services=services).test_client()


def test_another_sites_conversations_and_answers_do_not_exist(two_sites: FlaskClient) -> None:
    response = two_sites.post("/api/chat?site=town", json={"question": QUESTION})
    answer, conversation = started(parse(response.text))
    body = {"question": QUESTION, "conversation": conversation}
    assert two_sites.post("/api/chat?site=other", json=body).status_code == 404
    assert two_sites.get(f"/api/answers/{answer}?site=other").status_code == 404
    assert two_sites.get(f"/api/conversations/{conversation}?site=other").status_code == 404
    assert two_sites.delete(f"/api/conversations/{conversation}?site=other").status_code == 404
    assert two_sites.post(f"/api/answers/{answer}/stop?site=other").status_code == 404
    assert two_sites.get(f"/api/answers/{answer}?site=town").status_code == 200


def test_when_a_days_answers_are_used_up_passages_follow(site_settings: Settings, llm: FakeLlm) -> None:
    chat = ChatSettings(base_url=llm.base_url, model="fake")
    tables = [SiteSettings(key="scant", daily_answers=1)]
    update = {"chat": chat, "sites": tables}
    with Services(site_settings.model_copy(update=update)) as services:
        client = create_app(services=services).test_client()
        llm.script(ANSWER)
        statuses = []
        for _ in range(2):
            response = client.post("/api/chat?site=scant", json={"question": QUESTION})
            (done,) = named(parse(response.text), "done")
            statuses.append((done["status"], "daily_limit" in done["degraded"]))
    assert statuses == [("answered", False), ("extractive", True)]


def test_deleting_a_conversation_gives_no_answer_back(site_settings: Settings, llm: FakeLlm) -> None:
    chat = ChatSettings(base_url=llm.base_url, model="fake")
    update = {"chat": chat, "sites": [SiteSettings(key="scanty", daily_answers=1)]}
    with Services(site_settings.model_copy(update=update)) as services:
        client = create_app(services=services).test_client()
        statuses = []
        for _ in range(2):
            llm.script(ANSWER)
            events = parse(client.post("/api/chat?site=scanty", json={"question": QUESTION}).text)
            statuses.append(named(events, "done")[0]["status"])
            client.delete(f"/api/conversations/{started(events)[1]}?site=scanty")
    assert statuses == ["answered", "extractive"]


def test_a_first_search_that_fails_leaves_no_work_behind(site_settings: Settings, llm: FakeLlm) -> None:
    chat = ChatSettings(base_url=llm.base_url, model="fake")
    llm.script(Reply(silent=True))
    update = {"chat": chat, "preset": "egocms"}  # it has a first question rephrased
    with Services(site_settings.model_copy(update=update)) as services:
        client = create_app(services=services).test_client()
        answerer = services.chat.pipelines.of(services.chat.sites.find("default", None)).answerer
        answerer._search = AwayOnceAsked(llm)
        assert client.post("/api/chat", json={"question": QUESTION}).status_code == 503
    assert llm.hung_up.wait(5)


class AwayOnceAsked(SiteSearch):
    """An index that is away as soon as the model has been asked to rephrase."""

    def __init__(self, llm: FakeLlm) -> None:
        self._llm = llm

    def retrieve(self, question: str, **_narrowed: object) -> Retrieval:
        assert self._llm.asked.wait(5)
        raise IndexUnavailableError("away")


def test_one_visitor_leaves_places_to_the_others(site_settings: Settings, llm: FakeLlm) -> None:
    settings = unfinished(site_settings, llm, places=8)
    with Services(settings.model_copy(update={"sites": [SiteSettings(key="town")]})) as services:
        client = create_app(services=services).test_client()

        def ask_from(address: str) -> TestResponse:
            return client.post(
                "/api/chat?site=town",
                json={"question": QUESTION},
                environ_base={"REMOTE_ADDR": address},
                buffered=False,
            )

        taken = [ask_from("203.0.113.7") for _ in range(2)]
        assert [response.status_code for response in taken] == [200, 200]
        assert ask_from("203.0.113.7").status_code == 429
        other = ask_from("203.0.113.8")
        assert other.status_code == 200
        for response in (*taken, other):
            response.close()


@pytest.mark.parametrize("path", ["/api/answers/%00", "/api/conversations/%00", "/api/answers/a%0ab"])
def test_what_cannot_be_an_id_is_not_found(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_the_widget_learns_what_the_site_is_called(two_sites: FlaskClient) -> None:
    site = two_sites.get("/api/site?site=town").get_json()
    assert (site["key"], site["ai"], site["examples"]) == ("town", False, [])
    assert site["listed_sources"] == "cited"


@pytest.mark.parametrize(
    ("query", "examples"),
    [
        ("&language=en", ["How do I register?", "Hundesteuer?"]),
        ("&language=de", ["Was kostet der Pass?", "Hundesteuer?"]),
        ("", ["Was kostet der Pass?", "Hundesteuer?"]),
        ("&language=fr", ["Hundesteuer?"]),
    ],
)
def test_examples_are_in_the_language_of_the_chat(
    site_settings: Settings, query: str, examples: list[str]
) -> None:
    mixed = ["Was kostet der Pass?", "How do I register?", "Hundesteuer?"]
    town = SiteSettings(key="town", language="de", examples=mixed, preset="rtr")
    with Services(site_settings.model_copy(update={"sites": [town]})) as services:
        site = create_app(services=services).test_client().get(f"/api/site?site=town{query}").get_json()
    assert site["examples"] == examples
    assert site["listed_sources"] == "used"
