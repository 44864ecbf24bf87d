"""How many messages come through in which time."""

import pytest

from app.errors import FloodError
from app.sources.rate_limit import RateLimiter


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def entered(gate: RateLimiter, name: str = "town", per_minute: int = 6, tries: int = 20) -> int:
    """How many of ``tries`` come through."""
    passed = 0
    for _ in range(tries):
        try:
            gate.enter(name, per_minute)
            passed += 1
        except FloodError:
            pass
    return passed


def test_a_minutes_messages_may_come_at_once_and_then_one_by_one() -> None:
    clock = Clock()
    gate = RateLimiter(clock)
    assert entered(gate) == 6
    clock.now += 9.9
    assert entered(gate) == 0
    clock.now += 0.2
    assert entered(gate) == 1
    clock.now += 1_000
    assert entered(gate) == 6


def test_the_refusal_says_when_to_come_again() -> None:
    clock = Clock()
    gate = RateLimiter(clock)
    entered(gate)
    with pytest.raises(FloodError, match="again in 10 s") as refusal:
        gate.enter("town", 6)
    clock.now += refusal.value.seconds
    gate.enter("town", 6)


def test_each_name_has_a_limit_of_its_own() -> None:
    gate = RateLimiter(Clock())
    assert entered(gate, "town") == entered(gate, "village") == 6
