"""The API reference for programmers: the OpenAPI document as a page of our own, without scripts."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any, Final
from urllib.parse import urlencode

from apiflask import APIBlueprint, APIFlask
from flask import current_app
from werkzeug.wrappers import Response

from app.web.rendering import render_page
from app.web.texts import request_language

METHODS: Final = ("get", "post", "put", "patch", "delete")

Schema = Mapping[str, Any]

blueprint = APIBlueprint("api_docs", __name__, enable_openapi=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation of the API. ``fields``: parameters and fields of the body, each with its name, type,
    True if it is required, and description. ``replies``: descriptions by status. ``examples``: requests, then
    the reply."""

    tag: str
    method: str
    path: str
    summary: str
    description: str
    fields: tuple[tuple[str, str, bool, str], ...]
    replies: tuple[tuple[str, str], ...]
    examples: tuple[str, ...]

    @property
    def anchor(self) -> str:
        """Its fragment in the page's URL."""
        kept = "".join(each if each.isalnum() else "-" for each in self.path)
        return f"{self.method.lower()}{kept}"


@blueprint.get("/docs")
def page() -> Response:
    """The page, in the document's order, which is that of its tags."""
    app = current_app
    assert isinstance(app, APIFlask)
    groups = [(tag, list(some)) for tag, some in groupby(operations(app.spec), attrgetter("tag"))]
    return render_page("api_docs.html", request_language(), groups=groups)


def operations(spec: Any) -> Iterator[Operation]:
    """Yield every operation of an OpenAPI document."""
    known = spec.get("components", {}).get("schemas", {})
    for path, methods in spec["paths"].items():
        for method in METHODS:
            if given := methods.get(method):
                yield Operation(
                    tag=next(iter(given.get("tags", ())), ""),
                    method=method.upper(),
                    path=path,
                    summary=given.get("summary", ""),
                    description=given.get("description", ""),
                    fields=(*_parameters(given, methods), *_body(given, known)),
                    replies=tuple(
                        (status, reply.get("description", ""))
                        for status, reply in sorted(given.get("responses", {}).items())
                    ),
                    examples=tuple(_examples(method.upper(), path, given)),
                )


def _parameters(given: Schema, methods: Schema) -> Iterator[tuple[str, str, bool, str]]:
    for each in (*methods.get("parameters", ()), *given.get("parameters", ())):
        schema = each.get("schema", {})
        said = each.get("description") or schema.get("description", "")
        yield each["name"], _type(schema), bool(each.get("required")), said


def _body(given: Schema, known: Schema) -> Iterator[tuple[str, str, bool, str]]:
    for content in given.get("requestBody", {}).get("content", {}).values():
        schema = content.get("schema", {})
        schema = known.get(schema.get("$ref", "").rpartition("/")[2], schema)
        for name, field in schema.get("properties", {}).items():
            yield name, _type(field), name in schema.get("required", ()), field.get("description", "")


def _examples(method: str, path: str, given: Schema) -> Iterator[str]:
    """Yield an example of the request, line and body, and one of the reply, if there are any."""
    parameters = [each for each in given.get("parameters", ()) if "example" in each]
    replies = [reply for _, reply in sorted(given.get("responses", {}).items())][:1]
    sent, answered = (list(map(_example, parts)) for parts in ([given.get("requestBody", {})], replies))
    if parameters or any(sent):
        names = {each["name"]: _query_value(each["example"]) for each in parameters if each["in"] == "query"}
        query = f"?{urlencode(names)}" if names else ""
        line = f"{method} {path.format_map(_PathNames(parameters))}{query}"
        yield "\n\n".join(filter(None, [line, *sent]))
    yield from filter(None, answered)


class _PathNames(dict[str, str]):
    """Examples of a path's variables; variables without one stay as they are."""

    def __init__(self, parameters: list[Schema]) -> None:
        super().__init__({each["name"]: str(each["example"]) for each in parameters if each["in"] == "path"})

    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


def _query_value(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def _example(part: Schema) -> str:
    """The example of a body or reply as text; empty without one."""
    found = [each["example"] for each in part.get("content", {}).values() if "example" in each]
    if not found:
        return ""
    return found[0] if isinstance(found[0], str) else json.dumps(found[0], ensure_ascii=False, indent=2)


def _type(schema: Schema) -> str:
    """The type in a few words, ignoring null."""
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    for several in ("anyOf", "oneOf"):
        if several in schema:
            named = [_type(each) for each in schema[several] if each.get("type") != "null"]
            return " | ".join(dict.fromkeys(filter(None, named)))
    return str(schema.get("type", "") or schema.get("$ref", "").rpartition("/")[2])
