# mypy: ignore-errors
"""Texts that LangChain's indexing API embeds. Runs in an environment of its own
(``benchmarks/peers.py``).

Splitter: ``RecursiveCharacterTextSplitter`` with 1,000 characters, 200 of them shared, as in LangChain's
tutorials. Indexing: ``index`` with a record manager, ``cleanup="incremental"``.
"""

import json
import sys
from importlib.metadata import version

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

embedded = []


class Noted(Embeddings):
    """Records the texts instead of embedding them."""

    def embed_documents(self, texts):
        embedded[-1].extend(texts)
        return [[1.0] for _ in texts]

    def embed_query(self, text):
        return [1.0]


splitter = RecursiveCharacterTextSplitter(chunk_size=1_000, chunk_overlap=200)
records = InMemoryRecordManager(namespace="pages")
records.create_schema()
store = InMemoryVectorStore(Noted())
for pages in json.load(sys.stdin):
    embedded.append([])
    documents = [
        Document(
            page_content=page["markdown"],
            metadata={"source": page["url"] or page["id"], "title": page["title"]},
        )
        for page in pages
    ]
    index(
        splitter.split_documents(documents),
        records,
        store,
        cleanup="incremental",
        source_id_key="source",
        key_encoder="sha256",
    )
json.dump({"version": version("langchain-core"), "embedded": embedded}, sys.stdout)
