"""Wrong values on the command line, and which commands leave the processor to the server."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from app.cli import cli
from app.cli.common import NICENESS
from tests.cli.test_give_way import niceness
from tests.fakes.command import Command

__all__ = ["niceness"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (["runs", "show", "one"], "'one' is not a whole number: use a number of 1 or more."),
        (["runs", "show", "9" * 21], f"{'9' * 21} is too large"),
        (["judge", "a", "--max-cost", "cheap"], "'cheap' is not an amount: use a number of 0 or more."),
        (["pool", "chekc"], "No such command 'chekc'. Did you mean 'check'? Try 'auskunft pool --help'."),
    ],
)
def test_the_line_says_what_to_give(tmp_path: Path, call: list[str], said: str) -> None:
    assert said in Command(tmp_path).run(*call).complaint(2)


@pytest.mark.usefixtures("niceness")
def test_an_evaluation_leaves_the_processor_to_the_server(request: pytest.FixtureRequest) -> None:
    CliRunner().invoke(cli, ["evaluate", "absent"])
    assert request.getfixturevalue("niceness") == [NICENESS]
