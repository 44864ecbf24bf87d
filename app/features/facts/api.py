"""``/api/admin/facts``: the facts of a page, and whether answers show them."""

from typing import Final

from app.api.access import require_source, require_user
from app.api.admin_blueprint import AdminBlueprint
from app.api.state import current_services
from app.features.facts.documents import FactsDocument
from app.features.facts.page_facts import PageFacts
from app.features.facts.services import FactServices

ONE: Final = "/<source>/<language>/<path:page_id>"

blueprint = AdminBlueprint("facts", __name__, "/facts", errors=(404,))


@blueprint.get(ONE)
@blueprint.output(FactsDocument, description="The facts")
@blueprint.operation("Opening hours, prices, contacts, what to bring and dates of a page")
def facts(source: str, language: str, page_id: str) -> FactsDocument:
    """They are read from the page as it is in the index now."""
    return FactsDocument.of(_facts(source, language, page_id))


@blueprint.put(f"{ONE}/silence")
@blueprint.output(FactsDocument, description="They are not told")
@blueprint.operation("Have the facts of a page not told")
def silence(source: str, language: str, page_id: str) -> FactsDocument:
    """Visitors get only its passages, whatever is saved, until this is undone."""
    return _changed(source, language, page_id, silent=True)


@blueprint.delete(f"{ONE}/silence")
@blueprint.output(FactsDocument, description="They are told")
@blueprint.operation("Have the facts of a page told again")
def tell(source: str, language: str, page_id: str) -> FactsDocument:
    """Answers show them again."""
    return _changed(source, language, page_id, silent=False)


def _changed(source: str, language: str, page_id: str, *, silent: bool) -> FactsDocument:
    ref = _facts(source, language, page_id).page.ref
    services = current_services().feature(FactServices)
    services.silent.change(ref, require_user().name, silent=silent)
    return FactsDocument.of(services.of_page(ref))


def _facts(source: str, language: str, page_id: str) -> PageFacts:
    require_source(source)
    return current_services().feature(FactServices).named(source, language, page_id)
