"""Try it: a question, its answer as visitors get it, and beside it its whole way; why a page is not found."""

from typing import Any

from flask import request
from markupsafe import Markup
from werkzeug.wrappers import Response

from app.api.access import visible_sites
from app.api.state import current_services
from app.chat.inspector import TracedQuestion
from app.chat.trace_document import trace_document
from app.console.pages import current_user, make_blueprint, render
from app.console.texts import console_language
from app.errors import AuskunftError, NotFoundError

blueprint = make_blueprint("try_it", __name__, "/try")


@blueprint.get("")
def page() -> Response:
    """The form, and what became of the question in ``?q=``. Nothing is stored or counted."""
    question = request.args.get("q", "").replace("\0", "")
    failure, found = None, None
    if question.strip():
        try:
            found = _trace(question)
        except NotFoundError:
            raise
        except AuskunftError as error:
            failure = error
    return render(
        "try.html",
        failure,
        question=question,
        wanted=request.args.get("page", ""),
        site=request.args.get("site", ""),
        sites=visible_sites(),
        trace=found,
        html=Markup(found["answer"]["html"]) if found else "",
    )


def _trace(question: str) -> dict[str, Any]:
    """The question's way as a document, with why the wanted page is not found, if one is named."""
    inspector, sources = current_services().chat.inspector, current_user().visible_sources
    traced = inspector.trace(TracedQuestion(question=question, site=request.args.get("site", "")), sources)
    wanted = request.args.get("page", "").strip().partition("#")[0].replace("\0", "")
    why = inspector.why_not(traced, wanted, sources) if wanted else None
    return trace_document(traced, why, console_language())
