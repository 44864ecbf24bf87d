"""The log of changes."""

from flask import request
from werkzeug.wrappers import Response

from app.api.state import current_services
from app.console.pages import make_blueprint, render
from app.pages.audit import LISTED

blueprint = make_blueprint("log", __name__, "/changes", for_admins=True)


@blueprint.get("")
def page() -> Response:
    """The changes, newest first, a part at a time."""
    below = request.args.get("below", type=int)
    entries = current_services().audit_log.entries(below=below, limit=LISTED)
    older = entries[-1].number if len(entries) == LISTED else None
    return render("log.html", entries=entries, older=older)
