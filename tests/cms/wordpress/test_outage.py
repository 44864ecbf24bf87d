"""Auskunft may be away, slow, or have another secret: saves stay fast and nothing is lost."""

import socket
import time
from collections.abc import Iterator
from itertools import pairwise
from statistics import median
from typing import Final

import pytest

from tests.cms.service import Auskunft, seconds_until, secret
from tests.cms.wordpress.site import WordPress
from tests.cms.wordpress.test_wordpress import known, question, saved

SAVES: Final = 8
DAY_MS: Final = 24 * 3600 * 1000
TIMEOUT_SECONDS: Final = 10
"""How long the plug-in waits for an answer."""
FAIL_ONCE_MORE: Final = """
$state = ['until' => 0] + Auskunft\\Settings::state();
update_option('auskunft_state', $state, false);
Auskunft\\Sender::run();
return Auskunft\\Settings::state()['until'] - time();
"""


@pytest.fixture
def away(wordpress: WordPress, service: Auskunft) -> Iterator[None]:
    """Auskunft is stopped; afterwards it runs again and nothing waits."""
    service.stop()
    yield
    service.stop()
    service.secrets = [secret("a")]
    service.start()
    wordpress.configure(url=service.url, secret=service.secrets[0])
    send_what_waits(wordpress)


def send_what_waits(wordpress: WordPress) -> None:
    """The pause is over, and the minute's task runs."""
    wordpress.php("Auskunft\\Settings::try_again(); do_action('auskunft_send');")


def age(wordpress: WordPress) -> None:
    """A day passes for the queue and for what was sent."""
    wordpress.database.query(
        f"UPDATE cms.wp_auskunft SET revision = revision - {DAY_MS},"
        f" sent_revision = GREATEST(sent_revision, {DAY_MS}) - {DAY_MS}"
    )


def test_a_day_without_auskunft_loses_nothing(wordpress: WordPress, service: Auskunft) -> None:
    try:
        service.stop()
        changed, gone = saved(wordpress, "oldfee"), saved(wordpress, "gonefee")
        age(wordpress)
        service.start()
        send_what_waits(wordpress)
        seconds_until(lambda: known(service, "oldfee") and known(service, "gonefee"))
        service.stop()
        wordpress.save(number=changed["id"], title="All about newfee", content="<p>The newfee is 12.</p>")
        wordpress.delete(gone["id"])
        saved(wordpress, "laterfee")
        assert wordpress.waiting() == 3
        send_what_waits(wordpress)
        assert wordpress.waiting() == 3
    finally:
        service.stop()
        service.start()
    send_what_waits(wordpress)
    assert wordpress.waiting() == 0
    seconds_until(lambda: known(service, "newfee") and known(service, "laterfee"))
    seconds_until(lambda: not known(service, "gonefee"))
    assert not known(service, "oldfee")


def test_while_auskunft_is_away_it_is_asked_ever_less_often(wordpress: WordPress, away: None) -> None:
    saved(wordpress, "pausefee")
    pauses = [wordpress.php(FAIL_ONCE_MORE) for _ in range(4)]
    assert all(later >= earlier * 1.6 for earlier, later in pairwise(pauses)), pauses


def test_a_save_is_not_slowed_by_an_auskunft_that_hangs(wordpress: WordPress, away: None) -> None:
    def usual() -> float:
        taken = []
        for number in range(SAVES):
            begun = time.monotonic()
            saved(wordpress, f"speed{number}")
            taken.append(time.monotonic() - begun)
        return median(taken)

    with socket.create_server(("127.0.0.1", 0)) as silent:
        wordpress.configure(url=f"http://127.0.0.1:{silent.getsockname()[1]}")
        with_plugin = usual()
        wordpress.php("update_option('active_plugins', []);")
        try:
            without = usual()
        finally:
            wordpress.php("update_option('active_plugins', ['auskunft/auskunft.php']);")
    print(f"a save: {without * 1000:.0f} ms without the plug-in, {with_plugin * 1000:.0f} ms with it")  # noqa: T201
    assert with_plugin < TIMEOUT_SECONDS


def test_what_was_saved_while_the_plugin_was_off_is_sent_by_the_daily_task(
    wordpress: WordPress, service: Auskunft
) -> None:
    page = saved(wordpress, "unseengone")
    seconds_until(lambda: known(service, "unseengone"))
    wordpress.php("update_option('active_plugins', []);")
    try:
        saved(wordpress, "unseennew")
        wordpress.delete(page["id"], force=True)
    finally:
        wordpress.php("update_option('active_plugins', ['auskunft/auskunft.php']);")
    wordpress.php("do_action('auskunft_reconcile');")
    send_what_waits(wordpress)
    seconds_until(lambda: known(service, "unseennew") and not known(service, "unseengone"))


def test_a_secret_is_changed_without_losing_a_page(
    wordpress: WordPress, service: Auskunft, away: None
) -> None:
    service.secrets = [secret("b")]
    service.start()
    saved(wordpress, "rotation")
    seconds_until(lambda: "401" in wordpress.php("return Auskunft\\Settings::state()['error'];"))
    wordpress.configure(secret=secret("b"))
    seconds_until(lambda: known(service, "rotation"))


def test_a_second_sending_and_one_of_the_past_change_nothing(wordpress: WordPress, service: Auskunft) -> None:
    page = saved(wordpress, "twice")
    seconds_until(lambda: known(service, "twice"))
    wordpress.php(
        "$row = $GLOBALS['wpdb']->get_row('SELECT * FROM wp_auskunft WHERE post_id = "
        + str(page["id"])
        + "');"
        "$now = Auskunft\\Pages::events($row); $past = $now; $past[0]['revision'] -= 1000;"
        "$past[0]['title'] = 'All about never';"
        "$gone = ['type' => 'page.deleted', 'id' => (int) $row->post_id];"
        "$gone['revision'] = $row->revision - 500;"
        "foreach ([$now, $now, $past, [$gone]] as $events) { Auskunft\\Client::send($events); }"
    )
    after = saved(wordpress, "aftertwice")
    seconds_until(lambda: known(service, "aftertwice"))
    assert known(service, "twice"), after
    assert not service.knows(question("twice"), "All about never")
