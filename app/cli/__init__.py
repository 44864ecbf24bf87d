"""The command ``auskunft``.

Exit codes: 0 done, 1 something failed (a page, a service), 2 the call was wrong, 130 interrupted. Every
expected error is one line on standard error; ``main`` is the outermost boundary.
"""

import atexit
import gc
import io
import os
import sys
from difflib import get_close_matches
from importlib import import_module
from typing import Final, NamedTuple, NoReturn

import click

from app.cli.stopping import INTERRUPTED
from app.errors import AuskunftError


class CommandEntry(NamedTuple):
    """Where a command is: ``module`` of this package has it under its own name. ``help``: its line in the
    list of commands."""

    module: str
    help: str


COMMANDS: Final = {
    "annotations": CommandEntry("annotations", "How people cut units of law, and what these refer to."),
    "ask": CommandEntry("ask", "Answer a question with numbered sources."),
    "beat": CommandEntry("worker", "Keep the schedule: look for forgotten pages every minute."),
    "calibrate": CommandEntry("calibrate", "Propose thresholds for the embedder, from a pool of questions."),
    "compare": CommandEntry("compare", "Have configurations answer a pool, compare their graded answers."),
    "config": CommandEntry("serve", "Print the effective settings, secrets masked."),
    "contexts": CommandEntry("contexts", "Show and write what a model says each chunk is about."),
    "contradictions": CommandEntry("contradictions", "List pages that say different figures of one thing."),
    "curation": CommandEntry("curation", "Pins, fixed answers, synonyms, blocked subjects, examples."),
    "demo": CommandEntry("demo", "Index a sample site, ask three questions, serve it."),
    "doctor": CommandEntry("doctor", "Check whether the language model suits, and in which form."),
    "embedders": CommandEntry("embedders", "List the embedders, their options, and what they lack."),
    "evaluate": CommandEntry("evaluate", "Measure retrieval on a pool of questions."),
    "explain": CommandEntry("explain", "Show the way of a question; why a page is not found."),
    "generations": CommandEntry("generations", "List the generations of the index."),
    "include": CommandEntry("pages", "Take a removed page back in."),
    "index": CommandEntry("index", "Index a folder or file, or acts of EU law."),
    "judge": CommandEntry("judge", "Have a language model grade answers."),
    "labels": CommandEntry("labels", "Have people grade answers, compare them with the judge."),
    "live-quality": CommandEntry("live_quality", "Show the grades of answers to visitors, day by day."),
    "mcp": CommandEntry("mcp", "Serve a site to language models of other programs."),
    "migrate": CommandEntry("migrate", "Make or upgrade the tables of the page store."),
    "pages": CommandEntry("pages", "List pages with their state and the reason of failures."),
    "pool": CommandEntry("pool", "Check, split and draft pools of questions."),
    "presets": CommandEntry("presets", "List the presets, or explain one."),
    "pull": CommandEntry("pull", "Fetch and index what changed in a source."),
    "question-groups": CommandEntry(
        "question_groups", "List questions that mean the same, with counts and the share unanswered."
    ),
    "questions": CommandEntry("questions", "List what visitors asked, and how it was answered."),
    "recall": CommandEntry("recall", "Compare ways to rank chunks on a pool of questions."),
    "reconcile": CommandEntry("reconcile", "Compare sources, page store and index, mend what differs."),
    "reindex": CommandEntry("generations", "Build the index anew while the old one serves."),
    "remove": CommandEntry("pages", "Take a page out of all answers."),
    "rollback": CommandEntry("generations", "Make an earlier generation of the index live again."),
    "rubric": CommandEntry("rubric", "Draft examples for the judge."),
    "runs": CommandEntry("runs", "List the evaluations that are kept; show, delete, export them."),
    "search": CommandEntry("ask", "Find pages: what a question would be answered from."),
    "send-event": CommandEntry("send_event", "Send events to a server as a CMS does."),
    "serve": CommandEntry("serve", "Serve the API and the demo page."),
    "sheets": CommandEntry("sheets", "Have a pool's questions answered, to be graded."),
    "sources": CommandEntry("pull", "List the sources: pages, pulls, problems."),
    "status": CommandEntry("pages", "Show what the installation holds and whether it works."),
    "terms": CommandEntry("terms", "Show translations of words that pages in two languages taught."),
    "users": CommandEntry("users", "List, add and remove the users of the console."),
    "worker": CommandEntry("worker", "Index pages as they come in, woken through Redis."),
}


class _LazyGroup(click.Group):
    """Imports the module of a command when that is called: all of them take seconds."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = getattr(
            import_module(f"{__name__}.{entry.module}"), cmd_name.replace("-", "_")
        )
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS:
            nearest = get_close_matches(args[0], COMMANDS, n=1)
            raise click.exceptions.NoSuchCommand(args[0], possibilities=nearest, ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])


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
    # Else the interpreter visits every object once more as it ends: a quarter of a second.
    atexit.register(gc.freeze)
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
        sys.exit(INTERRUPTED)
    except AuskunftError as error:
        _fail(str(error), error.exit_code)
    except BrokenPipeError:
        # The reader of our output is gone; flushing at exit would raise once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _fail(message: str, exit_code: int) -> NoReturn:
    click.echo(f"auskunft: {' '.join(message.split())}", err=True)
    sys.exit(exit_code)
