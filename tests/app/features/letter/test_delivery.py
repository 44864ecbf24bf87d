"""A letter reaches each recipient once a week, by a real mail server, as soon as that is there."""

import threading
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import update

from app.features.letter.ledger import BROKEN_OFF
from app.features.letter.services import LetterServices
from app.features.letter.services import letter as check
from app.features.letter.step import forget, is_due, send
from app.indexing.stopping import never
from app.pages.database import writing
from app.pages.question_tables import questions
from app.services import Services
from tests.app.features.letter.conftest import EVERYTHING, LAW, Town, content
from tests.fakes.mail import Inbox, mail_server

QUESTION = "Wo ist der Hafen für Luftschiffe?"


def test_each_recipient_gets_their_own_as_text_and_html(town: Town) -> None:
    town.ask(QUESTION)
    town.ask("Since when does the act apply?", site="law")
    with mail_server(town.inbox, town.port):
        assert town.run() == 2
    received = town.received()
    assert received.keys() == {EVERYTHING, LAW}
    everything, law = received[EVERYTHING], received[LAW]
    assert everything.get_content_type() == "multipart/alternative"
    assert (everything["Subject"], law["Subject"]) == ("Wochenbrief: Town", "Weekly letter: Law")
    for kind in ("plain", "html"):
        assert QUESTION in content(everything, kind)
        assert QUESTION not in content(law, kind) and "the act apply" in content(law, kind)


def test_nobody_gets_two_in_a_week_and_everybody_the_next(town: Town) -> None:
    town.ask(QUESTION)
    with mail_server(town.inbox, town.port):
        town.run()
        assert len(town.inbox.messages) == 1
        for hours in (1, 20):
            town.clock.now += timedelta(hours=hours)
            assert not is_due(town.services)
        town.clock.now += timedelta(days=7) - timedelta(hours=21)
        with writing(town.services.engine) as connection:
            connection.execute(update(questions).values(asked_at=town.clock.now))
        town.run()
    assert len(town.inbox.messages) == 2


def test_several_processes_at_once_send_it_once(town: Town) -> None:
    town.ask(QUESTION)
    with ExitStack() as stack:
        stack.enter_context(mail_server(town.inbox, town.port))
        others = [stack.enter_context(Services(town.services.settings)) for _ in range(3)]
        for each in others:
            each.feature(LetterServices).clock = town.clock
        start = threading.Barrier(len(others))

        def work(services: Services) -> None:
            start.wait(10)
            while send(services, never):
                pass

        threads = [threading.Thread(target=work, args=(each,)) for each in others]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(town.inbox.messages) == 1


def test_it_is_sent_from_its_hour_on_for_a_day(town: Town) -> None:
    monday = town.clock.now
    for hours, expected in ((-2, False), (-1, True), (22, True), (23, False), (48, False), (6 * 24, False)):
        town.clock.now = monday + timedelta(hours=hours)
        assert is_due(town.services) is expected, hours


def test_while_the_mail_server_is_away_it_is_tried_again_and_status_says_so(town: Town) -> None:
    town.ask(QUESTION)
    assert town.run() == 2
    problem = f"the mail server 127.0.0.1:{town.port} cannot be used (ConnectionRefusedError)"
    [line] = check(town.services)
    assert (line.ok, line.required, line.detail) == (False, False, f"1 of 2 not sent: {problem}")
    assert not is_due(town.services)
    town.clock.now += timedelta(minutes=16)
    with mail_server(town.inbox, town.port):
        assert town.run() == 1
    assert town.received().keys() == {EVERYTHING}
    [line] = check(town.services)
    assert line.ok


class Refusing(Inbox):
    """Knows no mailbox for everything."""

    async def handle_RCPT(  # noqa: N802
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        """Called by aiosmtpd."""
        if address == EVERYTHING:
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"


def test_an_address_that_is_refused_holds_up_no_other(town: Town) -> None:
    town.ask(QUESTION)
    town.ask("Since when does the act apply?", site="law")
    town.inbox = Refusing()
    with mail_server(town.inbox, town.port):
        town.run()
    assert town.received().keys() == {LAW}
    [line] = check(town.services)
    assert line.detail.endswith("refuses the recipient (550)") and EVERYTHING not in line.detail


def test_an_empty_letter_sent_by_hand_is_still_due(town: Town) -> None:
    with mail_server(town.inbox, town.port):
        assert town.writer.send(EVERYTHING, empty_counts=False) == "empty"
        assert EVERYTHING in town.letters.due() and check(town.services)[0].ok
        town.ask(QUESTION)
        assert town.writer.send(EVERYTHING, empty_counts=False) == "sent"
    assert town.received().keys() == {EVERYTHING}


def test_an_empty_week_sends_nothing(town: Town) -> None:
    with mail_server(town.inbox, town.port):
        assert town.run() == 2
    assert town.inbox.messages == []
    assert not is_due(town.services)


def test_what_died_while_sending_is_not_sent_again_but_reported(town: Town) -> None:
    town.ask(QUESTION)
    ledger = town.letters.ledger
    ledger.state(EVERYTHING)
    assert ledger.begin(EVERYTHING, town.letters.week)
    [line] = check(town.services)
    assert line.ok
    town.clock.now += timedelta(minutes=16)
    with mail_server(town.inbox, town.port):
        town.run()
    assert town.inbox.messages == []
    [line] = check(town.services)
    assert not line.ok and line.detail == f"1 of 2 not sent: {BROKEN_OFF}"


def test_who_is_removed_from_the_console_gets_none(town: Town) -> None:
    town.ask("Since when does the act apply?", site="law")
    town.services.users.remove("otto")
    with mail_server(town.inbox, town.port):
        town.run()
    assert town.received().keys() == {EVERYTHING}
    [line] = check(town.services)
    assert not line.ok and "there is no user 'otto'" in line.detail


def test_the_background_sends_what_is_due(town: Town) -> None:
    town.ask(QUESTION)
    with mail_server(town.inbox, town.port):
        assert town.services.background.features.run_lane("models", never)
    assert town.received().keys() == {EVERYTHING}


def test_no_address_is_kept_and_those_that_are_not_named_any_more_are_forgotten(town: Town) -> None:
    ledger = town.letters.ledger
    gone, stopped = (ledger.state(address) for address in ("gone@town.example", "stopped@town.example"))
    ledger.stop(stopped.key)
    ledger.state(EVERYTHING)
    database = Path(town.services.settings.data, "pages.sqlite")
    assert EVERYTHING.encode() not in database.read_bytes()
    forget(town.services)
    assert ledger.states(("gone@town.example", "stopped@town.example", EVERYTHING)).keys() == {
        "stopped@town.example",
        EVERYTHING,
    }
    assert gone.key != stopped.key
