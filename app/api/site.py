"""``GET /api/site``: a site's settings for the widget."""

from typing import Final

from apiflask import APIBlueprint

from app.api import visitors
from app.api.chat_documents import ChatSiteDocument, ChosenIndexDocument
from app.api.problem import problem_responses
from app.api.schemas import SiteLanguageQuery
from app.api.state import current_services
from app.api.visitors import current_site
from app.chat.offers import OfferDocument

CACHING: Final = "private, max-age=300"
"""The widget requests this on every page, to decide if it shows its button; the chat requests it anew."""

blueprint = APIBlueprint("site", __name__, url_prefix="/api", tag="Chat")
visitors.register(blueprint)


@blueprint.get("/site")
@blueprint.input(SiteLanguageQuery, location="query")
@blueprint.output(ChatSiteDocument, description="Texts and addresses")
@blueprint.doc(summary="What the chat shows of a website", responses=problem_responses(404, 422, 429))
def site(query_data: SiteLanguageQuery) -> tuple[ChatSiteDocument, dict[str, str]]:
    """Name, language, contact, privacy notice and example questions of the site. The examples are in
    ``language``, by default the site's. ``indexes``: the ones that visitors may choose, the default first.
    ``listed_sources``: the kind of sources listed below an answer from the default index; each index has its
    own. ``ai``: True if a language model writes the answers. ``law``: True if the site has acts of law, which
    may be asked about as of another day. ``offers``: offers if an answer does not help."""
    current, services = current_site(), current_services()
    language = query_data.language or current.language
    preset_of = services.chat.pipelines.preset_of
    document = ChatSiteDocument.from_objects(
        current,
        contact=current.contact or services.settings.contact,
        examples=services.chat.examples(current, language),
        question_characters=services.settings.question_characters,
        indexes=[
            ChosenIndexDocument(
                name=name,
                label=index.label or name,
                listed_sources=preset_of(current.with_index(name)).question.listed_sources,
            )
            for name, index in current.indexes.items()
        ],
        listed_sources=preset_of(current).question.listed_sources,
        ai=services.chat.model is not None,
        law=services.chat.pipelines.has_law(current, services.store.sources()),
        offers=[OfferDocument.of(offer, language) for offer in services.offers(current)],
    )
    return document, {"Cache-Control": CACHING}
