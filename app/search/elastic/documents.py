"""Conversion of pages to Elasticsearch documents and back. Pure functions."""

import json
from collections.abc import Mapping
from datetime import datetime
from hashlib import blake2b
from typing import Any

from app.search.analysis import page_stems, tokens, without_targets
from app.search.elastic.mapping import COLLECTION, VALUES
from app.search.fields import FieldTypes, field_values
from app.search.index import normalised
from app.search.types import IndexedPage, collection_of
from ingest.types import FIELDS, EmbeddedPage, FieldName, PageRef

Source = Mapping[str, Any]


def document_id(ref: PageRef) -> str:
    """Return the id of a page's document: of the same length for all pages, and safe in a URL."""
    return blake2b("\0".join((ref.source, ref.id, ref.language)).encode(), digest_size=16).hexdigest()


def document(update: EmbeddedPage, fields: FieldTypes) -> dict[str, Any]:
    """Return the whole document of a page, because a partial update would lose what ``_source`` excludes.
    ``fields``: the declared fields that the index was built with."""
    page = update.page
    values = field_values(page.metadata, fields)
    stems = page_stems(page.fields, page.ref.language)
    return {
        "source": page.ref.source,
        "page": page.ref.id,
        "language": page.ref.language,
        "document": page.document,
        "kind": page.kind,
        COLLECTION: collection_of(page),
        "metadata": json.dumps(dict(page.metadata)),
        "url": page.url,
        "updated": page.updated.isoformat() if page.updated else None,
        "sequence": page.sequence,
        "length": len(stems),
        "stems": " ".join(stems),
        **({VALUES: values} if values else {}),
    } | _fields(update)


def indexed_page(source: Source) -> IndexedPage:
    """Return the page of a document's ``_source``."""
    fields = {name: source[name] for name in FIELDS if name in source}
    return IndexedPage(
        ref=page_ref(source),
        document=source["document"],
        sequence=source["sequence"],
        url=source["url"],
        kind=source["kind"],
        updated=datetime.fromisoformat(source["updated"]) if source["updated"] else None,
        fields={name: field["text"] for name, field in fields.items() if field["text"]},
        content_spans=tuple(
            (chunk["start"], chunk["end"]) for chunk in source.get("content", {}).get("chunks", ())
        ),
        metadata=json.loads(source.get("metadata", "{}")),
    )


def page_ref(source: Source) -> PageRef:
    """Return the reference of the page that a document's ``_source`` belongs to."""
    return PageRef(source=source["source"], id=source["page"], language=source["language"])


def _fields(update: EmbeddedPage) -> dict[str, Any]:
    unit = normalised(update.vectors)
    chunks: dict[FieldName, list[dict[str, Any]]] = {}
    for chunk, vector in zip(update.chunks, unit, strict=True):
        stored = {"position": chunk.position, "start": chunk.start, "end": chunk.end, "vector": vector}
        if chunk.ranked:
            stems = tokens(without_targets(chunk.embedded_text), update.page.ref.language)
            stored |= {"context": chunk.context, "stems": " ".join(stems)}
        chunks.setdefault(chunk.field, []).append(stored)
    texts = update.page.fields
    return {
        name: {"text": texts.get(name, ""), "chunks": chunks.get(name, [])}
        for name in FIELDS
        if name in texts or name in chunks
    }
