"""The sites: which sources they search, how the chat looks, and the line that embeds it."""

from werkzeug.wrappers import Response

from app.api.access import visible_sites
from app.api.hosts import public_address
from app.console.pages import current_user, make_blueprint, render
from app.errors import NotFoundError

blueprint = make_blueprint("sites", __name__, "/sites")


@blueprint.get("")
def page() -> Response:
    """All sites that the user may see."""
    return render("sites.html", sites=visible_sites())


@blueprint.get("/<key>")
def site(key: str) -> Response:
    """One site with its chat to try, and the line for its pages."""
    found = next((each for each in visible_sites() if each.key == key), None)
    if found is None:
        raise NotFoundError(f"there is no site {key!r}")
    embed = f'<script src="{public_address()}/widget.js" data-site="{found.key}" async></script>'
    return render("site.html", site=found, embed=embed)


def visible_keys() -> list[str] | None:
    """The sites whose questions the user may see; ``None`` for all, also those not in the settings any
    more."""
    if current_user().visible_sources is None:
        return None
    return [site.key for site in visible_sites()]
