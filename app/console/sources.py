"""The sources: their pages, messages and problems."""

from collections.abc import Sequence

from werkzeug.wrappers import Response

from app.api.access import require_source
from app.api.hosts import public_address
from app.api.state import current_services
from app.console.pages import current_user, go, make_blueprint, render
from app.errors import AuskunftError, ForbiddenError, NotFoundError
from app.monitoring.source_states import source_report, source_states
from app.pages.pulls import Decision
from app.sources.webhook import Rehearsal

blueprint = make_blueprint("sources", __name__, "/sources")


@blueprint.get("")
def page() -> Response:
    """All sources that the user may see."""
    return render("sources.html", sources=source_states(current_services(), current_user().visible_sources))


@blueprint.get("/<name>")
def source(name: str) -> Response:
    """One source: its pages, its last messages, and how to connect its CMS."""
    return _source(name)


@blueprint.post("/<name>/test")
def test(name: str) -> Response:
    """Try out a signed event with each secret and show the results; nothing is stored."""
    require_source(name)
    try:
        return _source(name, rehearsals=current_services().sources.webhook.rehearse(name))
    except ForbiddenError as error:
        return _source(name, failure=error)


@blueprint.post("/<name>/pull")
def pull(name: str) -> Response:
    """Have the source pulled now instead of by its schedule."""
    require_source(name)
    current_services().sources.pull_log.hasten(name, current_user().name)
    return go("sources.source", "pull", name=name)


@blueprint.post("/<name>/<any('take_over', 'keep'):decision>")
def decide(name: str, decision: str) -> Response:
    """Decide about a halted pull: the next one takes over the changes, or the old pages are kept."""
    require_source(name)
    decided: Decision = "taken_over" if decision == "take_over" else "kept"
    try:
        current_services().sources.pull_log.decide(name, decided, current_user().name)
    except NotFoundError as error:
        return _source(name, failure=error)
    return go("sources.source", decided, name=name)


def _source(
    name: str, rehearsals: Sequence[Rehearsal] = (), failure: AuskunftError | None = None
) -> Response:
    require_source(name)
    report = source_report(current_services(), name)
    return render(
        "source.html",
        failure,
        source=report.state,
        report=report,
        rehearsals=rehearsals,
        endpoint=f"{public_address()}/api/sources/{name}/events",
    )
