"""Energy is shared between the answers that are written at the same time, by time."""

from app.chat.energy import Energy
from app.chat.model.tokens import Tokens
from app.features.energy.meter import EnergyMeter
from app.settings.energy import EnergySettings


class Machine:
    """A machine of 3,600 W, so that it uses one watt hour in a second, and its clock."""

    now = 0.0
    broken = False

    def clock(self) -> float:
        return self.now

    def joules(self, now: float) -> float | None:
        return None if self.broken else 3_600 * now

    def meter(self, **settings: float) -> EnergyMeter:
        return EnergyMeter({"cpu": self}, EnergySettings.model_validate(settings), self.clock)


def wh(energy: Energy | None) -> float:
    assert energy is not None
    return round(energy.watt_hours, 9)


def test_one_answer_gets_all_of_its_time() -> None:
    machine = Machine()
    meter = machine.meter()
    machine.now = 100
    answer = meter.begin()
    machine.now = 103
    assert wh(answer.end()) == 3


def test_answers_at_the_same_time_share_that_time_alone() -> None:
    """Alone for 2 s, together for 4 s, alone for 1 s: 2 + 4/2 = 4 and 4/2 + 1 = 3 Wh."""
    machine = Machine()
    meter = machine.meter()
    first = meter.begin()
    machine.now = 2
    second = meter.begin()
    machine.now = 6
    assert wh(first.end()) == 4
    machine.now = 7
    assert wh(second.end()) == 3


def test_no_energy_is_lost_or_counted_twice_between_many_answers() -> None:
    machine = Machine()
    meter = machine.meter()
    answers = []
    for moment in range(5):
        machine.now = moment
        answers.append(meter.begin())
    total = 0.0
    for moment, answer in enumerate(answers, start=10):
        machine.now = moment
        total += wh(answer.end())
    assert round(total, 6) == 14


def test_an_answer_that_has_ended_takes_nothing_more() -> None:
    machine = Machine()
    meter = machine.meter()
    answer = meter.begin()
    machine.now = 1
    answer.end()
    machine.now = 5
    assert wh(answer.end()) == 1
    other = meter.begin()
    machine.now = 6
    assert wh(other.end()) == 1


def test_time_without_an_answer_belongs_to_none() -> None:
    machine = Machine()
    meter = machine.meter()
    meter.begin().end()
    machine.now = 1_000
    answer = meter.begin()
    machine.now = 1_001
    assert wh(answer.end()) == 1


def test_a_counter_that_failed_in_its_time_leaves_an_answer_unknown_and_the_next_known() -> None:
    machine = Machine()
    meter = machine.meter()
    unlucky = meter.begin()
    machine.now, machine.broken = 1, True
    other = meter.begin()
    machine.now, machine.broken = 2, False
    assert unlucky.end() is None
    assert other.end() is None
    answer = meter.begin()
    machine.now = 3
    assert wh(answer.end()) == 1


def test_what_no_counter_has_noticed_is_not_claimed() -> None:
    assert Machine().meter().begin().end() is None


def test_the_models_server_is_added_by_its_tokens_and_the_overhead_is_not() -> None:
    """1.5 x 2 Wh + (1,000 x 0.1 + 500 x 2) / 1,000 Wh = 4.1 Wh."""
    machine = Machine()
    answer = machine.meter(pue=1.5, prompt_wh=0.1, output_wh=2).begin()
    assert answer.tokens is not None
    answer.tokens.add(Tokens(prompt=1_000, cached=0, output=500))
    machine.now = 2
    energy = answer.end()
    assert wh(energy) == 4.1
    assert energy is not None
    assert energy.basis == "estimated"


def test_an_answer_without_the_model_takes_this_machine_alone() -> None:
    machine = Machine()
    answer = machine.meter(prompt_wh=0.1, output_wh=2).begin()
    machine.now = 1
    energy = answer.end()
    assert energy is not None
    assert energy.parts.keys() == {"cpu"}


def test_tokens_are_not_counted_where_they_have_no_declared_energy() -> None:
    assert Machine().meter().begin().tokens is None
