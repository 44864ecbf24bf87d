# mypy: ignore-errors
"""Texts that LlamaIndex's ingestion pipeline embeds. Runs in an environment of its own
(``benchmarks/peers.py``).

Splitter: ``SentenceSplitter`` with its defaults, 1,024 tokens, 200 of them shared. Indexing:
``IngestionPipeline`` with a document store, which skips unchanged documents, and its cache.
"""

import json
import sys
from importlib.metadata import version

from llama_index.core import Document
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import SimpleVectorStore

embedded = []


class Noted(BaseEmbedding):
    """Records the texts instead of embedding them."""

    def _get_text_embedding(self, text):
        embedded[-1].append(text)
        return [1.0]

    def _get_query_embedding(self, query):
        return [1.0]

    async def _aget_query_embedding(self, query):
        return [1.0]


pipeline = IngestionPipeline(
    transformations=[SentenceSplitter(), Noted()],
    docstore=SimpleDocumentStore(),
    docstore_strategy=DocstoreStrategy.UPSERTS,
    vector_store=SimpleVectorStore(),
)
for pages in json.load(sys.stdin):
    embedded.append([])
    pipeline.run(
        documents=[
            Document(
                text=page["markdown"], doc_id=page["url"] or page["id"], metadata={"title": page["title"]}
            )
            for page in pages
        ]
    )
json.dump({"version": version("llama-index-core"), "embedded": embedded}, sys.stdout)
