"""The page of the letter shows it exactly as it would be sent now, each user their own."""

from app.features.letter.step import send
from app.indexing.stopping import never
from tests.app.console.conftest import Console
from tests.app.features.letter.conftest import EVERYTHING, LAW, Town, content
from tests.app.site import XSS
from tests.app.web.browser import soup
from tests.fakes.mail import mail_server

QUESTION = "Wo ist der Hafen für Luftschiffe?"


def key_left_out(text: str, key: str) -> str:
    return text.replace(key, "—")


def test_it_is_shown_as_it_is_sent(town: Town) -> None:
    town.ask(QUESTION)
    console = Console(town.services).log_in("ada")
    page = soup(console.get(f"/letter?to={EVERYTHING}"))
    [frame] = page.select("iframe")
    html = console.client.get(str(frame["src"]))
    with mail_server(town.inbox, town.port):
        send(town.services, never)
    message, key = town.received()[EVERYTHING], town.letters.ledger.state(EVERYTHING).key
    assert html.text == key_left_out(content(message, "html"), key)
    [plain] = page.select("pre")
    assert plain.get_text() == key_left_out(content(message, "plain"), key)
    assert message["Subject"] in page.get_text()


def test_its_html_runs_in_a_frame_of_ours_alone_and_without_scripts(town: Town) -> None:
    town.ask(f"How much {XSS}?")
    console = Console(town.services).log_in("ada")
    answer = console.get("/letter/html")
    policy = answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert {"default-src 'none'", "frame-ancestors 'self'"} <= set(policy.split("; "))
    assert "sandbox" in policy and "allow-scripts" not in policy and "allow-same-origin" not in policy
    [frame] = soup(console.get("/letter")).select("iframe")
    assert "allow-scripts" not in str(frame["sandbox"])


def test_an_editor_reads_their_own_and_sees_no_recipients(town: Town) -> None:
    town.ask(QUESTION)
    town.ask("Since when does the act apply?", site="law")
    console = Console(town.services).log_in("lou", "law")
    page = soup(console.get("/letter?lang=en"))
    assert "the act apply" in page.get_text() and QUESTION not in page.get_text()
    assert LAW not in page.get_text() and EVERYTHING not in page.get_text()
    for path in ("/letter", "/letter/html"):
        assert console.get(f"{path}?to={EVERYTHING}").status_code == 404


def test_an_editor_stops_their_own_letter_and_has_it_sent_again(town: Town) -> None:
    town.ask("Since when does the act apply?", site="law")
    town.services.users.remove("otto")
    console = Console(town.services).log_in("otto", "law")
    [frame] = soup(console.get("/letter")).select("iframe")
    assert "the act apply" in console.client.get(str(frame["src"])).text
    for path, button in (("stop", "Send it to me again"), ("again", "Stop this letter")):
        done = console.post(f"/letter/{path}", to=LAW)
        assert (done.status_code, town.letters.ledger.state(LAW).stopped_at is None) == (303, path == "again")
        assert soup(console.client.get(f"{done.location}&lang=en")).select("tbody button")[0].text == button
    assert console.post("/letter/stop", to=EVERYTHING).status_code == 404


def test_nobody_stops_the_letter_of_somebody_else(town: Town) -> None:
    console = Console(town.services).log_in("ada")
    assert console.post("/letter/stop", to=LAW).status_code == 404
    assert town.letters.ledger.state(LAW).stopped_at is None
    assert not soup(console.get("/letter")).select("tbody button")


def test_admins_see_what_became_of_each(town: Town) -> None:
    console = Console(town.services).log_in("ada")
    town.ask(QUESTION)
    send(town.services, never)
    town.letters.ledger.stop(town.letters.ledger.state(LAW).key)
    rows = [row.get_text(" ", strip=True) for row in soup(console.get("/letter?lang=en")).select("tbody tr")]
    assert rows[0].startswith(f"{EVERYTHING} not sent the mail server")
    assert rows[1] == f"{LAW} stopped by the recipient"


def test_an_empty_week_is_told(town: Town) -> None:
    page = soup(Console(town.services).log_in("ada").get("/letter?lang=en"))
    assert "There is nothing to report this week" in page.get_text() and not page.select("iframe")


def test_the_menu_has_it_where_somebody_gets_it(town: Town) -> None:
    console = Console(town.services).log_in("ada")
    assert console.get("/letter?lang=de").status_code == 200
    assert "Wochenbrief" in soup(console.get("/")).get_text()
    town.services.settings.letter.to.clear()
    assert "Wochenbrief" not in soup(console.get("/")).get_text()
    assert "[letter] to" in soup(console.get("/letter")).get_text()
