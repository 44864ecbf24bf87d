"""What visitors asked, on the pages of the console."""

import json
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from sqlalchemy import update

from app.errors import PoolError
from app.features.evaluation.pool_file import load_pool
from app.features.questions.services import QuestionServices
from app.pages.question_tables import questions
from app.pages.types import Delivery
from app.services import Services
from tests.app.console.conftest import TOKEN, Console
from tests.app.console.test_messages import ENGLISH, said
from tests.app.console.test_numbers import NUMBERS
from tests.app.site import XSS, raw_page
from tests.app.web.browser import soup

TAX = "How much is the dog tax?"
SWALLOW = "What is the airspeed of an unladen swallow?"


def ask(console: Console, question: str, site: str = "town") -> str:
    answer = console.client.post(f"/api/chat?site={site}", json={"question": question})
    return answer.get_data(as_text=True).split('"answer": "')[1].split('"')[0]


def page(console: Console, path: str) -> BeautifulSoup:
    answer = console.get(path)
    assert answer.status_code == 200, path
    return soup(answer)


def listed(console: Console, query: str = "") -> list[str]:
    return [link.get_text() for link in page(console, f"/questions{query}").select("tbody th a")]


@pytest.fixture
def asked(admin: Console) -> Console:
    """An admin, after visitors asked two questions."""
    ask(admin, TAX)
    ask(admin, SWALLOW)
    return admin


def test_questions_are_listed_newest_first_and_filtered(asked: Console) -> None:
    assert listed(asked) == [SWALLOW, TAX]
    assert listed(asked, "?outcome=answered") == [TAX]
    assert listed(asked, "?outcome=unanswered") == [SWALLOW]
    assert listed(asked, "?text=dog") == [TAX]
    assert listed(asked, "?since=2001-01-01&until=2001-01-02") == []
    assert listed(asked, "?site=law") == []


def test_a_question_shows_its_answer_sources_and_what_to_do(admin: Console) -> None:
    found = page(admin, f"/questions/{ask(admin, TAX)}?lang=en")
    text = found.get_text(" ", strip=True)
    assert "96 euros" in text and "Dog tax" in text
    links = [str(link["href"]) for link in found.select("main p.buttons a")]
    assert links[0].startswith("/admin/try?q=How+much")
    [source] = found.select("#source-1")
    places = [str(link["href"]).partition("#")[0] for link in source.select("a")]
    assert places == ["/admin/pages/town/en/dog-tax", "https://town.example/dog-tax"]


def test_a_question_that_was_not_answered_says_why_and_leads_to_its_group(admin: Console, gap: str) -> None:
    found = page(admin, f"/questions/{gap}?lang=en")
    assert found.select(".notice p")
    assert found.select(f"main p.buttons a[href='/admin/questions/groups/{gap}']")


def test_asking_again_after_an_edit_names_the_changed_page(admin: Console, services: Services) -> None:
    answer = ask(admin, TAX)
    same = soup(admin.post(f"/questions/{answer}/replay?lang=en")).get_text(" ", strip=True)
    assert "There are no differences." in same
    services.store.accept(
        [raw_page("dog-tax", "Dog tax", "The dog tax is 105 euros a year for the first dog.")]
    )
    while services.store.pending():
        services.indexing.indexer.sync_pages()
    now = soup(admin.post(f"/questions/{answer}/replay?lang=en"))
    today = now.select_one("section[aria-labelledby=today]")
    assert today is not None
    text = today.get_text(" ", strip=True)
    assert "changed Dog tax town/dog-tax" in text and "105 euros" in text
    other = Console(services).log_in("lee", "law")
    assert other.post(f"/questions/{answer}/replay").status_code == 404


def test_questions_are_grouped_in_the_background(asked: Console, services: Services) -> None:
    ask(asked, "How much does the dog tax cost?")
    assert "not grouped by meaning yet" in page(asked, "/questions/groups?lang=en&site=town").get_text()
    assert asked.post("/questions/groups").location == "/admin/questions/groups?done=grouping"
    while services.background.steps.run_once(lambda: False):
        pass
    text = page(asked, "/questions/groups?lang=en&site=town").get_text(" ", strip=True)
    assert SWALLOW in text or "grouped by meaning in the background" in text


def test_an_editor_sees_the_questions_of_their_sites_alone(asked: Console, services: Services) -> None:
    other = Console(services).log_in("lee", "law")
    answer = ask(asked, TAX)
    assert listed(other) == []
    for path in (f"/questions/{answer}", "/questions?site=town", "/questions/groups?site=town"):
        assert other.get(path).status_code == 404, path
    assert TAX not in other.get("/questions/export").text
    editor = Console(services).log_in("ed", "town")
    assert listed(editor) == [TAX, SWALLOW, TAX]


