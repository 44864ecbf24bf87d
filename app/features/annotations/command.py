"""``auskunft annotations``: how people cut pages and units of law, and the references that they give them."""

from itertools import pairwise

import click

from app.cli.common import TEXT, actor, console, json_option, open_services, print_json, split_page
from app.cli.values import NUMBER
from app.errors import InputError
from app.features.annotations import cuts
from app.features.annotations.documents import AnnotationDocument, UnitDocument
from app.features.annotations.services import AnnotationServices
from ingest.types import PageRef

page_argument = click.argument("page", type=TEXT, metavar="SOURCE:ID")
language_option = click.option(
    "--language", default="en", show_default=True, help="The language of the text, such as de."
)


@click.group()
def annotations() -> None:
    """Show and change how pages and units of law are cut, and what they refer to."""


@annotations.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List annotations; texts that have changed since are marked."""
    with open_services() as services:
        desk, below, found = services.feature(AnnotationServices).desk, None, []
        while some := desk.entries(below=below):
            found += some
            below = some[-1][0].number
    if as_json:
        print_json([AnnotationDocument.of(each, state).to_json() for each, state in found])
        return
    for each, state in found:
        console().print(f"{each.number}  {state}  {each.source}  {each.name}  {each.language}")
    if not found:
        console().print("no annotations")


@annotations.command()
@page_argument
@language_option
@json_option
def show(page: str, language: str, as_json: bool) -> None:
    """Show a page or unit of law, cut into chunks, and what it refers to."""
    with open_services() as services:
        unit = services.feature(AnnotationServices).desk.unit(_ref(page, language))
    if as_json:
        print_json(UnitDocument.of(unit).to_json())
        return
    out = console()
    out.print(unit.title)
    for start, end in pairwise([0, *unit.cuts, len(unit.text)]):
        out.print(f"--- {start}\n{unit.text[start:end].strip()}")
    out.print(f"--- refers to: {', '.join(unit.references) or 'nothing'}")


@annotations.command("set")
@page_argument
@language_option
@click.option("--cut-before", type=TEXT, multiple=True, metavar="TEXT", help="Begin a chunk with this text.")
@click.option(
    "--reference",
    type=TEXT,
    multiple=True,
    metavar="CELEX/UNIT",
    help="A unit it refers to; for its second chunk only: 2:CELEX/UNIT.",
)
def set_(page: str, language: str, cut_before: tuple[str, ...], reference: tuple[str, ...]) -> None:
    """Annotate a page or unit of law; anything not set is determined automatically."""
    if not cut_before and not reference:
        raise InputError(
            "nothing to set: use --cut-before or --reference; `auskunft annotations show` shows the unit"
        )
    with open_services() as services:
        desk, ref = services.feature(AnnotationServices).desk, _ref(page, language)
        unit = desk.unit(ref)
        saved = desk.save(
            ref,
            cuts=sorted(cuts.cut_before(unit.text, text) for text in cut_before) or None,
            references=reference or None,
            version=unit.annotation.version if unit.annotation else 0,
            actor=actor(),
        )
    console().print(f"annotation {saved.number}; `auskunft index` or the server writes the page again")


@annotations.command()
@click.argument("number", type=NUMBER)
def remove(number: int) -> None:
    """Remove an annotation."""
    with open_services() as services:
        ours = services.feature(AnnotationServices)
        ours.desk.remove(number, ours.store.get(number).version, actor())
    console().print(f"annotation {number} is removed")


def _ref(page: str, language: str) -> PageRef:
    source, page_id = split_page(page)
    return PageRef(source=source, id=page_id, language=language)
