"""The command ``auskunft``.

Exit codes: 0 done, 1 something failed (a page, a service), 2 wrong usage, 130 interrupted. Every expected
error is one line on standard error; ``main`` is the outermost boundary.
"""

import atexit
import errno
import gc
import io
import os
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Final, NoReturn, get_args

import click

from app.cli.stopping import INTERRUPTED
from app.errors import AuskunftError
from app.feature import Command, CommandGroup, installed

_UNWRITABLE: Final = {errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EIO}
"""Errors of a closed pipe, and of a disk that is full or broken."""

_OWN: Final = {
    "ask": Command("app.cli.ask", "Answer a question with numbered sources.", "Start"),
    "demo": Command("app.cli.demo", "Index a sample site, ask three questions and serve it.", "Start"),
    "index": Command("app.cli.index", "Index a website, a folder or file, or acts of EU law.", "Start"),
    "serve": Command("app.cli.serve", "Serve the API and the demo page.", "Start"),
    "status": Command("app.cli.pages", "Show what is indexed and whether everything works.", "Start"),
    "embedders": Command(
        "app.cli.embedders", "List the embedders, their options and what is missing.", "Pages"
    ),
    "include": Command("app.cli.pages", "Put a removed page back.", "Pages"),
    "pages": Command("app.cli.pages", "List pages with their states and why any failed.", "Pages"),
    "pull": Command("app.cli.pull", "Fetch and index what changed in a source.", "Pages"),
    "remove": Command("app.cli.pages", "Take a page out of all answers.", "Pages"),
    "send-event": Command("app.cli.send_event", "Send events to a server as a CMS does.", "Pages"),
    "sources": Command("app.cli.pull", "List the sources: pages, pulls, problems.", "Pages"),
    "presets": Command("app.cli.presets", "List the presets, or explain one.", "Answers"),
    "search": Command("app.cli.ask", "Show the pages that a question would be answered from.", "Answers"),
    "beat": Command(
        "app.cli.worker", "Run the schedule: look for forgotten pages every minute.", "Operations"
    ),
    "config": Command(
        "app.cli.serve", "Print the effective settings and where each comes from.", "Operations"
    ),
    "generations": Command("app.cli.generations", "List the generations of the index.", "Operations"),
    "migrate": Command("app.cli.migrate", "Create or update the tables of the page store.", "Operations"),
    "reconcile": Command(
        "app.cli.reconcile", "Compare sources, page store and index; repair differences.", "Operations"
    ),
    "reindex": Command("app.cli.generations", "Rebuild the index while the old one serves.", "Operations"),
    "rollback": Command(
        "app.cli.generations", "Make an earlier generation of the index live again.", "Operations"
    ),
    "users": Command("app.cli.users", "List, add and remove the users of the console.", "Operations"),
    "worker": Command("app.cli.worker", "Index pages as they come in, woken through Redis.", "Operations"),
}


@cache
def commands() -> Mapping[str, Command]:
    """Return all commands by name, including those of features. Raises ``PluginError``."""
    added = {name: command for feature in installed() for name, command in feature.commands.items()}
    return dict(sorted((added | _OWN).items()))


class _LazyGroup(click.Group):
    """Imports the module of a command when it is called, because importing all of them takes seconds."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = commands().get(cmd_name)
        if entry is None:
            return None
        command: click.Command = getattr(import_module(entry.module), cmd_name.replace("-", "_"))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in commands():
            nearest = get_close_matches(args[0], commands(), n=1)
            raise click.exceptions.NoSuchCommand(args[0], possibilities=nearest, ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, commands()))
        for group in get_args(CommandGroup):
            rows = [
                (f"{name:{width}}", each.help) for name, each in commands().items() if each.group == group
            ]
            if rows:
                with formatter.section(group):
                    formatter.write_dl(rows)


@click.group(
    cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(package_name="auskunft")
def cli() -> None:
    """Makes a website answer questions: pages in, answers with numbered sources out."""
    from app.monitoring.logging import configure_quiet_logging  # noqa: PLC0415 - `--help` needs no log

    configure_quiet_logging()


def main() -> None:
    """Run the command line; expected errors become one line and their exit code."""
    # Otherwise the interpreter visits every object once more at exit, which takes a quarter of a second.
    atexit.register(gc.freeze)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # umlauts must not end the command in an ASCII locale
    try:
        sys.exit(cli(standalone_mode=False))
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "auskunft"
        _fail(f"{error.format_message()} Try '{command} --help'.", error.exit_code)
    except click.ClickException as error:
        _fail(error.format_message(), error.exit_code)
    except click.exceptions.Exit as request:
        sys.exit(request.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted; run the command again to continue", err=True)
        sys.exit(INTERRUPTED)
    except AuskunftError as error:
        _fail(str(error), error.exit_code)
    except OSError as error:
        _end_output(error)


def _end_output(error: OSError) -> NoReturn:
    """End if nobody reads the output any more, or if its disk is full; raise other errors again."""
    if error.errno not in _UNWRITABLE:
        raise error
    # Flushing at exit would raise again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        sys.exit(1)
    _fail(f"the output cannot be written: {error.strerror}", 1)


def _fail(message: str, exit_code: int) -> NoReturn:
    click.echo(f"auskunft: {' '.join(message.split())}", err=True)
    sys.exit(exit_code)
