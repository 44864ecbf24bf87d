"""The settings in force, read-only, with where each comes from."""

from werkzeug.wrappers import Response

from app.api.state import current_services
from app.console.pages import make_blueprint, render
from app.settings.addresses import shown_settings
from app.settings.origins import flattened, origin_of_each

blueprint = make_blueprint("settings", __name__, "/settings", for_admins=True)


@blueprint.get("")
def page() -> Response:
    """Every setting with its value, secrets masked."""
    values = shown_settings(current_services().settings.model_dump(mode="json"))
    settings = dict(flattened(values))
    return render("settings.html", values=settings, origins=origin_of_each([*settings]))
