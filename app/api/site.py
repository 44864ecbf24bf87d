"""``GET /api/site``: what the chat on a website's pages needs to know of it."""

from typing import Any

from apiflask import APIBlueprint

from app.api import visitors
from app.api.problem import documented
from app.api.responses import SITE, described
from app.api.schemas import SiteQuery
from app.api.state import current_services
from app.api.visitors import current_site

blueprint = APIBlueprint("site", __name__, url_prefix="/api", tag="Chat")
visitors.register(blueprint)


@blueprint.get("/site")
@blueprint.input(SiteQuery, location="query")
@blueprint.doc(
    summary="What the chat shows of a website",
    responses={200: described("Texts and addresses", SITE), **documented(404, 422, 429)},
)
def site(query_data: SiteQuery) -> dict[str, Any]:
    """Its name, language, contact, privacy notice and example questions; ``ai``: whether a language model
    writes its answers."""
    asked, services = current_site(), current_services()
    return {
        "key": asked.key,
        "name": asked.name,
        "language": asked.language,
        "contact": asked.contact or services.settings.contact,
        "privacy_url": asked.privacy_url,
        "examples": asked.examples,
        "question_characters": services.settings.question_characters,
        "ai": services.chat.model is not None,
    }
