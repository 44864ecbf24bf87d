"""``auskunft curation``: editors' decisions about answers."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click
from rich.table import Column, Table

from app.cli.common import (
    TEXT,
    actor,
    console,
    json_option,
    open_services,
    print_json,
    split_page,
    table_console,
)
from app.cli.values import DAY, NUMBER
from app.features.curation.content import KINDS, Content, Entry, Kind, read_content
from app.features.curation.documents import CurationDocument, CurationPreviewDocument
from app.features.curation.services import CurationServices
from app.services import Services

_site_option = click.option("--site", type=TEXT, metavar="KEY", help="The site's key, if there are several.")


def _content_options(command: Any) -> Any:
    """Add the options for the content of an entry."""
    for option in (
        click.option("--owner", type=TEXT, metavar="NAME", help="Who is responsible for it."),
        click.option(
            "--until", type=DAY, metavar="DAY", help="The last day on which it applies (2027-01-31)."
        ),
        click.option("--language", metavar="LANGUAGE", help="Only for questions in this language (de)."),
        click.option("--replaces", is_flag=True, help="Replace the examples from the settings."),
        click.option("--contact", type=TEXT, help="Whom to contact about a blocked subject."),
        click.option(
            "--word", "words", type=TEXT, multiple=True, help="A word with the same meaning; repeatable."
        ),
        click.option("--text", type=TEXT, help="The answer in Markdown, or the example question."),
        click.option("--page", type=TEXT, metavar="SOURCE:ID", help="The page to show first."),
        click.option(
            "--ask", "phrasings", type=TEXT, multiple=True, help="A question that it applies to; repeatable."
        ),
    ):
        command = option(command)
    return _site_option(click.argument("kind", type=click.Choice(KINDS))(command))


@click.group()
def curation() -> None:
    """List and change what editors decide about answers; changes apply at once, without a rebuild."""


@curation.command("list")
@click.option("--site", type=TEXT, metavar="KEY", help="Only this site (default: all).")
@click.option("--kind", type=click.Choice(KINDS), help="Only entries of this kind.")
@json_option
def list_(site: str | None, kind: Kind | None, as_json: bool) -> None:
    """List the entries, newest first."""
    with open_services() as services:
        desk = services.feature(CurationServices).desk
        documents = []
        below = None
        while found := desk.entries(site=site, kind=kind, below=below):
            documents += [CurationDocument.of(entry, state).to_json() for entry, state in found]
            below = found[-1][0].number
    if as_json:
        print_json(documents)
        return
    names = ("number", "site", "kind", "state", "says", "changed_by", "changed_at")
    table = Table(*(Column(name, overflow="fold") for name in names), box=None)
    for document in documents:
        row = document | {"says": _summary(document["content"])}
        table.add_row(*(str(row[name]) for name in names))
    table_console().print(table if documents else "no entries")


@curation.command()
@_content_options
@click.option("--confirm", is_flag=True, help="Add it even if it applies to a large share of all questions.")
@json_option
def add(kind: Kind, site: str | None, confirm: bool, as_json: bool, **given: Any) -> None:
    """Add an entry: pin, answer, synonyms, blocked or example."""
    content = _content(**given)
    with open_services() as services:
        desk = services.feature(CurationServices).desk
        entry = desk.add(_key(services, site), kind, content, actor(), confirmed=confirm)
    _print_entry(entry, as_json=as_json)


@curation.command()
@click.argument("number", type=NUMBER)
def remove(number: int) -> None:
    """Remove an entry."""
    with open_services() as services:
        desk = services.feature(CurationServices).desk
        desk.remove(number, desk.get(number)[0].version, actor())
    console().print(f"entry {number} is removed")


@curation.command()
@_content_options
@json_option
def preview(kind: Kind, site: str | None, as_json: bool, **given: Any) -> None:
    """Show which questions of the last weeks an entry would apply to; nothing is stored."""
    content = _content(**given)
    with open_services() as services:
        found = services.feature(CurationServices).desk.preview(_key(services, site), kind, content)
    if as_json:
        print_json(CurationPreviewDocument.of(kind, content, found).to_json())
        return
    out = console()
    for each in found.caught:
        out.print(f"{each.count:>5}  {each.relevance:.2f}  {' '.join(each.text.split())}")
    out.print(f"{found.count} of {found.asked} questions ({found.share:.0%})")


def _key(services: Services, site: str | None) -> str:
    """The key of the named site, otherwise that of the only one. Raises ``NotFoundError``."""
    return site if site is not None else services.chat.sites.find(None, None).key


def _content(
    phrasings: Sequence[str],
    page: str | None,
    words: Sequence[str],
    until: datetime | None,
    **given: Any,
) -> Content:
    """The content given by the options. Raises ``InputError``."""
    document = {name: value for name, value in given.items() if value}
    if page is not None:
        source, page_id = split_page(page)
        document["page"] = {"source": source, "id": page_id}
    if until is not None:
        document["until"] = until.date()
    return read_content(document | {"phrasings": list(phrasings), "words": list(words)})


def _print_entry(entry: Entry, *, as_json: bool) -> None:
    if as_json:
        print_json(CurationDocument.of(entry, "active").to_json())
    else:
        console().print(f"entry {entry.number} counts now: {_summary(entry.content.document())}")


def _summary(content: dict[str, Any]) -> str:
    page = content.get("page")
    parts = [
        " = ".join(content.get("words", ())),
        " | ".join(content.get("phrasings", ())),
        f"→ {page['source']}:{page['id']}" if page else "",
        content.get("text", ""),
    ]
    return " ".join(" ".join(filter(None, parts)).split())[:200]