def test_they_are_downloaded_without_formulas(admin: Console) -> None:
    ask(admin, "=HYPERLINK(1) dog tax?")
    answer = admin.get("/questions/export")
    assert answer.mimetype == "text/csv"
    assert "\n=" not in answer.text and ",=" not in answer.text


def test_they_are_downloaded_as_drafts_of_a_pool_each_once_with_the_pages_cited(
    asked: Console, tmp_path: Path
) -> None:
    answer = asked.get("/questions/pool")
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert {line["question"]: line["gold"] for line in lines} == {TAX: ["dog-tax"], SWALLOW: []}
    (tmp_path / "pool.jsonl").write_text(answer.text, "utf-8")
    with pytest.raises(PoolError, match="draft"):
        load_pool(tmp_path / "pool.jsonl", None)


def test_one_is_downloaded_as_the_draft_of_a_pool_by_a_button(asked: Console) -> None:
    [listed] = [link for link in soup(asked.get("/questions")).select("tbody a") if link.text == TAX]
    shown = soup(asked.get(str(listed["href"]).removeprefix("/admin")))
    [button] = shown.select("a[href$='/pool']")
    [line] = asked.get(str(button["href"]).removeprefix("/admin")).text.splitlines()
    assert json.loads(line) | {"id": ""} == {
        "id": "",
        "question": TAX,
        "language": "en",
        "gold": ["dog-tax"],
        "draft": True,
    }


@pytest.mark.parametrize("query", ["since=never", "after=nonsense", "until=2026-13-01"])
def test_a_filter_that_cannot_be_is_refused(admin: Console, query: str) -> None:
    assert admin.get(f"/questions?{query}").status_code == 400


def test_questions_that_are_code_are_shown_as_text(admin: Console) -> None:
    answers = [ask(admin, f"What is the dog tax {code}") for code in XSS]
    for path in ("/questions", *(f"/questions/{answer}" for answer in answers)):
        found = page(admin, path)
        assert found.select("img, svg, math, iframe, details[ontoggle]") == found.select("header img")
        assert [script["src"] for script in found.select("script")] == ["/admin/static/console.js"]


def test_a_page_lists_the_questions_that_cite_it_until_they_are_deleted(
    admin: Console, services: Services
) -> None:
    question = "How much is the dog tax? Tell ada@otter.example"
    answer = ask(admin, question)
    path = "/pages/town/en/dog-tax?lang=en"
    links = {link.get_text(): str(link["href"]) for link in soup(admin.get(path)).select("main ul.plain a")}
    assert links["How much is the dog tax? Tell [e-mail]"] == f"/admin/questions/{answer}"
    assert "ada@otter.example" not in page(admin, path).get_text()
    listed = "/questions?cited=town/en/dog-tax"
    assert answer in admin.get(listed).text
    assert answer not in admin.get("/questions?cited=town/en/pool").text
    assert answer in Console(services).log_in("ed", "town").get(path).text
    assert admin.get("/questions?cited=nonsense").status_code == 400
    conversation = services.feature(QuestionServices).questions.stored(answer).conversation
    services.chat.conversations.delete("town", conversation)
    assert "No stored answer cites this page." in page(admin, path).get_text()
    assert answer not in admin.get(listed).text


def test_an_editor_sees_no_question_of_a_site_that_searches_other_sources(
    admin: Console, services: Services
) -> None:
    answer = ask(admin, "How much is the dog tax?")
    with services.engine.begin() as connection:
        connection.execute(update(questions).values(site="both"))
    path = "/pages/town/en/dog-tax"
    assert answer in admin.get(path).text
    assert answer not in Console(services).log_in("ed", "town").get(path).text


def test_an_editor_without_a_site_is_told_why_there_are_no_questions(services: Services) -> None:
    editor = Console(services).log_in("kim", "council")
    for path in ("/questions", "/questions/groups"):
        assert "die allein Ihre Quellen durchsuchen" in page(editor, f"{path}?lang=de").get_text(), path


