"""The installation itself as the console shows it: sites, the index, settings, changes."""

from typing import Final

from apiflask import APIBlueprint
from flask import request

from app.api.access import require_admin, require_user, visible_sites
from app.api.admin_documents import (
    ChangesDocument,
    GenerationDocument,
    GenerationsDocument,
    SettingDocument,
    SettingsDocument,
    SitesDocument,
)
from app.api.headers import NO_STORE
from app.api.problem import problem_responses
from app.api.schemas import ChangesQuery
from app.api.state import current_services
from app.settings.origins import in_force

_ERRORS: Final = (401, 403, 503)

blueprint = APIBlueprint("installation_admin", __name__, url_prefix="/api/admin", tag="Administration")


@blueprint.before_request
def _check() -> None:
    """Show editors the sites alone."""
    if request.endpoint == f"{blueprint.name}.{sites.__name__}":
        require_user()
    else:
        require_admin()


@blueprint.get("/sites")
@blueprint.output(SitesDocument, description="As the settings have them")
@blueprint.doc(summary="The sites", security="AdminToken", responses=problem_responses(*_ERRORS))
def sites() -> tuple[SitesDocument, dict[str, str]]:
    """Those, as ``{"sites": [...]}``, that search nothing but what the one who asks may see."""
    return SitesDocument(sites=visible_sites()), NO_STORE


@blueprint.get("/generations")
@blueprint.output(GenerationsDocument, description="By number")
@blueprint.doc(
    summary="The generations of the search index",
    security="AdminToken",
    responses=problem_responses(*_ERRORS),
)
def generations() -> tuple[GenerationsDocument, dict[str, str]]:
    """All of them, as ``{"generations": [...]}``. Their ``state``: building, live or retired."""
    found = current_services().indexing.opened_index.generations()
    return GenerationsDocument(generations=list(map(GenerationDocument.of, found))), NO_STORE


@blueprint.get("/settings")
@blueprint.output(SettingsDocument, description="By name, secrets masked")
@blueprint.doc(summary="The settings in force", security="AdminToken", responses=problem_responses(*_ERRORS))
def settings() -> tuple[SettingsDocument, dict[str, str]]:
    """All of them, as ``{"settings": [...]}``, each with where it comes from: variable, file or default."""
    found = in_force(current_services().settings)
    listed = [
        SettingDocument(name=name, value=value, origin=origin) for name, (value, origin) in found.items()
    ]
    return SettingsDocument(settings=listed), NO_STORE


@blueprint.get("/changes")
@blueprint.input(ChangesQuery, location="query")
@blueprint.output(ChangesDocument, description="Newest first")
@blueprint.doc(summary="Who changed what", security="AdminToken", responses=problem_responses(422, *_ERRORS))
def changes(query_data: ChangesQuery) -> tuple[ChangesDocument, dict[str, str]]:
    """The newest first, as ``{"changes": [...]}``, each with what was before it and after it."""
    found = current_services().audit_log.entries(below=query_data.below, limit=query_data.limit)
    return ChangesDocument(changes=found), NO_STORE
