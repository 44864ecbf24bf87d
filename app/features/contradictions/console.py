"""Pages of one installation that state different figures, dates or amounts about the same thing."""

from typing import Final

import structlog
from flask import request
from werkzeug.wrappers import Response

from app.api.state import current_services
from app.console.pages import current_user, go, make_blueprint, render
from app.errors import AuskunftError
from app.features.contradictions.detector import Contradiction
from app.features.contradictions.marks import marked
from app.features.contradictions.services import ContradictionServices
from app.search.drafts import served_page
from app.search.types import IndexedPage
from ingest.types import EmbeddedPage, PageRef

LISTED: Final = 25
PAGE: Final = "console_contradictions.page"

log = structlog.get_logger(__name__)

blueprint = make_blueprint("console_contradictions", __name__, "/contradictions", templates="templates")


@blueprint.get("")
def page() -> Response:
    """Both passages of each, the newest first; ``?dismissed=1``: those that people said are none."""
    dismissed = request.args.get("dismissed") == "1"
    found = (
        current_services()
        .feature(ContradictionServices)
        .store.entries(
            dismissed=dismissed,
            below=request.args.get("below", type=int),
            limit=LISTED,
            sources=current_user().visible_sources,
        )
    )
    below = found[-1].number if len(found) == LISTED else None
    shown = [(each, marked(each.found)) for each in found]
    return render("contradictions.html", contradictions=shown, dismissed=dismissed, below=below)


def open_ones(_overview: object) -> int:
    """How many contradictions nobody has dismissed, of the sources that the user has."""
    return current_services().feature(ContradictionServices).store.count(current_user().visible_sources)


def of_draft(draft: EmbeddedPage) -> list[tuple[IndexedPage, Contradiction]]:
    """The pages that a draft would contradict, of those that the user may see: of each to each of the draft's
    statements the one that has most words of it."""
    sources = current_user().visible_sources
    try:
        found = list(current_services().feature(ContradictionServices).scanner.against(served_page(draft)))
    except AuskunftError as error:  # what it answers is shown all the same
        log.warning("draft_not_compared", message=str(error))
        return []
    nearest: dict[tuple[PageRef, str], tuple[IndexedPage, Contradiction]] = {}
    for page, each in sorted(found, key=lambda pair: len(pair[1].one.words & pair[1].other.words)):
        if sources is None or page.ref.source in sources:
            nearest[page.ref, each.one.text] = page, each
    return list(nearest.values())[:LISTED]


@blueprint.post("/<int:number>/<any('dismiss', 'restore'):action>")
def judge(number: int, action: str) -> Response:
    """Say that a contradiction is none, until one of its texts changes; or that it is one after all."""
    user, dismissed = current_user(), action == "dismiss"
    current_services().feature(ContradictionServices).store.dismiss(
        number, user.name, dismissed=dismissed, sources=user.visible_sources
    )
    return go(PAGE, "dismissed" if dismissed else "restored")
