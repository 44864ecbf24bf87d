"""Real services for the tests, started on this machine without containers.

A service that cannot be had raises ``MissingServiceError``: its tests are skipped, with the reason and the
remedy, except where ``AUSKUNFT_REQUIRE_SERVICES=1`` makes that a failure.
"""

import os
from typing import NoReturn

import pytest


class MissingServiceError(Exception):
    """A service cannot be had on this machine: why, and what to do."""


def skip(missing: MissingServiceError) -> NoReturn:
    """Skip the test that asked for the service, or fail it where services are required."""
    if os.environ.get("AUSKUNFT_REQUIRE_SERVICES") == "1":
        pytest.fail(f"AUSKUNFT_REQUIRE_SERVICES=1, but {missing}", pytrace=False)
    pytest.skip(str(missing))
