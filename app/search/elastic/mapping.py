"""The body of a new index: ``mappings/``, completed by the options and the generation's recipe."""

import json
from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import Any, Final

from app.errors import InputError, SettingsError
from app.search.elastic.client import HALF_VECTORS, ElasticOptions, Version
from app.search.fields import fields_of
from app.search.types import GenerationRecipe
from ingest.said import Said
from ingest.types import FIELDS

VERSION: Final = 1
"""Stored in each index; raised with every change of ``mappings/`` that cannot be applied to older indices."""

COLLECTION: Final = "part"
"""The field with a page's collection (:func:`app.search.types.collection_of`)."""

VALUES: Final = "fields"
"""The object with a page's values of the fields that the index was built with."""

ADDED: Final = (COLLECTION, "metadata", "content.chunks.context", "content.chunks.stems")
"""Fields that were added later. An older index gets them before its next page is written. Older versions of
Auskunft can still use the index, so these fields do not raise ``VERSION``."""

GRAPH_FROM: Final = 20_000
"""From this number of vectors, ``auto`` builds a graph (HNSW) for the content. Below, exact search is as
fast.

A graph is not only slower to build: if many pages contain the same text (a description, a footer), their
equal vectors trap the search, whatever its width. Measured with 1,000 equal ones among 5,000: recall@10 .1,
exact search 1. So the other fields, with one vector or a few per page, are always searched exactly.
"""

QUANTISED_FROM: Final = 200_000
"""From this number of vectors, ``auto`` quantises them to bytes: a quarter of the memory, but hits need to be
rescored."""

MAX_DIMS: Final = 4_096
_META: Final = "auskunft"

Body = dict[str, Any]


def index_body(
    options: ElasticOptions,
    recipe: GenerationRecipe,
    *,
    owner: str,
    created: datetime,
    vectors: int,
    oldest: Version,
) -> Body:
    """Return settings and mappings of a generation for about ``vectors`` vectors. ``oldest``: the lowest
    version in the cluster.

    Raises ``InputError`` for an embedder that cannot be indexed, ``SettingsError`` for a bad analysis file.
    """
    if not 1 <= recipe.dims <= MAX_DIMS:
        raise InputError(f"an embedder with {recipe.dims} dimensions cannot be indexed: use 1 to {MAX_DIMS}")
    kind, stored = vector_kind(options, vectors), element_type(options, oldest)
    mappings = _mappings(options, recipe, kind, stored)
    mappings["_meta"][_META] |= {"owner": owner, "created": created.isoformat()}
    return {"settings": _settings(options), "mappings": mappings}


def live_settings(options: ElasticOptions) -> Body:
    """Return the settings that an index gets when it is promoted: saved pages are found within a second, and
    the number of replicas is that of the current options."""
    interval = _load("settings.json")["index"]["refresh_interval"]
    return {"index": {"refresh_interval": interval, "number_of_replicas": options.replicas}}


def language_field(field: str, language: str) -> str:
    """Return the name of a text field's sub-field for a language."""
    return f"{field}.{language}"


def vector_kind(options: ElasticOptions, vectors: int) -> str:
    """Return the type of ``index_options`` for the content of an index of about ``vectors`` vectors."""
    if options.vectors != "auto":
        return options.vectors
    if vectors < GRAPH_FROM:
        return "flat"
    return "hnsw" if vectors < QUANTISED_FROM else "int8_hnsw"


def element_type(options: ElasticOptions, oldest: Version) -> str:
    """Return the type in which vectors are stored; bfloat16 takes half as much room as float. ``oldest``: the
    lowest version in the cluster. Raises ``SettingsError`` if bfloat16 is set and that version lacks it."""
    known = oldest >= HALF_VECTORS
    if options.element_type == "bfloat16" and not known:
        raise SettingsError(
            "elasticsearch_element_type: bfloat16 needs Elasticsearch {}.{} on every node, one is {}.{}: "
            "upgrade it, or set auto".format(*HALF_VECTORS, *oldest)
        )
    if options.element_type != "auto":
        return options.element_type
    return "bfloat16" if known else "float"