def test_a_message_of_another_source_is_not_there(admin: Console) -> None:
    assert admin.get("/sources/town/messages/unknown").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/questions?since=gestern",
        "/questions?until=2026-02-31",
        "/questions?cited=rathaus",
        "/questions?after=x",
        "/questions/groups?after=x",
    ],
)
def test_what_is_wrong_with_an_address_is_said_in_german(german: Console, path: str) -> None:
    message = said(german.get(path))
    assert not ENGLISH.search(message), message


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:24])
def test_a_number_that_no_group_has_is_no_fault(admin: Console, number: str) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    replies = [admin.get(f"/questions?group={number}")]
    replies += [admin.client.get(f"/api/admin/questions?group={number}", headers=headers)]
    assert {reply.status_code for reply in replies} <= {200, 400, 422}


def test_the_page_of_a_message_belongs_to_the_sources(admin: Console, services: Services) -> None:
    delivery = Delivery(source="town", id="message", digest="0" * 64)
    [job] = services.deliveries.accept(delivery, [raw_page("pool", "Pool", "The pool opens at nine.")])
    path = f"/sources/town/messages/{job.id}"
    here = [link["href"] for link in page(admin, path).select("nav.menu a[aria-current]")]
    assert here == ["/admin/sources"]
    for place in ("/sources/town", "/pages/town/en/pool"):
        assert page(admin, place).select(f"main a[href='/admin{path}']"), place


@pytest.fixture
def gap(admin: Console, services: Services) -> str:
    """The id of a group with one question, which no page answers."""
    answer = ask(admin, SWALLOW)
    services.feature(QuestionServices).groups.keep({answer: (1, 0)}, 0)
    return answer


def gaps(console: Console, query: str = "") -> list[str]:
    return [
        link.get_text() for link in page(console, f"/questions/groups?lang=en{query}").select("main h2 a")
    ]


def test_a_gap_is_ticked_off_and_opened_again(admin: Console, gap: str) -> None:
    assert (gaps(admin), gaps(admin, "&state=done")) == ([SWALLOW], [])
    done = admin.post(f"/questions/groups/{gap}?state=open", action="done")
    assert done.location == "/admin/questions/groups?state=open&done=gap_done"
    assert (gaps(admin), gaps(admin, "&state=done")) == ([], [SWALLOW])
    admin.post(f"/questions/groups/{gap}", action="open")
    assert gaps(admin) == [SWALLOW]


def test_a_gap_is_assigned_to_a_user_with_a_comment(admin: Console, gap: str, services: Services) -> None:
    Console(services).log_in("ed", "town")
    assert gaps(admin, "&state=mine") == []
    admin.post(f"/questions/groups/{gap}", action="note", assigned_to="ada", comment="Ask <b>the zoo</b>.")
    assert gaps(admin, "&state=mine") == [SWALLOW]
    [area] = page(admin, f"/questions/groups/{gap}").select("details textarea[name=comment]")
    assert area.get_text().strip() == "Ask <b>the zoo</b>."
    shown = page(admin, "/questions/groups?lang=en")
    assert "Ask <b>the zoo</b>. Note last changed by ada" in shown.get_text(" ", strip=True)
    assert [option.get_text() for option in shown.select("details option")] == ["nobody", "ada", "ed"]
    [noted, *_] = page(admin, "/changes").select("tbody tr")
    assert "Comment yes" in noted.get_text(" ", strip=True)
    assert noted.select(f"a[href='/admin/questions/groups/{gap}']")
    refused = admin.post(
        f"/questions/groups/{gap}?lang=en", action="note", assigned_to="nobody-here", comment=""
    )
    assert refused.status_code == 400 and "may not see this" in soup(refused).get_text()
    refused = admin.post(f"/questions/groups/{gap}", action="note", assigned_to="", comment="x" * 1001)
    assert refused.status_code == 400


def test_who_notes_something_sees_it_at_once(admin: Console, gap: str) -> None:
    group = f"/questions/groups/{gap}"
    saved = admin.post(f"{group}?state=mine", action="note", assigned_to="ada", comment="Soon.")
    assert saved.location == f"/admin{group}?done=gap_noted"
    shown = page(admin, f"{group}?lang=en").get_text(" ", strip=True)
    assert "Soon. Note last changed by ada" in shown


def test_a_word_that_no_page_has_leads_to_the_words_that_pages_have_for_it(
    admin: Console, services: Services
) -> None:
    begun = services.chat.conversations.begin("town", "How much is a Knöllchen?")
    document = {"answer": "A.", "status": "extractive", "sources": [], "citations": []}
    services.chat.conversations.finish(begun.answer, document | {"absent_words": ["Knöllchen"]})
    services.feature(QuestionServices).groups.keep({begun.answer: (1, 0)}, 0)
    [link] = page(admin, "/questions/groups?lang=en").select("dl.facts a[href*=synonyms]")
    [words] = page(admin, str(link["href"]).removeprefix("/admin")).select("textarea[name=words]")
    assert words.get_text().strip() == "Knöllchen"


