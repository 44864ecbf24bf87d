"""``auskunft serve`` and ``auskunft config``."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import click

from app.chat.sites import Sites
from app.cli.common import console, json_option, open_services, print_json
from app.cli.values import ANY_PORT
from app.errors import AuskunftError, IndexUnavailableError
from app.pages.database import connect
from app.pages.site_texts import SiteTextStore
from app.services import Services
from app.serving.server import run_server
from app.settings.display import shown_settings
from app.settings.settings import Settings, config_file, load_settings, setting_places

COLUMNS: Final = 40
"""The width of a setting, before the comment with its origin."""


@click.command()
@click.option(
    "--host", metavar="ADDRESS", help="Address to listen on (default: from the settings, else 127.0.0.1)."
)
@click.option("--port", type=ANY_PORT, help="Port (default: from the settings, else 8000).")
def serve(host: str | None, port: int | None) -> None:
    """Serve the API and the demo page, even while the index is unavailable: answers come once it is back."""
    with open_services(host=host, port=port) as services:
        try:
            services.indexing.generations.clean_up()
        except IndexUnavailableError as error:
            click.echo(f"auskunft: {error}", err=True)
        run_server(services)


@click.command()
@json_option
def config(as_json: bool) -> None:
    """Print the effective settings, secrets masked, and where each comes from.

    That is the console, a variable, a line of the file or the default. Settings of Elasticsearch are shown
    only if it is the index; --json has all.
    """
    settings = load_settings()
    document = shown_settings(settings.model_dump(mode="json"))
    written = _written_in_console(settings)
    if as_json:
        print_json(document | ({"console": written} if written else {}))
        return
    out, file, places = console(), config_file().absolute(), setting_places()
    out.print(f"# {file}" if file.is_file() else f"# no {file}: only defaults and environment")
    for key, value in _parts(document):
        if settings.index == "elasticsearch" or not key[0].startswith("elasticsearch_"):
            line = f"{'.'.join(key)} = {value!r}"
            out.print(f"{line:{COLUMNS}}  # {places.of(*key)}")
    for name, value in (written or {}).items():
        out.print(f"{f'{name} = {value!r}':{COLUMNS}}  # console")
    if written is None:
        out.print(
            "# what the console says is unknown: the page store cannot be read; `auskunft status` says why"
        )


def _written_in_console(settings: Settings) -> dict[str, Any] | None:
    """The texts that admins wrote to replace settings, by name, or None if the page store cannot be read.

    A page store that does not exist yet is not created, and one of another version is not migrated.
    """
    if not (settings.database_url.get_secret_value() or (settings.data / "pages.sqlite").is_file()):
        return {}
    try:
        with Services(settings) as services:
            engine = connect(services.database)
            services.opened.callback(engine.dispose)
            return Sites(settings, SiteTextStore(engine).all).written()
    except AuskunftError:
        return None


def _parts(document: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each setting with its path of names; the settings of a table one by one."""
    for name, value in document.items():
        parts = value.items() if isinstance(value, dict) else ()
        yield from (((name, part), inner) for part, inner in parts) if parts else [((name,), value)]