def advice_on(made: "IndexMetadata", options: ElasticOptions, vectors: int, oldest: Version) -> Said | None:
    """Advise a reindex if an index of about ``vectors`` vectors would be created differently today."""
    kind, stored = vector_kind(options, vectors), element_type(options, oldest)
    if made.vectors != kind:
        return Said(
            "the index was built with {made} vectors, but {kind} suits its {count:,} better: run `auskunft "
            "reindex` to change that",
            made=made.vectors,
            kind=kind,
            count=vectors,
        )
    if made.element_type != stored:
        return Said(
            "the index stores vectors as {made}, but the settings say {chosen}: run `auskunft reindex` to "
            "change that",
            made=made.element_type,
            chosen=stored,
        )
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexMetadata:
    """The choices made when an index was created. ``vectors``: the kind of the content's vectors.
    ``element_type``: of all vectors. ``languages``: those with sub-fields of text. ``missing``: the fields of
    ``ADDED`` that it lacks."""

    version: int
    created: datetime
    recipe: GenerationRecipe
    vectors: str
    element_type: str
    languages: tuple[str, ...]
    owner: str
    missing: tuple[str, ...]


def read_metadata(mappings: Mapping[str, Any]) -> IndexMetadata | None:
    """Return what :func:`index_body` stored in the index; ``None`` for another program's index."""
    meta = mappings.get("_meta", {}).get(_META)
    if meta is None:
        return None
    return IndexMetadata(
        version=meta["version"],
        created=datetime.fromisoformat(meta["created"]),
        recipe=GenerationRecipe(embedder=meta["embedder"], build=meta["build"]),
        vectors=meta["vectors"],
        element_type=meta.get("element_type", "float"),
        languages=tuple(meta["languages"]),
        owner=meta.get("owner", ""),
        missing=tuple(name for name in ADDED if _field(mappings, name) is None),
    )


def added_fields(names: Collection[str]) -> Body:
    """Return the mapping of these fields of ``ADDED``."""
    page, field = _load("page.json"), _load("field.json")
    added: Body = {name: page["properties"][name] for name in names if "." not in name}
    chunks = {
        name.rpartition(".")[2]: _field({"properties": {"content": field}}, name)
        for name in names
        if "." in name
    }
    if chunks:
        added["content"] = {"properties": {"chunks": {"type": "nested", "properties": chunks}}}
    return added


def _field(mappings: Mapping[str, Any], path: str) -> Body | None:
    """Return the mapping of the field with this dotted name; ``None`` if there is none."""
    found: Any = mappings
    for name in path.split("."):
        found = found.get("properties", {}).get(name)
        if found is None:
            return None
    return dict(found)


def _settings(options: ElasticOptions) -> Body:
    body = _load("settings.json")
    index = body["index"]
    index["number_of_shards"] = options.shards
    index["number_of_replicas"] = options.replicas
    index["refresh_interval"] = "-1"  # no search uses an index that is being built
    index["gc_deletes"] = options.gc_deletes
    body["analysis"] = _analysis(options)
    return body


def _mappings(options: ElasticOptions, recipe: GenerationRecipe, kind: str, stored: str) -> Body:
    """Return the mappings. ``kind``: of the content's vectors. ``stored``: the element type of vectors."""
    mappings = _load("page.json")
    mappings["_meta"] = {
        _META: {
            "version": VERSION,
            "embedder": dict(recipe.embedder),
            "build": dict(recipe.build),
            "vectors": kind,
            "element_type": stored,
            "languages": list(options.languages),
        }
    }
    properties = mappings["properties"]
    if fields := fields_of(recipe.build):
        types = _load("fields.json")
        properties[VALUES] = {"properties": {name: types[kind] for name, kind in fields.items()}}
    properties["words"]["fields"] = _languages(options, {"type": "text", "index_options": "freqs"})
    field = _load("field.json")["properties"]
    field["chunks"]["properties"]["vector"] |= {"dims": recipe.dims, "element_type": stored}
    for name in FIELDS:
        properties[name] = {"properties": deepcopy(field)}
    content = properties["content"]["properties"]
    # Only for highlights, which analyse the text of the few pages shown again: no counts, no positions.
    content["text"]["fields"] = _languages(options, {"type": "text", "index_options": "docs"})
    content["chunks"]["properties"]["vector"]["index_options"]["type"] = kind
    return mappings


def _languages(options: ElasticOptions, text: Body) -> Body:
    return {language: {**text, "analyzer": analyzer} for language, analyzer in options.languages.items()}


def _analysis(options: ElasticOptions) -> Body:
    path = options.analysis
    if path is None:
        return {}
    try:
        analysis = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(f"elasticsearch_analysis: {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise SettingsError(f"elasticsearch_analysis: {path} is not JSON in UTF-8: {error}") from error
    if not isinstance(analysis, dict):
        raise SettingsError(
            f'elasticsearch_analysis: {path} must contain an object such as {{"analyzer": ...}}'
        )
    return analysis


def _load(name: str) -> Body:
    body: Body = json.loads(files("mappings").joinpath(name).read_text("utf-8"))
    return body
