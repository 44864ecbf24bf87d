"""What all tests may ask for."""

import signal

import pytest
from hypothesis import HealthCheck, settings

from tests import lanes

pytest_plugins = ["tests.services.fixtures"]

# A shell ignores Ctrl-C for what it starts in the background, which every process of a test would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes is a matter of the machine's load, not of the code.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give every test its lane, before ``-m`` selects."""
    for item in items:
        lanes.mark(item)
