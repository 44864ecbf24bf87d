"""What features keep of a source that an editor may not see, what their addresses call it, and these.

A feature says so in a module ``foreign`` of its tests, whose function ``add`` adds it to an installation with
the page ``dog-tax`` of the source ``town``.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any
from urllib.parse import urlencode

from werkzeug.routing import Map

from app.console.addresses import PREFIX
from app.services import Services
from tests.app import features


@dataclass(frozen=True, kw_only=True)
class ForeignEntries:
    """``values``: what stands for the places of addresses, by blueprint; ``bodies`` and ``queries``: what is
    sent with them, by endpoint. ``for_admins``: blueprints that editors may not use."""

    values: Mapping[str, Mapping[str, Any]]
    bodies: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    queries: Mapping[str, tuple[dict[str, Any], ...]] = field(default_factory=dict)
    for_admins: frozenset[str] = frozenset()


def add_all(services: Services) -> Iterator[ForeignEntries]:
    """Add the entries of every feature that has some."""
    for package in iter_modules(features.__path__, f"{features.__name__}."):
        if package.ispkg and find_spec(f"{package.name}.foreign"):
            yield import_module(f"{package.name}.foreign").add(services)


def pages(addresses: Map, entries: Iterable[ForeignEntries]) -> Iterator[str]:
    """The addresses below ``/admin`` of all pages of features, about their entries and with all queries."""
    bound = addresses.bind("localhost")
    for rule in addresses.iter_rules():
        for entry in entries:
            values = entry.values.get(rule.endpoint.partition(".")[0])
            if values is None or "GET" not in (rule.methods or ()) or not rule.rule.startswith(PREFIX):
                continue
            path = bound.build(rule.endpoint, {name: values[name] for name in rule.arguments})
            for query in ({}, *entry.queries.get(rule.endpoint, ())):
                yield path.removeprefix(PREFIX) + (f"?{urlencode(query)}" if query else "")
