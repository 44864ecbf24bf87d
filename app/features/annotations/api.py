"""``/api/admin/annotations``: how people cut pages and units of law, and the references that they give
them."""

from flask import Response

from app.api.access import require_user, visible_sources
from app.api.admin_blueprint import AdminBlueprint
from app.api.json_body import require_object
from app.api.schemas import VersionQuery
from app.api.state import current_services
from app.features.annotations.desk import AnnotationDesk
from app.features.annotations.documents import (
    AnnotationDocument,
    AnnotationRequest,
    AnnotationsDocument,
    AnnotationsQuery,
    UnitDocument,
    UnitQuery,
)
from app.features.annotations.services import AnnotationServices
from app.indexing.page_desk import page_at
from ingest.types import PageRef

blueprint = AdminBlueprint(
    "annotations", __name__, "/annotations", check_body=require_object, errors=(400, 422)
)


@blueprint.get("")
@blueprint.input(AnnotationsQuery, location="query")
@blueprint.output(AnnotationsDocument, description="The newest first")
@blueprint.operation("What people annotated in units of law")
def annotations(query_data: AnnotationsQuery) -> AnnotationsDocument:
    """Their ``state``: ``current``; ``changed`` where the unit has another text now, whose chunks and
    references are found automatically until somebody annotates it; ``missing`` where there is no such
    unit."""
    found = _desk().entries(below=query_data.below, limit=query_data.limit, sources=visible_sources())
    listed = [AnnotationDocument.of(each, state) for each, state in found]
    return AnnotationsDocument(annotations=listed)


@blueprint.get("/unit")
@blueprint.input(UnitQuery, location="query")
@blueprint.output(UnitDocument, description="The unit")
@blueprint.operation("A unit of law with its chunks and references", 404)
def unit(query_data: UnitQuery) -> UnitDocument:
    """The unit as it is now. ``cuts``: the characters of ``text`` where a chunk begins; ``earlier``:
    annotations of other texts of the unit."""
    return UnitDocument.of(_desk().unit(_ref(query_data), sources=visible_sources()))


@blueprint.put("/unit")
@blueprint.input(UnitQuery, location="query")
@blueprint.input(AnnotationRequest, location="json")
@blueprint.output(AnnotationDocument, description="The annotation")
@blueprint.operation("Annotate a unit of law", 404, 409, 413, 415)
def annotate(query_data: UnitQuery, json_data: AnnotationRequest) -> AnnotationDocument:
    """References count with the next question, chunks when the page has been written again. 409 says who
    annotated it after ``version`` was read."""
    saved = _desk().save(
        _ref(query_data),
        cuts=json_data.cuts,
        references=json_data.references,
        version=json_data.version,
        actor=require_user().name,
        sources=visible_sources(),
    )
    current_services().wake(interactive=False)
    return AnnotationDocument.model_validate(saved)


@blueprint.delete("/<int:number>")
@blueprint.input(VersionQuery, location="query")
@blueprint.operation("Remove an annotation", 404, 409, responses={204: {"description": "It is removed"}})
def remove(number: int, query_data: VersionQuery) -> Response:
    """Chunks and references are found automatically again."""
    _desk().remove(number, query_data.version, require_user().name, sources=visible_sources())
    current_services().wake(interactive=False)
    return Response(status=204)


def _ref(query: UnitQuery) -> PageRef:
    return page_at(query.source, query.id, query.language)


def _desk() -> AnnotationDesk:
    return current_services().feature(AnnotationServices).desk