def test_a_gap_is_assigned_only_to_those_who_may_see_it(admin: Console, gap: str, services: Services) -> None:
    Console(services).log_in("lee", "law")
    names = [option.get_text() for option in page(admin, "/questions/groups").select("details option")]
    assert "ada" in names and "lee" not in names
    refused = admin.post(f"/questions/groups/{gap}", action="note", assigned_to="lee", comment="")
    assert refused.status_code == 400


def test_a_comment_is_saved_though_the_one_it_is_assigned_to_is_gone(
    admin: Console, gap: str, services: Services
) -> None:
    Console(services).log_in("ed", "town")
    admin.post(f"/questions/groups/{gap}", action="note", assigned_to="ed", assigned_before="", comment="")
    services.users.remove("ed")
    note = {"action": "note", "assigned_to": "ed", "assigned_before": "ed", "comment": "Soon."}
    assert admin.post(f"/questions/groups/{gap}", **note).status_code == 303
    assert "Soon." in page(admin, "/questions/groups").get_text()


def test_what_is_done_to_a_gap_is_named_and_one_stays_where_one_was(admin: Console, gap: str) -> None:
    assert admin.post(f"/questions/groups/{gap}", action="shut").status_code == 400
    assert gaps(admin) == [SWALLOW]
    done = admin.post(f"/questions/groups/{gap}?after=10.1", action="done")
    assert done.location == "/admin/questions/groups?state=open&after=10.1&done=gap_done"


def test_a_gap_of_another_site_is_not_there(gap: str, services: Services) -> None:
    other = Console(services).log_in("lee", "law")
    assert gaps(other) == []
    assert other.post(f"/questions/groups/{gap}", action="done").status_code == 404
    assert SWALLOW not in page(other, "/").get_text()


def test_the_form_of_a_gap_comes_from_our_own_pages(admin: Console, gap: str) -> None:
    answer = admin.client.post(f"/admin/questions/groups/{gap}", data={"action": "done"})
    assert answer.status_code == 403
    assert gaps(admin) == [SWALLOW]


def test_the_overview_names_what_is_missing_most(admin: Console, gap: str) -> None:
    shown = page(admin, "/?lang=en")
    [link] = shown.select("section[aria-labelledby=gaps] li a")
    assert (link.get_text(), str(link["href"])) == (SWALLOW, f"/admin/questions/groups?site=town#group-{gap}")
    mine = "section[aria-labelledby=gaps] a[href$='state=mine']"
    assert not shown.select(mine)
    admin.post(f"/questions/groups/{gap}", action="note", assigned_to="ada", comment="")
    assert page(admin, "/?lang=en").select(mine)
    admin.post(f"/questions/groups/{gap}", action="done")
    assert not page(admin, "/?lang=en").select("section[aria-labelledby=gaps]")


def test_gaps_are_worded_without_jargon(german: Console, gap: str) -> None:
    assert gap
    for path in ("/questions/groups?lang=de&state=all", "/?lang=de"):
        [main] = page(german, path).select("main")
        for section in main.select("section.pair, section[aria-labelledby=gaps]"):
            text = section.get_text(" ")
            assert not re.search(r"Quelle|Kennung|Generation|Schwelle|Ähnlichkeit|Index|\bID\b", text), text


def test_gaps_are_changed_by_http(admin: Console, gap: str) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    url = "/api/admin/questions/groups"
    noted = admin.client.put(f"{url}/{gap}/note", json={"done": True, "assigned_to": "ada"}, headers=headers)
    assert (noted.status_code, noted.data) == (204, b"")
    [group] = admin.client.get(f"{url}?state=done", headers=headers).get_json()["groups"]
    assert (group["id"], group["assigned_to"], group["is_open"]) == (gap, "ada", False)
    assert admin.client.get(f"{url}?state=open", headers=headers).get_json()["groups"] == []
    wrong = ({"assigned_to": "nobody-here"}, 400), ({"comment": "x" * 1001}, 422), ({"unknown": 1}, 422)
    for body, status in wrong:
        answer = admin.client.put(f"{url}/{gap}/note", json=body, headers=headers)
        assert answer.status_code == status, body
    assert admin.client.put(f"{url}/unknown/note", json={"done": True}, headers=headers).status_code == 404
    assert admin.client.put(f"{url}/{gap}/note", json={"done": True}).status_code == 403
