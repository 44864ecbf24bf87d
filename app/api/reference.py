"""Completes the API's description for ``/openapi.json`` and ``/docs``: visitors' operations first, whole
docstrings, examples."""

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from apiflask import APIFlask

from app.api import sse
from app.feature import merged_json

PROGRAM_TAGS: Final = {
    "Chat": "Questions and answers, for chats on websites.",
    "Search": "Pages, for search pages.",
    "CMS": "What happened to pages, told by a content management system.",
}
OPERATOR_TAGS: Final = {
    "Health": "For load balancers and monitoring.",
    "Administration": "For administrators and editors, by token or log-in.",
}
"""The core's tags in order, with descriptions. Features' tags come between the two groups."""

EXAMPLES: Final[dict[str, dict[str, Any]]] = merged_json("app.api", "examples.json")
"""Examples by operation, such as ``POST /api/chat``: ``parameters`` by name, the ``body``, and the JSON
``response`` or ``stream`` of events on success."""

_VARIABLE: Final = re.compile(r"<(?:[^<>]+:)?([^<>:]+)>")
_JSON: Final = "application/json"

Operation = dict[str, Any]


def register(app: APIFlask) -> None:
    """Complete the application's OpenAPI document whenever it is built."""

    @app.spec_processor
    def complete(description: dict[str, Any] | str) -> dict[str, Any] | str:
        assert isinstance(description, dict)  # it would be text as YAML
        said = dict(_descriptions(app))
        for schema in description["components"]["schemas"].values():
            if "description" in schema:
                schema["description"] = _text(schema["description"])
        for (path, method), operation in _operations(description):
            operation["description"] = said[path, method]
            _add_example(operation, EXAMPLES.get(f"{method.upper()} {path}", {}))
        order = {path: place for place, (path, _) in enumerate(said)}
        paths = description["paths"]
        descriptions = _tags(description["tags"])
        tags = {path: [*descriptions].index(_tag(methods)) for path, methods in paths.items()}
        description["paths"] = {
            path: paths[path] for path in sorted(paths, key=lambda path: (tags[path], order[path]))
        }
        description["tags"] = [{"name": name, "description": text} for name, text in descriptions.items()]
        return description


def _descriptions(app: APIFlask) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the docstring of each path and method, in order of registration. APIFlask itself would drop its
    first line, which it takes for a summary even if the operation has one."""
    for rule in app.url_map.iter_rules():
        path = _VARIABLE.sub(r"{\1}", rule.rule)
        for method in rule.methods or ():
            yield (path, method.lower()), _text(app.view_functions[rule.endpoint].__doc__ or "")


def _text(docstring: str) -> str:
    """Return a docstring as Markdown, each paragraph on one line."""
    paragraphs = inspect.cleandoc(docstring).split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs).replace("``", "`")


def _operations(description: dict[str, Any]) -> Iterator[tuple[tuple[str, str], Operation]]:
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            if method != "parameters":
                yield (path, method), operation


def _tags(of_blueprints: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return all tags in order, with their descriptions."""
    ours = PROGRAM_TAGS | OPERATOR_TAGS
    added = {tag["name"]: tag.get("description", "") for tag in of_blueprints if tag["name"] not in ours}
    return PROGRAM_TAGS | added | OPERATOR_TAGS


def _tag(methods: dict[str, Any]) -> str:
    tag: str = next(each["tags"][0] for method, each in methods.items() if method != "parameters")
    return tag


def _add_example(operation: Operation, example: dict[str, Any]) -> None:
    for parameter in operation.get("parameters", ()):
        if parameter["name"] in example.get("parameters", {}):
            parameter["example"] = example["parameters"][parameter["name"]]
    if "body" in example:
        operation["requestBody"]["content"][_JSON]["example"] = example["body"]
    for name, media_type in (("response", _JSON), ("stream", sse.MEDIA_TYPE)):
        if name in example:
            success = min(operation["responses"])
            operation["responses"][success]["content"][media_type]["example"] = example[name]
