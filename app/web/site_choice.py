"""The site that a page is asked for; where there are several and the address names none, a page that offers
them."""

from urllib.parse import urlencode

from flask import request
from werkzeug.wrappers import Response

from app.api.state import current_services
from app.settings.sites import SiteSettings
from app.web.rendering import render_page
from app.web.texts import request_language


def offered_sites() -> Response | None:
    """A link for each site to the page that was asked for; ``None`` where there is nothing to choose."""
    sites = current_services().chat.sites
    if "site" in request.args or sites.main is not None or not sites.all():
        return None
    return render_page(
        "sites.html",
        request_language(),
        choices=[(site.name or site.key, _address(site.key)) for site in sites.all()],
    )


def requested_site(*, opens: bool = False) -> SiteSettings:
    """The site of ``?site=``. ``opens``: True for a form that only opens a page, which may come without its
    origin. Raises ``NotFoundError``.

    For pages with ``Referrer-Policy: no-referrer``, such as ours, browsers send ``Origin: null`` (Fetch
    standard, "append a request Origin header"); then ``Sec-Fetch-Site`` shows that the form is ours.
    """
    origin = request.headers.get("Origin")
    is_ours = request.headers.get("Sec-Fetch-Site") == "same-origin"
    is_ours |= origin in (f"http://{request.host}", f"https://{request.host}")
    is_hidden = opens and origin == "null"
    known = None if is_ours or is_hidden else origin
    return current_services().chat.sites.find(request.args.get("site"), known)


def _address(key: str) -> str:
    """The requested page for the site; by hand, because some names have a meaning for ``url_for``."""
    query = urlencode({**request.args.to_dict(flat=False), "site": key}, doseq=True)
    return f"{request.path}?{query}"
