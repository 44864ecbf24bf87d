"""What benchmarks leave behind in the process of the tests."""

from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(autouse=True)
def default_logging() -> Iterator[None]:
    """Benchmarks log as commands do; other tests must not."""
    yield
    structlog.reset_defaults()
