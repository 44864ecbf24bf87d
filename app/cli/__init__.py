"""The command ``auskunft``.

Exit codes: 0 done, 1 something failed (a page, a service), 2 the call was wrong. Every expected error is
one line on standard error; ``main`` is the outermost boundary.
"""

import io
import os
import sys
from typing import Final, NoReturn

import click

from app.cli import (
    ask,
    demo,
    embedders,
    evaluate,
    generations,
    index,
    migrate,
    pages,
    pull,
    questions,
    reconcile,
    send_event,
    serve,
    worker,
)
from app.errors import AuskunftError
from app.monitoring.logging import configure_quiet_logging

COMMANDS: Final = (
    demo.demo,
    index.index,
    pull.pull,
    pull.sources,
    generations.reindex,
    generations.generations,
    generations.rollback,
    reconcile.reconcile,
    ask.search,
    ask.ask,
    questions.questions,
    evaluate.evaluate,
    pages.status,
    pages.pages,
    pages.remove,
    pages.include,
    send_event.send_event,
    migrate.migrate,
    serve.serve,
    serve.config,
    worker.worker,
    worker.beat,
    embedders.embedders,
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="auskunft")
def cli() -> None:
    """Makes a website answer questions: pages in, answers with numbered sources out."""


for command in COMMANDS:
    cli.add_command(command)


def main() -> None:
    """Run the command line; expected errors become one line and their exit code."""
    configure_quiet_logging()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a locale without umlauts must not end the command
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
        click.echo("interrupted; run the command again to go on", err=True)
        sys.exit(130)
    except AuskunftError as error:
        _fail(str(error), error.exit_code)
    except BrokenPipeError:
        # The reader of our output is gone; flushing at exit would raise once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _fail(message: str, exit_code: int) -> NoReturn:
    click.echo(f"auskunft: {' '.join(message.split())}", err=True)
    sys.exit(exit_code)
