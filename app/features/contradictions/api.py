"""``/api/admin/contradictions``: pages of one site that give different figures for the same thing."""

from app.api.access import require_user, visible_sources
from app.api.admin_blueprint import AdminBlueprint
from app.api.state import current_services
from app.features.contradictions.documents import (
    ContradictionDocument,
    ContradictionsDocument,
    ContradictionsQuery,
)
from app.features.contradictions.services import ContradictionServices

blueprint = AdminBlueprint("contradictions", __name__, "/contradictions", errors=(422,))


@blueprint.get("")
@blueprint.input(ContradictionsQuery, location="query")
@blueprint.output(ContradictionsDocument, description="The newest first")
@blueprint.operation("Pages that contradict each other")
def contradictions(query_data: ContradictionsQuery) -> ContradictionsDocument:
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
    return ContradictionsDocument(contradictions=list(map(ContradictionDocument.of, found)))


@blueprint.put("/<int:number>/dismissal")
@blueprint.output(ContradictionDocument, description="It is dismissed")
@blueprint.operation("Say that a contradiction is none", 404)
def dismiss(number: int) -> ContradictionDocument:
    """It holds until one of the two texts changes."""
    return _dismissed(number, dismissed=True)


@blueprint.delete("/<int:number>/dismissal")
@blueprint.output(ContradictionDocument, description="It is listed again")
@blueprint.operation("Say that a contradiction is one after all", 404)
def restore(number: int) -> ContradictionDocument:
    """It is listed again."""
    return _dismissed(number, dismissed=False)


def _dismissed(number: int, *, dismissed: bool) -> ContradictionDocument:
    found = (
        current_services()
        .feature(ContradictionServices)
        .store.dismiss(number, require_user().name, dismissed=dismissed, sources=visible_sources())
    )
    return ContradictionDocument.of(found)
