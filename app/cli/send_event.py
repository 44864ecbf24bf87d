"""``auskunft send-event``: sends events as a CMS does, to test a source or to feed it from a script."""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import click

from app.cli.common import TEXT, console, json_option, print_json
from app.cli.values import WholeNumber
from app.errors import InputError, SendingError
from app.settings.settings import Settings, load_settings
from app.sources.sender import JobJson, Sender, messages, saved_pages
from ingest import registry

SHOWN: Final = 20
"""The most jobs that are all listed; if there are more, only jobs with a reason are."""

_FILE = click.Path(path_type=Path, allow_dash=True)


@click.command("send-event")
@click.argument("source", type=TEXT)
@click.argument("file", type=_FILE, required=False)
@click.option(
    "--saved",
    type=_FILE,
    metavar="PATH",
    help="Report saved pages: a page in JSON, or anything that `auskunft index` reads.",
)
@click.option(
    "--announced",
    type=TEXT,
    metavar="ID",
    help="Report that this page was saved, without its fields: the server fetches it.",
)
@click.option("--deleted", type=TEXT, metavar="ID", help="Report that this page was deleted.")
@click.option(
    "--language",
    type=TEXT,
    metavar="CODE",
    help="Of the announced or deleted page (deleted: default all), or of saved pages without one.",
)
@click.option("--revision", type=WholeNumber(), metavar="NUMBER", help="Of the announced or deleted page.")
@click.option(
    "--url", type=TEXT, help="The server (default: http://127.0.0.1 with the port from the settings)."
)
@click.option(
    "--id", "message_id", type=TEXT, help="The message's id, to repeat a message (default: a new id)."
)
@click.option("--wait", is_flag=True, help="Wait until the pages are indexed or have failed.")
@json_option
def send_event(
    *,
    source: str,
    file: Path | None,
    saved: Path | None,
    announced: str | None,
    deleted: str | None,
    language: str | None,
    revision: int | None,
    url: str | None,
    message_id: str | None,
    wait: bool,
    as_json: bool,
) -> None:
    """Send events to a server, signed with the source's first secret.

    FILE contains an event or {"events": [...]}, as described in docs/cms.md; - is standard input.
    """
    if [file, saved, announced, deleted].count(None) != 3:
        raise click.UsageError("Use exactly one of FILE, --saved, --announced and --deleted.")
    if file is not None and language is not None:
        raise click.UsageError("--language needs --saved, --announced or --deleted.")
    if announced is not None and language is None:
        raise click.UsageError("--announced needs --language.")
    if announced is None and deleted is None and revision is not None:
        raise click.UsageError("--revision needs --announced or --deleted.")
    settings = load_settings()
    secret = _secret(settings, source)
    sender = Sender(url or f"http://127.0.0.1:{settings.port}")
    if file is not None:
        bodies = [_read(file)]
    elif saved is not None:
        bodies = list(_saved(source, saved, language))
    elif announced is not None:
        bodies = [_bare("page.saved", announced, language, revision)]
    else:
        bodies = [_bare("page.deleted", deleted, language, revision)]
    if message_id is not None and len(bodies) > 1:
        raise InputError(f"--id is for one message, but these pages need {len(bodies)}: send fewer pages")
    jobs = [job for body in bodies for job in _sent(sender, source, body, secret, message_id)]
    jobs = sender.wait(jobs) if wait else jobs
    _print(jobs, as_json)
    if any(job["status"] == "failed" for job in jobs):
        raise click.exceptions.Exit(1)


def _secret(settings: Settings, source: str) -> str:
    known = settings.sources.get(source)
    if known is None or not known.secrets:
        raise InputError(
            f"source {source!r} has no secrets: set secrets in [sources.{source}] in auskunft.toml"
        )
    return known.secrets[0].get_secret_value()


def _sent(sender: Sender, source: str, body: bytes, secret: str, given_id: str | None) -> list[JobJson]:
    message_id = given_id or f"msg_{uuid4().hex}"
    try:
        return sender.send(source, body, secret=secret, message_id=message_id)
    except SendingError as error:
        raise SendingError(f"{error}; repeat it with --id {message_id}") from error


def _bare(kind: str, page_id: str | None, language: str | None, revision: int | None) -> bytes:
    given = {"type": kind, "id": page_id, "language": language, "revision": revision}
    return json.dumps({name: value for name, value in given.items() if value is not None}).encode()


def _saved(source: str, path: Path, language: str | None) -> Iterator[bytes]:
    if path.suffix == ".json" or str(path) == "-":
        yield json.dumps({"type": "page.saved", **_page(path)}).encode()
        return
    files = registry.create("sources", "files", name=source, path=str(path), language=language)
    yield from messages(saved_pages(files))


def _page(path: Path) -> Mapping[str, Any]:
    try:
        page = json.loads(_read(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}") from error
    if not isinstance(page, dict):
        raise InputError(f"{path} does not contain a JSON object: write one page in {{...}}")
    return page


def _read(path: Path) -> bytes:
    if str(path) == "-":
        return sys.stdin.buffer.read()
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


def _print(jobs: Sequence[JobJson], as_json: bool) -> None:
    if as_json:
        print_json({"jobs": jobs})
        return
    out = console()
    shown = jobs if len(jobs) <= SHOWN else [job for job in jobs if job.get("reason")]
    for job in shown:
        reason = f"  {job['reason']}" if job.get("reason") else ""
        out.print(f"{job['status']:<10}  {job['page']} ({job['language'] or 'all'})  {job['id']}{reason}")
    if len(jobs) > SHOWN:
        counts = Counter(job["status"] for job in jobs)
        out.print(", ".join(f"{count} {status}" for status, count in counts.items()))
