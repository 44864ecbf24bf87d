"""The installation itself as the console shows it: sites, the index, settings, changes."""

from flask import request

from app.api.access import require_admin, require_user, visible_sites
from app.api.admin_blueprint import AdminBlueprint
from app.api.admin_documents import (
    ChangesDocument,
    GenerationDocument,
    GenerationsDocument,
    SettingDocument,
    SettingsDocument,
    SitesDocument,
)
from app.api.schemas import ChangesQuery
from app.api.state import current_services
from app.settings.origins import in_force


def _check() -> None:
    """Admit admins, and for the sites also editors."""
    if request.endpoint == f"{blueprint.name}.{sites.__name__}":
        require_user()
    else:
        require_admin()


blueprint = AdminBlueprint("installation_admin", __name__, check=_check)


@blueprint.get("/sites")
@blueprint.output(SitesDocument, description="As they are now")
@blueprint.operation("The sites")
def sites() -> SitesDocument:
    """As ``{"sites": [...]}``, only sites all of whose sources the caller may see."""
    return SitesDocument(sites=visible_sites())


@blueprint.get("/generations")
@blueprint.output(GenerationsDocument, description="By number")
@blueprint.operation("The generations of the search index")
def generations() -> GenerationsDocument:
    """All of them, as ``{"generations": [...]}``. Their ``state``: building, live or retired."""
    found = current_services().indexing.opened_index.generations()
    return GenerationsDocument(generations=list(map(GenerationDocument.of, found)))


@blueprint.get("/settings")
@blueprint.output(SettingsDocument, description="By name, secrets masked")
@blueprint.operation("The settings in force")
def settings() -> SettingsDocument:
    """All of them, as ``{"settings": [...]}``, each with its origin: console, variable, file or default."""
    services = current_services()
    found = in_force(services.settings, services.chat.sites.written())
    listed = [
        SettingDocument(name=name, value=value, origin=origin) for name, (value, origin) in found.items()
    ]
    return SettingsDocument(settings=listed)


@blueprint.get("/changes")
@blueprint.input(ChangesQuery, location="query")
@blueprint.output(ChangesDocument, description="Newest first")
@blueprint.operation("Who changed what", 422)
def changes(query_data: ChangesQuery) -> ChangesDocument:
    """The newest first, as ``{"changes": [...]}``, each with the state before and after it."""
    found = current_services().audit_log.entries(below=query_data.below, limit=query_data.limit)
    return ChangesDocument(changes=found)
