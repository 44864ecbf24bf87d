"""Finds the site of a requested page, or offers all sites if there are several and the address names none."""

from flask import request
from werkzeug.wrappers import Response

from app.api.state import current_services
from app.settings.sites import SiteSettings
from app.web.rendering import render_page, requested_address
from app.web.texts import request_language


def offered_sites() -> Response | None:
    """A page with links to the requested page for each site, or None if there is nothing to choose."""
    sites = current_services().chat.sites
    if "site" in request.args or sites.main is not None or not sites.all():
        return None
    return render_page(
        "sites.html",
        request_language(),
        choices=[(site.name or site.key, requested_address(site=site.key)) for site in sites.all()],
    )


def requested_site(*, opens: bool = False) -> SiteSettings:
    """The site of ``?site=``. ``opens``: True for a form that only opens a page, which may hide its origin.
    Raises ``NotFoundError``.

    From pages with ``Referrer-Policy: no-referrer``, such as ours, browsers send ``Origin: null`` (Fetch
    standard, "append a request Origin header"). ``Sec-Fetch-Site`` then shows that the form is ours.
    """
    origin = request.headers.get("Origin")
    is_ours = request.headers.get("Sec-Fetch-Site") == "same-origin"
    is_ours |= origin in (f"http://{request.host}", f"https://{request.host}")
    is_hidden = opens and origin == "null"
    known = None if is_ours or is_hidden else origin
    return current_services().chat.sites.find(request.args.get("site"), known)
