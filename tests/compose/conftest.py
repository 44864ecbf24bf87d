"""The one installation that all tests of the rehearsal share."""

import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.compose.engine import engine
from tests.compose.installation import SECRET, SOURCE, Installation, commands, note
from tests.compose.standins import build
from tests.services import MissingServiceError, outcome

CONTACT = "Bürgerbüro, Telefon 0123 4567"


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Started by the commands of the guide, with nothing in it."""
    with ExitStack() as stack:
        began = time.monotonic()
        try:
            docker = stack.enter_context(engine())
            if docker.own:
                build(docker)
        except MissingServiceError as missing:
            raise outcome(missing) from None
        note(f"base images: {time.monotonic() - began:.0f} s")
        started = Installation(docker, tmp_path_factory.mktemp("clone"))
        env, up, _ = commands("Start")
        started.run(env)
        started.set(
            AUSKUNFT_PORT=started.port,
            AUSKUNFT_CONTACT=CONTACT,
            AUSKUNFT_SOURCES={SOURCE: {"secrets": [SECRET]}},
            AUSKUNFT_ENERGY__WATTS=45,
        )
        stack.callback(started.run, "docker compose down --volumes")
        began = time.monotonic()
        started.run("docker compose build --quiet")
        note(f"image of ours: {time.monotonic() - began:.0f} s")
        began = time.monotonic()
        started.run(up)
        note(f"start: {time.monotonic() - began:.0f} s")
        stack.enter_context(started.measured())
        yield started
