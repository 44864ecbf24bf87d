# mypy: ignore-errors
"""Texts that a Haystack indexing pipeline embeds. Runs in an environment of its own
(``benchmarks/peers.py``).

Splitter: ``DocumentSplitter`` with its defaults, 200 words. Indexing: splitter, embedder, and then a
``DocumentWriter`` that skips documents which the store has.
"""

import json
import logging
import os
import sys
from importlib.metadata import version

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack import Document, Pipeline, component
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.writers import DocumentWriter
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.document_stores.types import DuplicatePolicy

logging.getLogger("haystack").setLevel(logging.ERROR)  # it warns of each text that the store has
embedded = []


@component
class Noted:
    """Records the texts instead of embedding them."""

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]):
        embedded[-1].extend(document.content for document in documents)
        return {"documents": documents}


pipeline = Pipeline()
pipeline.add_component("splitter", DocumentSplitter())
pipeline.add_component("embedder", Noted())
pipeline.add_component("writer", DocumentWriter(InMemoryDocumentStore(), policy=DuplicatePolicy.SKIP))
pipeline.connect("splitter", "embedder")
pipeline.connect("embedder", "writer")
for pages in json.load(sys.stdin):
    embedded.append([])
    documents = [
        Document(content=page["markdown"], meta={"url": page["url"], "title": page["title"]})
        for page in pages
    ]
    pipeline.run({"splitter": {"documents": documents}})
json.dump({"version": version("haystack-ai"), "embedded": embedded}, sys.stdout)
