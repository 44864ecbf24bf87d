"""Real services for the tests, started on this machine without containers.

A service that cannot be had raises ``MissingServiceError``: its tests are skipped, with the reason and the
remedy, except where ``AUSKUNFT_REQUIRE_SERVICES=1`` makes that a failure.
"""

import os

import pytest


class MissingServiceError(Exception):
    """A service cannot be had on this machine: why, and what to do."""


def outcome(missing: MissingServiceError) -> BaseException:
    """What to raise in a test that asked for the service: skipped, or failed where services are required."""
    if os.environ.get("AUSKUNFT_REQUIRE_SERVICES") == "1":
        return pytest.fail.Exception(f"AUSKUNFT_REQUIRE_SERVICES=1, but {missing}", pytrace=False)
    return pytest.skip.Exception(str(missing))
