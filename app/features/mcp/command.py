"""``auskunft mcp``: offers a site as tools for language models of other programs."""

import click

from app.cli.common import TEXT, open_services
from app.cli.values import PORT
from app.errors import InputError


@click.command()
@click.option("--site", type=TEXT, metavar="KEY", help="Which site, if there are several.")
@click.option(
    "--http", is_flag=True, help="Serve Streamable HTTP at /mcp instead of standard input and output."
)
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="With --http (default: 127.0.0.1).")
@click.option("--port", type=PORT, default=8_001, help="With --http (default: 8001).")
def mcp(site: str | None, http: bool, host: str, port: int) -> None:
    """Serve the tools search, ask and get_page to a client of the Model Context Protocol."""
    try:
        from app.features.mcp.server import make_server  # noqa: PLC0415 - it is an extra
    except ImportError as error:
        raise InputError("MCP is not installed: pip install 'auskunft[mcp]'") from error

    with open_services() as services:
        server = make_server(services, site)
        if http:
            server.run("streamable-http", host=host, port=port, stateless_http=True)
        else:
            server.run()
