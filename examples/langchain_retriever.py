"""A retriever for LangChain over a site of Auskunft.

retriever = AuskunftRetriever(url="https://chat.town.example", site="town", k=5)
documents = retriever.invoke("Was kostet die Hundesteuer?")
"""

import httpx
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever


class AuskunftRetriever(BaseRetriever):
    """Finds passages of the pages that answer a question, best first; ``k`` pages at most.

    ``source``: of its pages only. Raises ``httpx.HTTPError``.
    """

    url: str
    site: str | None = None
    source: str | None = None
    k: int = 5
    timeout: float = 30.0

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        asked = {"q": query, "limit": self.k, "site": self.site, "source": self.source}
        answer = httpx.get(
            f"{self.url.rstrip('/')}/api/search",
            params={name: value for name, value in asked.items() if value is not None},
            timeout=self.timeout,
        )
        return [_document(hit) for hit in answer.raise_for_status().json()["hits"]]


def _document(hit: dict) -> Document:
    return Document(
        id=f"{hit['source']}/{hit['id']}/{hit['language']}",
        page_content="\n\n".join(passage["text"] for passage in hit["passages"]),
        metadata={
            "source": hit["href"] or hit["url"],  # opens the page at the passage
            "title": hit["title"],
            "language": hit["language"],
            "score": hit["score"],
        },
    )
