"""Values on the command line: a wrong one is told in words of the thing, not of Python."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from app.cli import cli
from tests.fakes.command import Command

WORDS_OF_PYTHON = ("%Y", "<=", ">=", "integer", "float", "range", "None", "int(", "datetime")
BAD = ("foo", "-1", "99999999999999999999999", "2024-13-01")


def parameters(
    command: click.Command = cli, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Parameter]]:
    """Every option and argument of every command, with the words that call the command."""
    context = click.Context(command)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from parameters(below, (*path, name))
    yield from ((path, parameter) for parameter in command.params)


def takes_any_text(parameter: click.Parameter) -> bool:
    is_flag = isinstance(parameter, click.Option) and (parameter.is_flag or parameter.count)
    return is_flag or parameter.type.name in ("text", "path", "file", "directory")


CHECKED = [(path, parameter) for path, parameter in parameters() if not takes_any_text(parameter)]


@pytest.mark.parametrize(
    ("path", "parameter"), CHECKED, ids=[f"{' '.join(path)} {each.name}" for path, each in CHECKED]
)
def test_a_wrong_value_is_told_in_words(path: tuple[str, ...], parameter: click.Parameter) -> None:
    complaints = [said for value in BAD if (said := complaint(path, parameter, value))]
    assert complaints
    for said in complaints:
        assert "\n" not in said
        assert not [word for word in WORDS_OF_PYTHON if word in said], said


def complaint(path: tuple[str, ...], parameter: click.Parameter, value: str) -> str:
    """What is said of the value; empty where it is a good one."""
    command: Any = cli
    for name in path:
        command = command.get_command(click.Context(command), name)
    try:
        parameter.type_cast_value(click.Context(command), (value,) if parameter.nargs == -1 else value)
    except click.UsageError as error:
        assert error.exit_code == 2
        return error.format_message()
    return ""


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (["ask", "why", "--at", "foo"], "'--at': 'foo' is not a day: use one such as 2023-01-31."),
        (["ask", "why", "--at", "2024-13-01"], "'2024-13-01' is not a day: use one such as 2023-01-31."),
        (["serve", "--port", "99999"], "'--port': 99999 is too large: use a number from 0 to 65,535."),
        (["serve", "--port", "x"], "'--port': 'x' is not a port: use a number from 0 to 65,535."),
        (["questions", "--limit", "0"], "'--limit': 0 is too small: use a number of 1 or more."),
        (["worker", "--concurrency", "1.5"], "'1.5' is not a whole number: use a number from 1 to 64."),
    ],
)
def test_the_line_says_what_to_give(tmp_path: Path, call: list[str], said: str) -> None:
    assert said in Command(tmp_path).run(*call).complaint(2)


@pytest.mark.parametrize(
    "call",
    [
        ["generations", "--drop"],
        ["question-groups", "--limit"],
    ],
)
def test_a_number_that_no_database_holds_is_too_large(tmp_path: Path, call: list[str]) -> None:
    said = Command(tmp_path).run(*call, "9" * 21).complaint(2)
    assert f"{'9' * 21} is too large" in said


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (["idnex"], "No such command 'idnex'. Did you mean 'index'? Try 'auskunft --help'."),
        (["serch", "why"], "No such command 'serch'. Did you mean 'search'?"),
        (["xyzzy"], "No such command 'xyzzy'. Try 'auskunft --help'."),
    ],
)
def test_a_misspelt_command_is_told_the_likely_one(tmp_path: Path, call: list[str], said: str) -> None:
    assert said in Command(tmp_path).run(*call).complaint(2)
