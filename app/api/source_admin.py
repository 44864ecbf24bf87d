"""``/api/admin/overview`` and ``/api/admin/sources``: what the console shows, within what an editor may."""

from typing import Final

from apiflask import APIBlueprint
from flask import request

from app.api.access import require_source, require_user, visible_sites, visible_sources
from app.api.admin_documents import RehearsalsDocument, SourceReportDocument, SourcesDocument
from app.api.headers import NO_STORE
from app.api.hosts import public_address
from app.api.json_body import require_json
from app.api.problem import problem_responses
from app.api.state import current_services
from app.monitoring.documents import OverviewDocument
from app.monitoring.overview import make_overview
from app.monitoring.source_states import source_report, source_states

_ERRORS: Final = (401, 403, 503)

blueprint = APIBlueprint("source_admin", __name__, url_prefix="/api/admin", tag="Administration")


@blueprint.before_request
def _check() -> None:
    """Refuse whom nobody knows, and other media types than JSON, which a form on another site can send."""
    require_user()
    if request.method == "POST":
        require_json("{} does")


@blueprint.get("/overview")
@blueprint.output(OverviewDocument, description="As it is now")
@blueprint.doc(
    summary="Whether everything works, and what was asked",
    security="AdminToken",
    responses=problem_responses(*_ERRORS),
)
def overview() -> tuple[OverviewDocument, dict[str, str]]:
    """The checks of ``auskunft status``; pages that wait, and how long at the present speed; pages that
    failed; the questions of seven days; the sources. Questions, failed pages and sources are those that an
    editor may see; checks and backlog are the installation's."""
    sources = visible_sources()
    sites = None if sources is None else {site.key for site in visible_sites()}
    return OverviewDocument.model_validate(make_overview(current_services(), sites, sources)), NO_STORE


@blueprint.get("/sources")
@blueprint.output(SourcesDocument, description="By name")
@blueprint.doc(summary="The sources", security="AdminToken", responses=problem_responses(*_ERRORS))
def sources() -> tuple[SourcesDocument, dict[str, str]]:
    """Of each in ``sources``: pages by state, last message, last and next pull, what was wrong."""
    return SourcesDocument(sources=source_states(current_services(), visible_sources())), NO_STORE


@blueprint.get("/sources/<name>")
@blueprint.output(SourceReportDocument, description="As it is now")
@blueprint.doc(summary="One source", security="AdminToken", responses=problem_responses(404, *_ERRORS))
def source(name: str) -> tuple[SourceReportDocument, dict[str, str]]:
    """With the jobs of its last messages, the newest first, and what could not be read. ``secrets``: how many
    there are."""
    require_source(name)
    return SourceReportDocument.of(source_report(current_services(), name)), NO_STORE


@blueprint.post("/sources/<name>/test")
@blueprint.output(RehearsalsDocument, description="Whether a message would be accepted")
@blueprint.doc(
    summary="Receive a made-up event, signed with each secret, without storing it",
    security="AdminToken",
    responses=problem_responses(404, 415, *_ERRORS),
)
def test(name: str) -> tuple[RehearsalsDocument, dict[str, str]]:
    """Of each of the ``secrets``, ``problem`` says why a message signed with it would be refused; it is empty
    if it would be accepted. ``endpoint``: where the CMS sends."""
    require_source(name)
    tried = current_services().sources.webhook.rehearse(name)
    endpoint = f"{public_address()}/api/sources/{name}/events"
    return RehearsalsDocument(endpoint=endpoint, secrets=tried), NO_STORE
