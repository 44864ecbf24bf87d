"""The chat for other websites: the loader ``/widget.js``, and the files that it loads when a visitor opens
the chat.

The loader is cached for a few minutes and contains the version of the other files, a hash of their contents.
Their URLs contain the version, so they are cached forever, and files of two versions are never mixed.
"""

import gzip
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, get_args

from apiflask import APIBlueprint
from flask import Response, abort, request

from app.chat.text import catalogue
from app.chat.text.catalogue import SILENT_LABELS, describe
from app.search.retrieval import Degradation

LOADER: Final = "loader.js"
LOADER_SECONDS: Final = 300
FALLBACK_LANGUAGE: Final = "en"
BUTTON_TEXTS: Final = ("open", "continue", "unavailable", "chat", "direction")
"""Texts that are part of the loader."""

MEDIA_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".json": "application/json"}
IMMUTABLE: Final = "public, max-age=31536000, immutable"
REVALIDATED: Final = f"public, max-age={LOADER_SECONDS}"

_COMMENT: Final = re.compile(rb"^[ \t]*(?://.*|/\*[\s\S]*?\*/)[ \t]*\n", re.MULTILINE)
"""A comment on lines of its own in a script or style sheet."""

_FOLDER: Final = Path(__file__).with_name("widget")
_TEXTS: Final = Path(__file__).with_name("texts")

blueprint = APIBlueprint("widget", __name__, enable_openapi=False)


@dataclass(frozen=True, slots=True)
class Files:
    """The widget's files by name, including the loader, and their version."""

    version: str
    contents: Mapping[str, bytes]


@blueprint.get("/widget.js")
def loader() -> Response:
    """The script that other websites embed."""
    return _file_response(LOADER, REVALIDATED)


@blueprint.get("/widget/<version>/<path:name>")
def file(version: str, name: str) -> Response:
    """One of the loader's files. An outdated loader gets the current ones, cached for a few minutes only."""
    return _file_response(name, IMMUTABLE if version == files().version else REVALIDATED)


@cache
def files() -> Files:
    """Return the files, loaded once, without comments, which visitors need not download."""
    texts = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(_TEXTS.glob("*.json"))}
    contents = {path.name: without_comments(path.read_bytes()) for path in sorted(_FOLDER.iterdir())}
    for language in texts:
        contents[f"texts/{language}.json"] = as_json(_with_fallbacks(language, texts)).encode()
    version = sha256(b"".join(contents.values())).hexdigest()[:12]
    labels = {
        language: {name: {**texts[FALLBACK_LANGUAGE], **own}[name] for name in BUTTON_TEXTS}
        for language, own in texts.items()
    }
    served = as_json({"version": version, "labels": labels})
    contents[LOADER] = contents[LOADER].replace(b"__SERVED__", served.encode())
    return Files(version, contents)


def _with_fallbacks(language: str, texts: Mapping[str, Any]) -> dict[str, Any]:
    """A language's texts with the sentences for labels and dates; missing texts in English."""
    sentences = catalogue.texts(language)
    shared = {
        "degraded": {
            each: describe(each, language) for each in get_args(Degradation) if each not in SILENT_LABELS
        },
        "times": dict(sentences.time),
        "ended": sentences.ended,
        "version": sentences.version,
    }
    return {**texts[FALLBACK_LANGUAGE], **shared, **texts[language]}


def without_comments(content: bytes) -> bytes:
    """Return a script or style sheet without the comments that have lines of their own."""
    return _COMMENT.sub(b"", content)


def as_json(value: object) -> str:
    """Return compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@cache
def _gzipped(name: str) -> bytes:
    return gzip.compress(files().contents[name], mtime=0)


def _file_response(name: str, caching: str) -> Response:
    if name not in files().contents:
        abort(404)
    media_type = MEDIA_TYPES[Path(name).suffix]
    return embedded_file(files().contents[name], partial(_gzipped, name), media_type, caching)


def embedded_file(content: bytes, packed: Callable[[], bytes], media_type: str, caching: str) -> Response:
    """The response with a file that other websites embed. ``packed``: returns its gzipped content."""
    is_packed = request.accept_encodings["gzip"] > 0
    body = packed() if is_packed else content
    response = Response(body, content_type=f"{media_type}; charset=utf-8")
    if is_packed:
        response.headers["Content-Encoding"] = "gzip"
    response.vary.add("Accept-Encoding")
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    response.headers["Cache-Control"] = caching
    response.set_etag(sha256(body).hexdigest()[:16])
    response.make_conditional(request)
    return response
