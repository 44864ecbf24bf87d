"""``auskunft init``: reads a website, asks questions, and writes the settings."""

import os
from contextlib import AbstractContextManager, closing
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import click

from app.background.importer import ImportResult
from app.chat.events import DoneEvent
from app.cli.common import TEXT, console, give_way, new_file, open_services
from app.cli.index import run_import
from app.cli.progress import long_work
from app.cli.values import WholeNumber
from app.console.colours import palette
from app.errors import AuskunftError, BlockedAddressError, InputError, SourceUnavailableError
from app.features.setup.first_pages import FirstPages, read_first_pages
from app.features.setup.settings_text import NewSite, settings_text, site_key
from app.features.setup.site_facts import site_facts
from app.features.setup.sure_questions import SureQuestion, shown, sure_questions
from app.indexing.progress import Progress
from app.services import Services
from app.settings.settings import config_file, load_settings
from app.sources.factory import WEBSITE, make_fetcher, make_source
from ingest.protocols import WebsiteSource
from ingest.website.addresses import normalised, origin_of

PAGES: Final = 50
MOST_PAGES: Final = 10_000


@click.command()
@click.argument("address", type=TEXT)
@click.option(
    "--pages",
    type=WholeNumber(1, MOST_PAGES),
    default=PAGES,
    show_default=True,
    help="Number of pages to read at first, those with the most links to them.",
)
def init(address: str, pages: int) -> None:
    """Set up the website at ADDRESS: read its first pages, ask three questions, write auskunft.toml.

    The file has the website as source and site, with comments; an existing file is never overwritten. The
    other pages are read by `auskunft pull`, or by `auskunft serve` while it runs. The website's robots.txt
    is respected.
    """
    give_way()
    file = _new_settings()
    start = _start(address)
    with new_file(file) as written:
        new_site, found = _read(start, pages)
        with _opened(new_site) as services:
            result = run_import(services, found)
            _check(result)
            questions = _questions(services, new_site, found)
        written.write(settings_text(new_site, [each.question for each in questions]))
        written.flush()
        load_settings(Path(written.name))
        _new_settings()
    _report(new_site, found, result, questions)
    _next_steps(new_site, file)


def _new_settings() -> Path:
    """Return the path of the settings to write. Raises ``InputError`` if the file exists."""
    file = config_file()
    if os.path.lexists(file):
        raise InputError(
            f"{file} already exists and is not overwritten: add pages with `auskunft index ADDRESS`, or "
            "use another folder"
        )
    return file


def _start(address: str) -> str:
    """Return the address of the start page without query and fragment, which may be secret."""
    address = address.strip()
    found = normalised(address if "://" in address else f"https://{address}")
    if not found or " " in address:
        raise InputError("enter the address of a website, such as https://www.town.example")
    return urlunsplit((*urlsplit(found)[:3], "", ""))


def _read(start: str, most: int) -> tuple[NewSite, FirstPages]:
    """Read the first pages. A host that is not public is allowed, because the operator named it."""
    key, host = site_key(start), urlsplit(start).hostname or ""
    try:
        allow, found = "", _crawled(key, start, most)
    except BlockedAddressError:
        allow, found = host, _crawled(key, start, most, fetch_allow=[*load_settings().fetch_allow, host])
    return NewSite(
        key=key,
        address=start,
        origin=origin_of(found.read[0].url),
        facts=site_facts(found.read),
        allow=allow,
        port=load_settings().port,
    ), found


def _crawled(key: str, start: str, most: int, **settings: Any) -> FirstPages:
    table = {"kind": WEBSITE, "address": start, "max_pages": most}
    made = load_settings(sources={key: table}, **settings)
    with closing(make_fetcher(made)) as fetcher, long_work("fetching") as show:
        source = make_source(made, key, fetcher)
        assert isinstance(source, WebsiteSource)
        try:
            return read_first_pages(
                source, lambda done, total: show("fetching", Progress(done=done, total=total))
            )
        except SourceUnavailableError as error:
            raise SourceUnavailableError(
                "{error}; check the address, or try again later", error=str(error)
            ) from error


def _opened(new_site: NewSite) -> AbstractContextManager[Services]:
    """Open the installation with the settings that will be written."""
    allowed = {"fetch_allow": [*load_settings().fetch_allow, new_site.allow]} if new_site.allow else {}
    return open_services(sources={new_site.key: new_site.source()}, sites=[new_site.site()], **allowed)


def _check(result: ImportResult) -> None:
    if not (result.indexed or result.unchanged):
        failure = next(iter(result.failures.values()), None)
        why = f": {failure.message}" if failure else ""
        raise AuskunftError(f"no page could be indexed{why}; `auskunft status` says what is missing")


def _questions(services: Services, new_site: NewSite, found: FirstPages) -> list[SureQuestion]:
    """Return questions that the pages answer, except those about the website itself."""
    facts, site = new_site.facts, services.settings.sites[0]
    aside = {found.read[0].url, facts.contact_page, facts.imprint, facts.privacy}
    refs = [page.ref for page in found.read if page.url not in aside]
    answerer = services.chat.pipelines.of(site).answerer

    def ask(question: str) -> DoneEvent:
        events = answerer.stream(question, sources=frozenset(site.sources))
        return next(event for event in events if isinstance(event, DoneEvent))

    with long_work("asking") as show:  # the first answer of an installation takes half a minute
        return sure_questions(services.indexing.index.pages(refs), ask, partial(show, "asking"))


def _report(
    new_site: NewSite, found: FirstPages, result: ImportResult, questions: list[SureQuestion]
) -> None:
    """Print the pages read and the questions asked."""
    out, facts = console(), new_site.facts
    about = ", ".join(filter(None, (*facts.languages, facts.contact, facts.imprint)))
    out.print(f"{facts.name} - {new_site.origin}", style="bold")
    out.print(f"  {about}" if about else "")
    out.print(f"  {len(found.read)} pages read, those first to which most links lead", end="")
    out.print(f"; {found.left} addresses are left for `auskunft pull {new_site.key}`" if found.left else "")
    for name, failure in result.failures.items():
        out.print(f"  {name}: failed({failure.reason}): {failure.message}")
    for each in questions:
        out.print(f"\n? {each.question}", style="bold")
        out.print(f"  {shown(each.answer)}\n  {each.url}")
    if not questions:
        out.print("\nNo heading makes a question that is answered for certain: ask one by `auskunft ask`.")


def _next_steps(new_site: NewSite, file: Path) -> None:
    """Print the file written, how to open the chat, and the code for the website's pages."""
    out = console()
    out.print(f"\n{file} is written. To chat: `auskunft serve`, then http://127.0.0.1:{new_site.port}/chat")
    out.print(f"On the website, once browsers reach this service (here at {new_site.public_url}):\n")
    out.print(f'<script src="{new_site.public_url}/widget.js" data-site="{new_site.key}" async></script>')
    if new_site.facts.colour:
        out.print(
            f"\nIn its style sheet, in the website's colour:\n\n{palette(new_site.facts.colour).css}", end=""
        )
