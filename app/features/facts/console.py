"""The facts of a page on its page in the console, and whether they are told."""

from werkzeug.wrappers import Response

from app.api.access import require_source
from app.api.state import current_services
from app.console.pages import current_user, go, make_blueprint
from app.console.texts import console_language
from app.errors import NotFoundError
from app.features.facts.hours_text import rule_texts
from app.features.facts.page_facts import PageFacts
from app.features.facts.services import FactServices
from ingest.types import PageRef

blueprint = make_blueprint("console_facts", __name__, "/facts", templates="templates")


def facts(ref: PageRef) -> tuple[PageFacts, list[tuple[str, list[str]]]] | None:
    """The facts of a page, and its hours as lines, each group with its name; ``None`` for one that is not in
    the index."""
    try:
        found = current_services().feature(FactServices).of_page(ref)
    except NotFoundError:
        return None
    language = console_language()
    hours = [
        (" – ".join(filter(None, (each.place, each.name))), rule_texts(each, language))
        for each in found.hours
    ]
    return found, hours


@blueprint.post("/<any('silence', 'tell'):action>/<source>/<language>/<path:page_id>")
def change(action: str, source: str, language: str, page_id: str) -> Response:
    """Have the facts of a page not told, or told again."""
    require_source(source)
    services = current_services().feature(FactServices)
    ref = services.named(source, language, page_id).page.ref
    services.silent.change(ref, current_user().name, silent=action == "silence")
    done = f"facts_{action}"
    return go("page_list.one", done, source=source, language=language, page_id=page_id)
