"""The start page: a feature's, otherwise the chat."""

from pkgutil import resolve_name

from apiflask import APIBlueprint
from flask import current_app, redirect, request, url_for
from werkzeug.wrappers import Response

from app.web import chat
from app.web.rendering import feature_start_page

blueprint = APIBlueprint("web", __name__, enable_openapi=False)


@blueprint.get("/favicon.ico")
def favicon() -> Response:
    """The icon for clients without SVG support, at the address where they look for it."""
    return current_app.send_static_file("favicon.ico")


@blueprint.get("/")
def page() -> Response:
    """The start page. Without a query the demo redirects to the town's website."""
    if not request.args and "town" in current_app.blueprints:
        return redirect(url_for("town.home"))
    found = feature_start_page()
    shown: Response = resolve_name(found.view)() if found else chat.page()
    return shown
