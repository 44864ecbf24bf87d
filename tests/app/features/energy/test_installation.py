"""The energy of answers: told where the site wants it and it is known, kept and summed."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from app import create_app
from app.chat.service import VisitorQuestion
from app.features.energy.log import KEPT_DAYS, EnergyLog
from app.features.energy.meter import EnergyMeter
from app.monitoring.check import Check
from app.monitoring.readiness import checks
from app.pages.database import utc_now
from app.services import Services
from app.settings.chat import ChatSettings
from app.settings.energy import EnergySettings
from app.settings.settings import Settings
from tests.app.api.events import named, parse
from tests.app.features.energy.counted import installation
from tests.fakes.llm import FakeLlm, Reply

QUESTION = "How much is the dog tax in euros?"
Start = Callable[..., Services]


@pytest.fixture
def start(
    site_settings: Settings, indexed_site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Start]:
    """Start an installation."""
    with ExitStack() as stack:

        def started(**changes: Any) -> Services:
            return stack.enter_context(make(**changes))

        make = partial(installation, site_settings, indexed_site, tmp_path, monkeypatch)
        yield started


def ask(services: Services, site: str = "town", question: str = QUESTION) -> tuple[FlaskClient, str, Any]:
    """Ask, and give a client, the answer's id and the event that ends it."""
    client = create_app(services=services).test_client()
    events = parse(client.post(f"/api/chat?site={site}", json={"question": question}).text)
    (begun,), (done,) = named(events, "started"), named(events, "done")
    return client, begun["answer"], done


def line(services: Services) -> list[Check]:
    return [check for check in checks(services) if check.name == "energy"]


def test_the_energy_is_told_part_by_part_and_kept_with_the_answer(start: Start) -> None:
    client, answer, done = ask(start(energy=EnergySettings(pue=1.2)))
    energy = done["energy"]
    assert energy["basis"] == "measured"
    assert energy["pue"] == 1.2
    assert energy["parts"].keys() == {"cpu", "ram"}
    assert energy["wh"] > 0
    assert energy["wh"] == pytest.approx(1.2 * energy["parts"]["ram"], rel=0.02)
    assert client.get(f"/api/answers/{answer}?site=town").json["energy"] == energy  # type: ignore[index]


def test_a_site_that_does_not_want_it_tells_nothing(start: Start) -> None:
    assert "energy" not in ask(start(), site="plain")[2]


def test_where_nothing_is_known_nothing_is_claimed_and_the_status_says_why(start: Start) -> None:
    services = start(has_counters=False)
    assert "energy" not in ask(services)[2]
    (check,) = line(services)
    assert not check.ok
    assert "counter cannot be read" in check.detail


def test_declared_power_makes_an_estimate(start: Start) -> None:
    energy = ask(start(has_counters=False, energy=EnergySettings(watts=100)))[2]["energy"]
    assert (energy["basis"], [*energy["parts"]]) == ("estimated", ["machine"])


def test_the_model_on_another_machine_counts_by_the_tokens_that_it_tells(start: Start, llm: FakeLlm) -> None:
    """(2,000 x 0.5 + 100 x 10) / 1,000 = 2 Wh."""
    llm.script(Reply(deltas=("It is **96 euros** [1].",), usage=(2_000, 0, 100)))
    services = start(
        chat=ChatSettings(base_url=llm.base_url, model="fake"),
        energy=EnergySettings(prompt_wh=0.5, output_wh=10),
    )
    energy = ask(services)[2]["energy"]
    assert energy["parts"]["model"] == 2
    assert energy["basis"] == "estimated"


def test_tokens_are_estimated_where_the_endpoint_tells_none(start: Start, llm: FakeLlm) -> None:
    llm.script(Reply(deltas=("It is **96 euros** [1].",)))
    services = start(
        chat=ChatSettings(base_url=llm.base_url, model="fake"),
        energy=EnergySettings(prompt_wh=1, output_wh=1),
    )
    assert 0.1 < ask(services)[2]["energy"]["parts"]["model"] < 5


def test_the_endpoint_is_not_asked_for_tokens_that_nobody_needs(start: Start, llm: FakeLlm) -> None:
    llm.script(Reply(deltas=("It is **96 euros** [1].",)))
    ask(start(chat=ChatSettings(base_url=llm.base_url, model="fake")))
    assert "stream_options" not in llm.requests[-1]


def test_the_sum_of_the_last_days_is_in_the_status_and_survives_the_answers(start: Start) -> None:
    services = start()
    client, _, first = ask(services)
    _, _, second = ask(services)
    total = first["energy"]["wh"] + second["energy"]["wh"]
    with services.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM answers")
    (known,) = services.chat.energy.last_days()
    assert (known.basis, known.answers) == ("measured", 2)
    assert known.watt_hours == pytest.approx(total)
    (check,) = line(services)
    assert check.ok
    assert check.detail.startswith("cpu, ram; ")
    assert check.detail.endswith(" Wh measured for 2 answers in 7 days")
    assert 'auskunft_answers_watt_hours_total{basis="measured"}' in client.get("/metrics").text


def test_sums_of_days_long_ago_are_deleted(start: Start) -> None:
    services = start()
    ask(services)
    EnergyLog(services.engine, lambda: utc_now() + timedelta(days=KEPT_DAYS)).expire()
    assert services.chat.energy.last_days() != []
    EnergyLog(services.engine, lambda: utc_now() + timedelta(days=KEPT_DAYS + 1)).expire()
    assert services.chat.energy.last_days() == []


def test_the_status_says_nothing_where_no_site_tells_its_energy(site_services: Services) -> None:
    assert line(site_services) == []


def test_an_answer_whose_visitor_left_keeps_what_it_took_and_shares_no_more(start: Start) -> None:
    services = start()
    site = services.chat.sites.find("town", None)
    left = services.chat.service.begin(site, VisitorQuestion(question=QUESTION))
    left.close()
    stored = services.chat.conversations.answer("town", left.pending.answer)
    assert stored.document is not None
    assert stored.status == "interrupted"
    assert stored.document["energy"]["wh"] > 0
    whole = services.chat.service.begin(site, VisitorQuestion(question=QUESTION))
    list(whole.events())
    assert whole.document["energy"]["wh"] > 0


def test_a_question_that_is_refused_shares_no_more(start: Start) -> None:
    services = start()
    client = create_app(services=services).test_client()
    response = client.post("/api/chat?site=town", json={"question": "a" * 5_000})
    assert response.status_code == 400
    meter = services.chat.service.meter
    assert isinstance(meter, EnergyMeter)
    assert not meter._answers
