"""The rate limit: how many messages are allowed in which time."""

import pytest

from app.errors import FloodError
from app.sources.rate_limit import RateLimiter


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def allowed(limiter: RateLimiter, name: str = "town", per_minute: int = 6, tries: int = 20) -> int:
    """How many of ``tries`` are allowed."""
    count = 0
    for _ in range(tries):
        try:
            limiter.hit(name, per_minute)
            count += 1
        except FloodError:
            pass
    return count


def test_a_minutes_messages_may_come_at_once_and_then_one_by_one() -> None:
    clock = Clock()
    limiter = RateLimiter(clock)
    assert allowed(limiter) == 6
    clock.now += 9.9
    assert allowed(limiter) == 0
    clock.now += 0.2
    assert allowed(limiter) == 1
    clock.now += 1_000
    assert allowed(limiter) == 6


def test_the_refusal_says_when_to_come_again() -> None:
    clock = Clock()
    limiter = RateLimiter(clock)
    allowed(limiter)
    with pytest.raises(FloodError, match="again in 10 s") as refusal:
        limiter.hit("town", 6)
    clock.now += refusal.value.seconds
    limiter.hit("town", 6)


def test_each_name_has_a_limit_of_its_own() -> None:
    limiter = RateLimiter(Clock())
    assert allowed(limiter, "town") == allowed(limiter, "village") == 6
