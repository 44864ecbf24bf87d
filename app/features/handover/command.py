"""``auskunft handovers``: messages that visitors have handed over to a person."""

import click
from rich.table import Table

from app.cli.common import TEXT, actor, console, json_option, open_services, print_json, table_console
from app.features.handover.documents import HandoverStateDocument
from app.features.handover.services import HandoverServices


@click.group()
def handovers() -> None:
    """List the messages that visitors handed over to a person, and send them again."""


@handovers.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the messages, newest first, without their text."""
    with open_services() as services:
        found = services.feature(HandoverServices).queue.entries()
    documents = [HandoverStateDocument.of(each).to_json() for each in found]
    if as_json:
        print_json(documents)
        return
    if not documents:
        console().print("no hand-overs")
        return
    table = Table("number", "site", "state", "made", "attempts", "problem", box=None)
    for each in documents:
        cells = (each[name] for name in ("number", "site", "state", "made_at", "attempts", "problem"))
        table.add_row(*map(str, cells))
    table_console().print(table)


@handovers.command()
@click.argument("numbers", nargs=-1, required=True, type=TEXT, metavar="NUMBER…")
def retry(numbers: tuple[str, ...]) -> None:
    """Let the server or a worker send messages at once instead of after their pause."""
    with open_services() as services:
        queue = services.feature(HandoverServices).queue
        for number in numbers:
            queue.retry(number, actor())
    console().print(f"to be sent now: {', '.join(numbers)}")
