"""The API for people who write programs: the OpenAPI document as a page of our own, without scripts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

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
    """One thing that can be asked. ``fields``: parameters and fields of the body, each with its name, type,
    whether it is required, and description. ``replies``: descriptions by status."""

    tag: str
    method: str
    path: str
    summary: str
    description: str
    fields: tuple[tuple[str, str, bool, str], ...]
    replies: tuple[tuple[str, str], ...]

    @property
    def anchor(self) -> str:
        """Its name in the page's address."""
        kept = "".join(each if each.isalnum() else "-" for each in self.path)
        return f"{self.method.lower()}{kept}"


@blueprint.get("/docs")
def page() -> Response:
    """The page, in the order of the document's tags."""
    app = current_app
    assert isinstance(app, APIFlask)
    found = sorted(operations(app.spec), key=attrgetter("tag"))
    groups = [(tag, list(some)) for tag, some in groupby(found, attrgetter("tag"))]
    return render_page("api_docs.html", request_language(), groups=groups)


def operations(spec: Any) -> Iterator[Operation]:
    """Every operation of an OpenAPI document."""
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


def _type(schema: Schema) -> str:
    """The type in a few words, without null."""
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    for several in ("anyOf", "oneOf"):
        if several in schema:
            named = [_type(each) for each in schema[several] if each.get("type") != "null"]
            return " | ".join(dict.fromkeys(filter(None, named)))
    return str(schema.get("type", "") or schema.get("$ref", "").rpartition("/")[2])
