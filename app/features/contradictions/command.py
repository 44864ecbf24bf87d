"""``auskunft contradictions``: pages that give different figures for the same thing."""

import click

from app.cli.common import console, give_way, json_option, open_services, print_json
from app.features.contradictions.documents import ContradictionDocument
from app.features.contradictions.marks import marked
from app.features.contradictions.services import ContradictionServices


@click.command()
@click.option("--now", is_flag=True, help="Compare changed pages first (otherwise done at night).")
@click.option("--dismissed", is_flag=True, help="List those that editors dismissed.")
@json_option
def contradictions(now: bool, dismissed: bool, as_json: bool) -> None:
    """List passages of pages that contradict each other, newest first."""
    with open_services() as services:
        of_feature = services.feature(ContradictionServices)
        if now:
            give_way()
            of_feature.scanner.run()
        store, below, found = of_feature.store, None, []
        while some := store.entries(dismissed=dismissed, below=below):
            found += some
            below = some[-1].number
    if as_json:
        print_json([ContradictionDocument.of(each).to_json() for each in found])
        return
    out = console()
    for each in found:
        out.print(f"{each.number}  {each.found.kind}")
        for side, pieces in marked(each.found):
            text = "".join(f"[{piece}]" if is_marked else piece for piece, is_marked in pieces)
            out.print(f"   {side.ref.source}:{side.ref.id}  {' '.join(text.split())}")
    if not found:
        out.print("no contradictions")
