"""``auskunft serve`` and ``auskunft config``."""

import click

from app.cli.common import console, json_option, open_services, print_json
from app.cli.values import ANY_PORT
from app.errors import IndexUnavailableError
from app.serving.server import run_server
from app.settings.display import shown_settings
from app.settings.settings import config_file, load_settings


@click.command()
@click.option("--host", metavar="ADDRESS", help="Address to listen on (default: the setting's, 127.0.0.1).")
@click.option("--port", type=ANY_PORT, help="Port (default: the setting's, 8000).")
def serve(host: str | None, port: int | None) -> None:
    """Serve the API and the demo page, also while the index is away: answers come once it is back."""
    with open_services(host=host, port=port) as services:
        try:
            services.indexing.generations.clean_up()
        except IndexUnavailableError as error:
            click.echo(f"auskunft: {error}", err=True)
        run_server(services)


@click.command()
@json_option
def config(as_json: bool) -> None:
    """Print the effective settings, secrets masked."""
    document = shown_settings(load_settings().model_dump(mode="json"))
    if as_json:
        print_json(document)
        return
    out, file = console(), config_file().absolute()
    out.print(f"# {file}" if file.is_file() else f"# no {file}: defaults and environment alone")
    for name, value in document.items():
        out.print(f"{name} = {value!r}")
