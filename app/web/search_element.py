"""The search for other websites: ``/search.js`` has the element ``<auskunft-search>`` and its texts."""

import gzip
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from apiflask import APIBlueprint
from flask import Response, request

from app.web.texts import TEXTS
from app.web.widget import REVALIDATED, as_json, without_comments

PREFIX: Final = "search_"
"""What the names of the texts begin with that the element contains."""

UNUSED: Final = frozenset({"search_day", "search_months", "search_in"})
"""Those of pages and chat: browsers know how days are written."""

_SCRIPT: Final = Path(__file__).with_name("search") / "element.js"

blueprint = APIBlueprint("search_element", __name__, enable_openapi=False)


@blueprint.get("/search.js")
def script() -> Response:
    """The script that other websites embed."""
    is_packed = request.accept_encodings["gzip"] > 0
    body = _packed() if is_packed else content()
    response = Response(body, content_type="text/javascript; charset=utf-8")
    if is_packed:
        response.headers["Content-Encoding"] = "gzip"
    response.vary.add("Accept-Encoding")
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    response.headers["Cache-Control"] = REVALIDATED
    response.set_etag(sha256(body).hexdigest()[:16])
    response.make_conditional(request)
    return response


@cache
def content() -> bytes:
    """The script with the texts of all languages, without comments."""
    texts = {
        language: {
            name.removeprefix(PREFIX): text
            for name, text in own.items()
            if name.startswith(PREFIX) and name not in UNUSED
        }
        for language, own in TEXTS.items()
    }
    return without_comments(_SCRIPT.read_bytes()).replace(b"__TEXTS__", as_json(texts).encode())


@cache
def _packed() -> bytes:
    return gzip.compress(content(), mtime=0)
