"""``/api/admin/contradictions``: pages of one site that say different figures of the same thing."""

from typing import Final

from apiflask import APIBlueprint

from app.api.access import require_user, visible_sources
from app.api.headers import NO_STORE
from app.api.problem import problem_responses
from app.api.state import current_services
from app.features.contradictions.documents import (
    ContradictionDocument,
    ContradictionsDocument,
    ContradictionsQuery,
)
from app.features.contradictions.services import ContradictionServices

_ERRORS: Final = (401, 403, 422, 503)

blueprint = APIBlueprint(
    "contradictions", __name__, url_prefix="/api/admin/contradictions", tag="Administration"
)


@blueprint.before_request
def _check() -> None:
    require_user()


@blueprint.get("")
@blueprint.input(ContradictionsQuery, location="query")
@blueprint.output(ContradictionsDocument, description="The newest first")
@blueprint.doc(
    summary="Pages that contradict each other", security="AdminToken", responses=problem_responses(*_ERRORS)
)
def contradictions(query_data: ContradictionsQuery) -> tuple[ContradictionsDocument, dict[str, str]]:
    """Both passages of each, and the ``kind`` of the figures that differ. Pages that changed are compared at
    night."""
    found = (
        current_services()
        .feature(ContradictionServices)
        .store.entries(
            dismissed=query_data.dismissed,
            below=query_data.below,
            limit=query_data.limit,
            sources=visible_sources(),
        )
    )
    return ContradictionsDocument(contradictions=list(map(ContradictionDocument.of, found))), NO_STORE


@blueprint.put("/<int:number>/dismissal")
@blueprint.output(ContradictionDocument, description="It is dismissed")
@blueprint.doc(
    summary="Say that a contradiction is none",
    security="AdminToken",
    responses=problem_responses(404, *_ERRORS),
)
def dismiss(number: int) -> tuple[ContradictionDocument, dict[str, str]]:
    """It holds until one of the two texts changes."""
    return _dismissed(number, dismissed=True)


@blueprint.delete("/<int:number>/dismissal")
@blueprint.output(ContradictionDocument, description="It is listed again")
@blueprint.doc(
    summary="Say that a contradiction is one after all",
    security="AdminToken",
    responses=problem_responses(404, *_ERRORS),
)
def restore(number: int) -> tuple[ContradictionDocument, dict[str, str]]:
    """It is listed again."""
    return _dismissed(number, dismissed=False)


def _dismissed(number: int, *, dismissed: bool) -> tuple[ContradictionDocument, dict[str, str]]:
    found = (
        current_services()
        .feature(ContradictionServices)
        .store.dismiss(number, require_user().name, dismissed=dismissed, sources=visible_sources())
    )
    return ContradictionDocument.of(found), NO_STORE
