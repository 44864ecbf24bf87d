"""The console's first page: problems, waiting pages, recent questions, sources."""

from collections.abc import Mapping
from typing import Final

from werkzeug.wrappers import Response

from app.api.access import visible_sites
from app.api.state import current_services
from app.console.pages import boxes, current_user, make_blueprint, render
from app.console.texts import TEXTS, console_language
from app.errors import NotFoundError
from app.monitoring.check import CheckDocument
from app.monitoring.overview import WEEK, make_overview
from app.monitoring.readiness import HALTED_PULLS
from app.pages.database import utc_now

_CHANGING: Final = ("POST", "PUT", "PATCH", "DELETE")

blueprint = make_blueprint("overview", __name__)


@blueprint.get("/")
def page() -> Response:
    """The overview of what the user may see. Halted pulls are shown by source, in the user's language."""
    services, user = current_services(), current_user()
    sites = None if user.visible_sources is None else {site.key for site in visible_sites()}
    overview = make_overview(services, sites, user.visible_sources)
    texts = TEXTS[console_language()]
    troubles = [(check, remedy(check, texts)) for check in overview.troubles if check.name != HALTED_PULLS]
    halted = [source for source in overview.sources if source.halt == "halted"]
    return render(
        "overview.html",
        week_ago=(utc_now() - WEEK).date(),
        overview=overview,
        has_site=sites is None or bool(sites),
        troubles=troubles,
        halted=halted,
        boxes=boxes(overview),
    )


@blueprint.route("/", methods=_CHANGING)
@blueprint.route("/<path:address>", methods=("GET", *_CHANGING))
def missing(address: str = "") -> Response:
    """Raise ``NotFoundError`` for unknown addresses below ``/admin`` and for methods that a page lacks."""
    raise NotFoundError("there is no page {address!r}", address=address)


def remedy(check: CheckDocument, texts: Mapping[str, str]) -> str:
    """The text that explains a failed check and says what to do."""
    return texts.get(f"remedy_{check.name.replace(' ', '_')}", "")
