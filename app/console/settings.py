"""The settings in force, read-only, with the origin of each."""

from werkzeug.wrappers import Response

from app.api.state import current_services
from app.console.pages import make_blueprint, render
from app.settings.origins import in_force

blueprint = make_blueprint("settings", __name__, "/settings", for_admins=True)


@blueprint.get("")
def page() -> Response:
    """Every setting with its value, secrets masked."""
    services = current_services()
    return render("settings.html", settings=in_force(services.settings, services.chat.sites.written()))
