"""``auskunft demo``: the sample site with the chat, to try the product."""

from typing import Final
from urllib.parse import urlsplit

import click

from app.cli.ask import print_answer
from app.cli.common import console, open_services
from app.cli.index import print_summary, run_import
from app.cli.values import ANY_PORT
from app.demo import EXAMPLES, QUESTIONS, SITE_KEY, TOWN_PATH
from app.demo.source import sample_pages
from app.serving.address import web_address
from app.serving.server import listen, run_server
from app.settings.settings import load_settings
from app.settings.sites import SiteSettings

SOURCE: Final = "demo"


@click.command()
@click.option("--once", is_flag=True, help="Exit after the three questions instead of serving.")
@click.option("--port", type=ANY_PORT, help="Port to serve on (default 8000).")
def demo(once: bool, port: int | None) -> None:
    """Index the sample site of a small town, ask three questions, then serve the site with its chat."""
    listener = None if once else listen(load_settings(**({} if port is None else {"port": port})))
    address = f"{web_address(*listener.getsockname()[:2])}/" if listener else ""
    with open_services(port=port, sites=_sites(address) if listener else None) as services:
        pages = sample_pages(SOURCE, f"{address}{TOWN_PATH}" if address else "")
        print_summary(run_import(services, pages))
        out = console()
        for question in QUESTIONS:
            out.rule(style="dim")
            out.print(f"? {question}\n", style="bold")
            print_answer(services, question, frozenset((SOURCE,)))
        if listener:
            out.rule(style="dim")
            out.print(f"The town's website: {address}{TOWN_PATH}", style="bold")
            run_server(services, listener, demo=True)


def _sites(address: str) -> list[SiteSettings]:
    """Return the settings of the town's website, with its origins on this machine."""
    parts = urlsplit(address)
    return [
        SiteSettings(
            key=SITE_KEY,
            name="Otterfurt",
            language="de",
            origins=[f"{parts.scheme}://{parts.netloc}", f"http://localhost:{parts.port}"],
            sources=[SOURCE],
            contact="Rathaus Otterfurt, 069 90009-100",
            examples=list(EXAMPLES),
        )
    ]
