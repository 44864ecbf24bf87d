"""``auskunft send-event``: be the CMS, to try a source or to feed it from a script."""

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import click

from app.cli.common import TEXT, console, json_option, print_json
from app.errors import InputError, SendingError
from app.sending import Sender
from app.settings import Settings, load_settings

_FILE = click.Path(path_type=Path, allow_dash=True)


@click.command("send-event")
@click.argument("source", type=TEXT)
@click.argument("file", type=_FILE, required=False)
@click.option("--saved", type=_FILE, metavar="FILE", help="A page in JSON: send that it was saved.")
@click.option("--deleted", type=TEXT, metavar="ID", help="Send that this page was deleted.")
@click.option("--language", type=TEXT, metavar="CODE", help="Of the deleted page (default: all).")
@click.option("--revision", type=int, metavar="NUMBER", help="Of the delete.")
@click.option("--url", type=TEXT, help="The server (default: http://127.0.0.1 and the setting's port).")
@click.option("--id", "message_id", type=TEXT, help="The message's id, to repeat one (default: a new one).")
@click.option("--wait", is_flag=True, help="Wait until the pages are indexed or have failed.")
@json_option
def send_event(
    *,
    source: str,
    file: Path | None,
    saved: Path | None,
    deleted: str | None,
    language: str | None,
    revision: int | None,
    url: str | None,
    message_id: str | None,
    wait: bool,
    as_json: bool,
) -> None:
    """Send events to a server, signed with the source's first secret.

    FILE holds an event or {"events": [...]} as docs/cms.md has them; - is standard input.
    """
    if [file, saved, deleted].count(None) != 2:
        raise click.UsageError("Give one of FILE, --saved and --deleted.")
    if deleted is None and (language, revision) != (None, None):
        raise click.UsageError("--language and --revision belong to --deleted.")
    settings = load_settings()
    secret = _secret(settings, source)
    sender = Sender(url or f"http://127.0.0.1:{settings.port}")
    body = _read(file) if file else _body(saved, deleted, language, revision)
    message_id = message_id or f"msg_{uuid4().hex}"
    try:
        jobs = sender.send(source, body, secret=secret, message_id=message_id)
    except SendingError as error:
        raise SendingError(f"{error}; repeat it with --id {message_id}") from error
    jobs = sender.wait(jobs) if wait else jobs
    _print(jobs, as_json)
    if any(job["status"] == "failed" for job in jobs):
        raise click.exceptions.Exit(1)


def _secret(settings: Settings, source: str) -> str:
    known = settings.sources.get(source)
    if known is None or not known.secrets:
        raise InputError(
            f"source {source!r} has no secrets: give [sources.{source}] secrets in auskunft.toml"
        )
    return known.secrets[0].get_secret_value()


def _body(saved: Path | None, deleted: str | None, language: str | None, revision: int | None) -> bytes:
    if saved is not None:
        event = {"type": "page.saved", **_page(saved)}
    else:
        given = {"language": language, "revision": revision}
        known = {name: value for name, value in given.items() if value is not None}
        event = {"type": "page.deleted", "id": deleted, **known}
    return json.dumps(event).encode()


def _page(path: Path) -> Mapping[str, Any]:
    try:
        page = json.loads(_read(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}") from error
    if not isinstance(page, dict):
        raise InputError(f"{path} holds no JSON object: give one page in {{...}}")
    return page


def _read(path: Path) -> bytes:
    if str(path) == "-":
        return sys.stdin.buffer.read()
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


def _print(jobs: Iterable[Mapping[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json({"jobs": jobs})
        return
    out = console()
    for job in jobs:
        reason = f"  {job['reason']}" if job.get("reason") else ""
        out.print(f"{job['status']:<10}  {job['page']} ({job['language'] or 'all'})  {job['id']}{reason}")
