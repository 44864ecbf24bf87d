"""Pages of the console about pages that give different figures, dates or amounts for the same thing."""

from typing import Final

import structlog
from flask import request
from werkzeug.wrappers import Response

from app.api.state import current_services
from app.console.pages import current_user, go, make_blueprint, render
from app.errors import AuskunftError
from app.features.contradictions.marks import marked
from app.features.contradictions.objections import contradicted
from app.features.contradictions.services import ContradictionServices
from app.search.drafts import Objection, served_page
from ingest.types import EmbeddedPage

LISTED: Final = 25
PAGE: Final = "console_contradictions.page"

log = structlog.get_logger(__name__)

blueprint = make_blueprint("console_contradictions", __name__, "/contradictions", templates="templates")


@blueprint.get("")
def page() -> Response:
    """List contradictions with both passages, newest first; ``?dismissed=1``: the dismissed ones."""
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
    refs = {side.ref for each in found for side in (each.found.one, each.found.other)}
    return render(
        "contradictions.html",
        contradictions=shown,
        records={each.ref: each for each in current_services().page_list.known(refs)},
        dismissed=dismissed,
        below=below,
    )


def open_ones(_overview: object) -> int:
    """Return the number of contradictions that nobody has dismissed, in the sources that the user may see."""
    return current_services().feature(ContradictionServices).store.count(current_user().visible_sources)


def of_draft(draft: EmbeddedPage) -> list[Objection] | None:
    """Return the pages that a draft would contradict, of those that the user may see.

    ``None`` if the draft could not be compared.
    """
    try:
        return contradicted(current_services(), served_page(draft), current_user().visible_sources)
    except AuskunftError as error:  # because the draft's answers are shown anyway
        log.warning("draft_not_compared", message=str(error))
        return None


@blueprint.post("/<int:number>/<any('dismiss', 'restore'):action>")
def judge(number: int, action: str) -> Response:
    """Say that a contradiction is none, until one of its texts changes; or that it is one after all."""
    user, dismissed = current_user(), action == "dismiss"
    current_services().feature(ContradictionServices).store.dismiss(
        number, user.name, dismissed=dismissed, sources=user.visible_sources
    )
    return go(PAGE, "dismissed" if dismissed else "restored")
