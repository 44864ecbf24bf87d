"""``/api/admin/overview`` and ``/api/admin/sources``, limited to the sources that an editor may see."""

from functools import partial

from app.api.access import require_source, visible_sites, visible_sources
from app.api.admin_blueprint import AdminBlueprint
from app.api.admin_documents import RehearsalsDocument, SourceReportDocument, SourcesDocument
from app.api.hosts import public_address
from app.api.json_body import require_json
from app.api.state import current_services
from app.monitoring.overview import OverviewDocument, make_overview
from app.monitoring.source_states import source_report, source_states

blueprint = AdminBlueprint("source_admin", __name__, check_body=partial(require_json, "{} does"))


@blueprint.get("/overview")
@blueprint.output(OverviewDocument, description="As it is now")
@blueprint.operation("Whether everything works, and what was asked")
def overview() -> OverviewDocument:
    """The checks of ``auskunft status``; pages that wait, and how long at the present speed; pages that
    failed; the questions of seven days; the sources. Questions, failed pages and sources are those that an
    editor may see; checks and backlog are the installation's."""
    sources = visible_sources()
    sites = None if sources is None else {site.key for site in visible_sites()}
    return make_overview(current_services(), sites, sources)


@blueprint.get("/sources")
@blueprint.output(SourcesDocument, description="By name")
@blueprint.operation("The sources")
def sources() -> SourcesDocument:
    """Each with its pages by state, last message, last and next pull, and problem."""
    return SourcesDocument(sources=source_states(current_services(), visible_sources()))


@blueprint.get("/sources/<name>")
@blueprint.output(SourceReportDocument, description="As it is now")
@blueprint.operation("One source", 404)
def source(name: str) -> SourceReportDocument:
    """With the jobs of its last messages, the newest first, and documents that could not be read.
    ``secrets``: their number."""
    require_source(name)
    return SourceReportDocument.of(source_report(current_services(), name))


@blueprint.post("/sources/<name>/test")
@blueprint.output(RehearsalsDocument, description="Whether a message would be accepted")
@blueprint.operation("Receive a made-up event, signed with each secret, without storing it", 404, 415)
def test(name: str) -> RehearsalsDocument:
    """A result for each of the ``secrets``: ``problem`` says why a message signed with it would be refused,
    and is empty if it would be accepted. ``endpoint``: the address that the CMS sends to."""
    require_source(name)
    tried = current_services().sources.webhook.rehearse(name)
    endpoint = f"{public_address()}/api/sources/{name}/events"
    return RehearsalsDocument(endpoint=endpoint, secrets=tried)
