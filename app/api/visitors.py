"""Visitors' requests: their site, rate limits, and CORS.

Cross-origin requests are allowed only for the site's own origins (Fetch standard, "CORS protocol"): the
response repeats the origin, and does not allow credentials, since there are none. Pages of all origins may
read why ``GET /api/site`` refuses them, so that the widget can say so if its key or origin is wrong.
"""

import re
from functools import partial
from typing import Final, cast

from apiflask import APIBlueprint
from flask import Response, abort, g, request

from app.api import limits
from app.api.json_body import require_json
from app.api.schemas import FILTER, FiltersRequest, RangeRequest
from app.api.state import current_refusal_log, current_services
from app.chat.sites import choose_index, select_sources
from app.errors import NotFoundError
from app.search.filters import Filters, filters_in, filters_of
from app.settings.sites import SiteSettings

ALLOWED_METHODS: Final = "GET, POST, DELETE"
ALLOWED_HEADERS: Final = "Content-Type"
PREFLIGHT_SECONDS: Final = 600
_PARAMETER: Final = re.compile(rf"{re.escape(FILTER)}[a-z][a-z0-9_]*(\.(from|to))?")
ENDPOINT_WITH_PUBLIC_REFUSALS: Final = "site.site"
"""The endpoint whose refusals may be read by pages of all origins."""


def register(blueprint: APIBlueprint, kind: str = "") -> None:
    """Add site, limits, content checks and CORS headers to the requests of ``blueprint``. They are counted as
    ``kind``, by default the blueprint's name (:data:`app.api.limits.FACTORS`)."""
    blueprint.before_request(_find_site)
    blueprint.before_request(partial(_count, kind))
    blueprint.before_request(_require_json)
    blueprint.after_request(_allow_origin)


def current_site() -> SiteSettings:
    """The site that the request names in ``?site=``."""
    return cast(SiteSettings, g.site)


def requested_site(index: str | None) -> SiteSettings:
    """Return the current site with the sources and preset of the named index, by default of its first.

    Raises ``InputError``, which names the known indexes.
    """
    return choose_index(current_site(), index)


def requested_sources(site: SiteSettings, name: str | None) -> frozenset[str]:
    """Return the sources to search: the named one, or all of the site.

    Raises ``InputError``, which names the known sources.
    """
    return select_sources(current_services().store, name, within=site.sources)


def given_filters() -> dict[str, list[str]]:
    """Return the filters in the address, unparsed, by parameter such as ``filter.office``. Names that no
    field can have are left out, because pages repeat them and they could contain markup."""
    return {name: texts for name, texts in request.args.lists() if _PARAMETER.fullmatch(name)}


def requested_filters() -> Filters:
    """Return the filters in the address. Raises ``InputError``, which names the known fields."""
    given = [(name, text) for name, text in request.args.items(multi=True) if name.startswith(FILTER)]
    if not given:
        return ()
    return filters_of(((name.removeprefix(FILTER), text) for name, text in given), current_services().fields)


def filters_in_body(filters: FiltersRequest) -> Filters:
    """Return the filters in a body. Raises ``InputError``, which names the known fields."""
    if not filters:
        return ()
    given = {
        name: value.model_dump(by_alias=True) if isinstance(value, RangeRequest) else value
        for name, value in filters.items()
    }
    return filters_in(given, current_services().fields)


def _find_site() -> Response | None:
    key, origin = request.args.get("site"), request.headers.get("Origin")
    try:
        g.site = current_services().chat.sites.find(key, origin, request.host)
    except NotFoundError as error:
        if origin is not None:
            current_refusal_log().note(key or "", origin, str(error))
        raise
    if request.method != "OPTIONS":
        return None
    response = Response(status=204)
    response.headers["Access-Control-Allow-Methods"] = ALLOWED_METHODS
    response.headers["Access-Control-Allow-Headers"] = ALLOWED_HEADERS
    response.headers["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    return response


def _count(kind: str) -> None:
    limits.count_request(current_site(), kind)


def _require_json() -> None:
    """Refuse bodies that are not declared as JSON, because a form on another site can send them without CORS,
    and bodies without ``Content-Length``, because Flask would not read all of them."""
    has_body = bool(request.content_length) or "Transfer-Encoding" in request.headers
    if request.method != "POST" or not has_body:
        return
    require_json()
    if request.content_length is None:
        abort(411, "Send the header Content-Length.")


def _allow_origin(response: Response) -> Response:
    response.headers.setdefault("Cache-Control", "no-store")
    response.vary.add("Origin")
    if "site" in g and (origin := request.headers.get("Origin")):
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Access-Control-Expose-Headers"] = "Retry-After"
    elif "site" not in g and request.endpoint == ENDPOINT_WITH_PUBLIC_REFUSALS:
        response.headers["Access-Control-Allow-Origin"] = "*"
    return response
