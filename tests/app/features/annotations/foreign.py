"""A unit of law that somebody cut."""

from app.features.annotations.services import AnnotationServices
from app.services import Services
from ingest.types import PageRef
from tests.app.features.foreign import ForeignEntries
from tests.app.law.ferries import FERRIES, SECOND, SOURCE, library

UNIT = PageRef(source=SOURCE, id=f"{FERRIES}@{SECOND}/art_2", language="en")


def add(services: Services) -> ForeignEntries:
    """Cut it; both addresses name the annotation by its number, or the unit."""
    services.store.accept_documents(SOURCE, library())
    while services.store.pending():
        services.indexing.indexer.sync_pages()
    desk = services.feature(AnnotationServices).desk
    saved = desk.save(UNIT, cuts=(21,), references=None, version=0, actor="ada")
    number, version = {"number": saved.number}, {"version": 1}
    unit = {"source": UNIT.source, "id": UNIT.id, "language": UNIT.language}
    place = {"source": UNIT.source, "page_id": UNIT.id, "language": UNIT.language}
    return ForeignEntries(
        values={"console_annotations": number | place, "annotations": number},
        bodies={"annotations.annotate": {"version": 0, "references": [f"{FERRIES}/art_1"]}},
        queries={
            "console_annotations.page": ({"q": FERRIES},),
            "console_annotations.unit": ({"from": saved.number},),
            "annotations.unit": (unit,),
            "annotations.annotate": (unit,),
            "annotations.remove": (version,),
        },
    )
