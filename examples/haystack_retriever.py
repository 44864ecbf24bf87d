"""A retriever for Haystack over a site of Auskunft.

pipeline.add_component("retriever", AuskunftRetriever(url="https://chat.town.example", site="town"))
pipeline.run({"retriever": {"query": "Was kostet die Hundesteuer?"}})
"""

import httpx
from haystack import Document, component


@component
class AuskunftRetriever:
    """Finds passages of the pages that answer a question, best first; ``top_k`` pages at most.

    ``source``: of its pages only. Raises ``httpx.HTTPError``.
    """

    def __init__(
        self,
        url: str,
        *,
        site: str | None = None,
        source: str | None = None,
        top_k: int = 5,
        timeout: float = 30.0,
    ) -> None:
        self.url = url
        self.site = site
        self.source = source
        self.top_k = top_k
        self.timeout = timeout

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        asked = {"q": query, "limit": top_k or self.top_k, "site": self.site, "source": self.source}
        answer = httpx.get(
            f"{self.url.rstrip('/')}/api/search",
            params={name: value for name, value in asked.items() if value is not None},
            timeout=self.timeout,
        )
        return {"documents": [_document(hit) for hit in answer.raise_for_status().json()["hits"]]}


def _document(hit: dict) -> Document:
    return Document(
        content="\n\n".join(passage["text"] for passage in hit["passages"]),
        meta={
            "url": hit["href"] or hit["url"],  # opens the page at the passage
            "title": hit["title"],
            "language": hit["language"],
        },
        score=hit["score"],
    )
