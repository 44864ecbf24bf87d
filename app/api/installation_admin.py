"""The installation itself as the console shows it: sites, the index, settings, changes."""

from typing import Any, Final

from apiflask import APIBlueprint
from flask import request

from app.api.access import require_admin, require_user, visible_sites
from app.api.admin_responses import CHANGES, GENERATIONS, SETTINGS, SITES
from app.api.headers import NO_STORE
from app.api.problem import problem_responses
from app.api.responses import json_response
from app.api.schemas import ChangesQuery
from app.api.state import current_services
from app.chat.documents import timestamp
from app.pages.audit import AuditEntry
from app.search.types import Generation
from app.settings.origins import in_force
from app.settings.sites import SiteSettings

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
@blueprint.doc(
    summary="The sites",
    security="AdminToken",
    responses={200: json_response("As the settings have them", SITES), **problem_responses(*_ERRORS)},
)
def sites() -> tuple[dict[str, Any], dict[str, str]]:
    """Those, as ``{"sites": [...]}``, that search nothing but what the one who asks may see."""
    return {"sites": list(map(_site, visible_sites()))}, NO_STORE


@blueprint.get("/generations")
@blueprint.doc(
    summary="The generations of the search index",
    security="AdminToken",
    responses={200: json_response("By number", GENERATIONS), **problem_responses(*_ERRORS)},
)
def generations() -> tuple[dict[str, Any], dict[str, str]]:
    """All of them, as ``{"generations": [...]}``. Their ``state``: building, live or retired."""
    found = current_services().indexing.opened_index.generations()
    return {"generations": list(map(_generation, found))}, NO_STORE


@blueprint.get("/settings")
@blueprint.doc(
    summary="The settings in force",
    security="AdminToken",
    responses={200: json_response("By name, secrets masked", SETTINGS), **problem_responses(*_ERRORS)},
)
def settings() -> tuple[dict[str, Any], dict[str, str]]:
    """All of them, as ``{"settings": [...]}``, each with where it comes from: variable, file or default."""
    found = in_force(current_services().settings)
    listed = [{"name": name, "value": value, "origin": origin} for name, (value, origin) in found.items()]
    return {"settings": listed}, NO_STORE


@blueprint.get("/changes")
@blueprint.input(ChangesQuery, location="query")
@blueprint.doc(
    summary="Who changed what",
    security="AdminToken",
    responses={200: json_response("Newest first", CHANGES), **problem_responses(422, *_ERRORS)},
)
def changes(query_data: ChangesQuery) -> tuple[dict[str, Any], dict[str, str]]:
    """The newest first, as ``{"changes": [...]}``, each with what was before it and after it."""
    found = current_services().audit_log.entries(below=query_data.below, limit=query_data.limit)
    return {"changes": list(map(_change, found))}, NO_STORE


def _site(site: SiteSettings) -> dict[str, Any]:
    return {"key": site.key, "name": site.name, "sources": [*site.sources], "origins": [*site.origins]}


def _generation(generation: Generation) -> dict[str, Any]:
    return {
        "number": generation.number,
        "state": generation.state,
        "embedder": generation.recipe.embedder["name"],
        "dims": generation.recipe.dims,
        "created": timestamp(generation.created),
    }


def _change(entry: AuditEntry) -> dict[str, Any]:
    return {
        "number": entry.number,
        "at": timestamp(entry.at),
        "actor": entry.actor,
        "action": entry.action,
        "target": entry.target,
        "before": entry.before,
        "after": entry.after,
    }
