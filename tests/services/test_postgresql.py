"""The harness itself: a real PostgreSQL that outlasts what it should, and is gone afterwards."""

import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.fakes.processes import running_in_group, wait_for_end_of_group
from tests.services import MissingServiceError, postgresql
from tests.services.fixtures import started_postgresql
from tests.services.postgresql import Postgresql

ROOT = Path(__file__).parents[2]


def test_data_and_address_outlast_kills_and_restarts_and_nothing_outlasts_the_stop(
    private_postgresql: Postgresql,
) -> None:
    server, url = private_postgresql, private_postgresql.url
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE pages AS SELECT 1 AS number")
    server.restart()
    assert numbers(url) == [(1,)]
    server.kill()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url)
    server.start()
    assert numbers(url) == [(1,)]
    group, folder = server.process.group, server.folder
    assert running_in_group(group)
    server.stop()
    assert not running_in_group(group)
    assert not folder.exists()


def numbers(url: str) -> list[tuple[int]]:
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT number FROM pages").fetchall()


@pytest.mark.postgresql
def test_no_server_outlives_the_tests_that_were_killed() -> None:
    program = """
import signal
from tests.services.fixtures import started_postgresql
with started_postgresql() as server:
    print(server.process.group, server.folder, flush=True)
    signal.pause()
"""
    process = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    group, folder = process.stdout.readline().split()
    process.kill()
    process.communicate()  # to the end of what cleans up, which shares the output
    wait_for_end_of_group(int(group))
    assert not Path(folder).exists()


def test_where_no_server_is_installed_its_tests_say_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "FOLDER", tmp_path)
    monkeypatch.delenv("AUSKUNFT_REQUIRE_SERVICES", raising=False)
    with pytest.raises(MissingServiceError, match="apt-get install postgresql"):
        Postgresql()
    with pytest.raises(pytest.skip.Exception, match="apt-get install postgresql"), started_postgresql():
        pass
    monkeypatch.setenv("AUSKUNFT_REQUIRE_SERVICES", "1")
    with pytest.raises(pytest.fail.Exception, match="apt-get install postgresql"), started_postgresql():
        pass
