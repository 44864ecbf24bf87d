"""``auskunft demo``: the first thing a newcomer runs."""

import click

from app.cli.ask import print_answer
from app.cli.common import console, open_services
from app.cli.index import print_summary, run_import
from app.demo import QUESTIONS, site
from app.server import run_server
from ingest import registry

SOURCE = "demo"


@click.command()
@click.option("--once", is_flag=True, help="End after the three questions instead of serving.")
@click.option("--port", type=click.IntRange(0, 65_535), help="Port to serve on (default 8000).")
def demo(once: bool, port: int | None) -> None:
    """Index the sample site of a small town, ask three questions, then serve search and chat."""
    out = console()
    with open_services(port=port) as services:
        source = registry.create("sources", "files", name=SOURCE, path=str(site()))
        print_summary(run_import(services, source))
        for question in QUESTIONS:
            out.rule(style="dim")
            out.print(f"? {question}\n", style="bold")
            print_answer(services, question, frozenset((SOURCE,)))
        if not once:
            run_server(services)
