"""Console pages that show admins the state of messages handed over to a person."""

from typing import Final

from pydantic import ValidationError
from werkzeug.wrappers import Response

from app.api.state import current_services
from app.console.pages import current_user, go, make_blueprint, render
from app.features.handover.documents import HandoverDocument
from app.features.handover.queue import Handover, HandoverQueue
from app.features.handover.services import HandoverServices

PAGE: Final = "console_handover.page"

blueprint = make_blueprint("console_handover", __name__, "/handovers", for_admins=True, templates="templates")


@blueprint.get("")
def page() -> Response:
    """List the newest messages first, without their content."""
    return render("handovers.html", handovers=_queue().entries())


@blueprint.get("/<number>")
def one(number: str) -> Response:
    """Show one message; its content only until it is sent."""
    found = _queue().one(number)
    return render("handover.html", handover=found, document=_document(found))


@blueprint.post("/<number>/retry")
def retry(number: str) -> Response:
    """Send a message at once."""
    _queue().retry(number, current_user().name)
    return go(PAGE, "handover_retried")


@blueprint.post("/<number>/delete")
def delete(number: str) -> Response:
    """Delete a message, sent or not."""
    _queue().delete(number, current_user().name)
    return go(PAGE, "handover_deleted")


def _document(handover: Handover) -> HandoverDocument | None:
    try:
        return HandoverDocument.model_validate_json(handover.content) if handover.content else None
    except ValidationError:
        return None


def _queue() -> HandoverQueue:
    return current_services().feature(HandoverServices).queue
