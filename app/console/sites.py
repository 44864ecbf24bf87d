"""The sites: their sources, the chat's appearance, and the line that embeds it."""

from flask import Response as FlaskResponse
from flask import make_response, request
from werkzeug.wrappers import Response

from app.api.access import visible_sites
from app.api.headers import HEADERS
from app.api.hosts import public_address
from app.api.state import current_services
from app.console.colours import DEFAULT_ACCENT, LEAST_CONTRAST, Palette, palette
from app.console.pages import current_user, make_blueprint, render
from app.errors import InputError, NotFoundError
from app.monitoring.site_check import empty_sources
from app.settings.sites import SiteSettings

blueprint = make_blueprint("sites", __name__, "/sites")


@blueprint.get("")
def page() -> Response:
    """All sites that the user may see, each with its sources that have no pages."""
    services, sites = current_services(), visible_sites()
    filled, declared = services.store.sources(), services.settings.sources
    return render(
        "sites.html",
        sites=sites,
        empty={site.key: empty_sources(site, filled, declared) for site in sites},
        filled=[name for name in filled if current_user().may_see(name)],
    )


@blueprint.get("/<key>")
def site(key: str) -> Response:
    """One site with its chat to try, and the line for its pages. ``?accent=``: the website's colour."""
    found, failure, shades = site_of(key), None, None
    try:
        shades = _palette()
    except InputError as error:
        failure = error
    embed = f'<script src="{public_address()}/widget.js" data-site="{found.key}" async></script>'
    return render(
        "site.html",
        failure,
        site=found,
        embed=embed,
        palette=shades,
        accent=shades.chosen if shades else DEFAULT_ACCENT,
        least=LEAST_CONTRAST,
    )


@blueprint.get("/<key>/preview")
def preview(key: str) -> FlaskResponse:
    """The chat in the colours of ``?accent=``, for a frame of the console."""
    found, shades = site_of(key), _palette()
    response = make_response(render("chat_preview.html", site=found, accent=shades and shades.chosen))
    response.headers["Content-Security-Policy"] = HEADERS["Content-Security-Policy"]
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


@blueprint.get("/<key>/colours.css")
def colours(key: str) -> FlaskResponse:
    """The style sheet of the preview."""
    site_of(key)
    shades = _palette()
    return FlaskResponse(shades.css if shades else "", content_type="text/css; charset=utf-8")


def site_of(key: str) -> SiteSettings:
    """The site, if the user may see it. Raises ``NotFoundError``."""
    found = next((each for each in visible_sites() if each.key == key), None)
    if found is None:
        raise NotFoundError("there is no site {name!r}", name=key)
    return found


def _palette() -> Palette | None:
    """The shades of the colour in the address, or None without one. Raises ``InputError``."""
    accent = request.args.get("accent", "")
    return palette(accent) if accent else None
