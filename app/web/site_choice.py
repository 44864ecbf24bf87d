"""The page that offers the sites, where there are several and the address names none."""

from urllib.parse import urlencode

from flask import request
from werkzeug.wrappers import Response

from app.api.state import current_services
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


def _address(key: str) -> str:
    """The requested page for the site; by hand, because some names have a meaning for ``url_for``."""
    query = urlencode({**request.args.to_dict(flat=False), "site": key}, doseq=True)
    return f"{request.path}?{query}"
