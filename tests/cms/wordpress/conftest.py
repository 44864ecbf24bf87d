"""One WordPress and one Auskunft for all tests of the plug-in."""

from collections.abc import Iterator

import httpx
import pytest

from tests.cms.service import SOURCE, Auskunft, running
from tests.cms.wordpress.site import WordPress
from tests.services import MissingServiceError, outcome
from tests.services.mariadb import MariaDb


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Auskunft]:
    """A running Auskunft; who stops it starts it again."""
    with running(tmp_path_factory.mktemp("auskunft")) as started:
        yield started


@pytest.fixture(scope="session")
def wordpress(service: Auskunft) -> Iterator[WordPress]:
    """A WordPress whose plug-in sends to ``service``."""
    try:
        database = MariaDb()
        installation = WordPress(database)
    except MissingServiceError as missing:
        raise outcome(missing) from None
    with database:
        try:
            installation.start()
            installation.configure(url=service.url, source=SOURCE, secret=service.secrets[0])
            yield installation
        finally:
            installation.stop()


@pytest.fixture(scope="session")
def administrator(wordpress: WordPress) -> Iterator[httpx.Client]:
    """A browser that is logged in."""
    with httpx.Client(base_url=wordpress.url, follow_redirects=True, timeout=30) as client:
        client.get("/wp-login.php")
        client.post("/wp-login.php", data={"log": "editor", "pwd": "password", "testcookie": "1"})
        yield client
