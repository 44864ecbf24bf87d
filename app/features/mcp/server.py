"""An MCP server: language models of other programs search a site, read its pages and ask its chat.

It uses the SDK of the Model Context Protocol: https://modelcontextprotocol.io. The tools only read.
"""

from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from app.chat.events import DoneEvent
from app.chat.found_pages import FoundPage, found_pages
from app.chat.service import VisitorQuestion
from app.chat.sites import select_sources
from app.errors import InputError, NotFoundError
from app.features.mcp.boundary import ToolLimits, guarded
from app.pages.database import utc_now
from app.search.types import IndexedPage
from app.services import Services
from app.settings.sites import SiteSettings
from ingest.text import shortened
from ingest.types import PageRef

HITS: Final = 20
PAGE_CHARACTERS: Final = 50_000
"""The most of a page that is returned at once; ``offset`` continues."""

MESSAGE_CHARACTERS: Final = 200
"""The longest error about a page's name, because it repeats the name."""

_READS: Final = ToolAnnotations(read_only_hint=True, open_world_hint=False)

Document = dict[str, Any]


def make_server(services: Services, key: str | None) -> MCPServer:
    """Return the server for the site with this key, or for the main site, with the tools ``search``, ``ask``
    and ``get_page``.

    Raises ``NotFoundError``.
    """
    site = services.chat.sites.find(key, None)
    tools = SiteTools(services, site.key)
    server = MCPServer(
        "auskunft",
        title=site.name or "Auskunft",
        version=version("auskunft"),
        instructions=f"Pages of {site.name or site.key}. {site.subject}".strip(),
        log_level="WARNING",
    )
    limits = ToolLimits(site)
    for tool in (tools.search, tools.ask, tools.get_page):
        server.tool(annotations=_READS)(guarded(tool, limits))
    return server


@dataclass(frozen=True, slots=True)
class SiteTools:
    """The tools of a site. They raise ``AuskunftError``."""

    services: Services
    key: str

    def search(self, query: str, limit: int = 5) -> list[Document]:
        """Find pages of this site by meaning and words, each with the passage that matches best. In German or
        English. `get_page` gives a whole page."""
        pipeline = self.services.chat.pipelines.of(self._site())
        question = pipeline.answerer.check(query)
        retrieval = pipeline.retriever.retrieve(question, sources=self._sources())
        hits = (retrieval.hits or retrieval.keyword_hits)[: max(1, min(limit, HITS))]
        return [_hit(found) for found in found_pages(retrieval, hits)]

    def ask(self, question: str) -> Document:
        """Get an answer to a question from the pages of this site, with numbered sources. `status` says
        whether the pages answer it: answered, partly, extractive (passages verbatim), no_answer,
        out_of_scope."""
        asked = VisitorQuestion(question=question, sources=self._sources())
        exchange = self.services.chat.service.begin(self._site(), asked)
        with closing(exchange.events()) as events:
            done = next((event for event in events if isinstance(event, DoneEvent)), None)
            list(events)  # because the answer is stored when its events have ended
        if done is None:
            raise ToolError("the answer was broken off: ask again")
        sources = [
            {"number": source["number"], "title": source["title"], "url": source["href"]}
            for source in exchange.sources
            if source["number"] in (done.citations or done.probable)
        ]
        return {"answer": done.answer, "status": done.status, "sources": sources}

    def get_page(self, source: str, id: str, language: str, offset: int = 0) -> Document:  # noqa: A002
        """Get a page's text as Markdown. `source`, `id` and `language` are those that `search` gave. Of a
        long page a part is given; `next_offset` continues it."""
        page = self._page(source, id, language)
        text = page.fields.get("content", "")
        end = max(offset, 0) + PAGE_CHARACTERS
        return {
            "title": page.title,
            "url": page.url,
            "text": text[max(offset, 0) : end],
            "next_offset": end if end < len(text) else None,
        }

    def _page(self, source: str, page_id: str, language: str) -> IndexedPage:
        try:
            ref = PageRef(source=source, id=page_id, language=language)
        except ValueError as error:
            raise InputError(
                f"there is no page with this name: {shortened(str(error), MESSAGE_CHARACTERS)}"
            ) from error
        if ref.source in self._sources() and ref not in self.services.store.hidden([ref], utc_now()):
            for page in self.services.indexing.index.pages([ref]):
                return page
        raise NotFoundError("there is no such page: search gives source, id and language")

    def _site(self) -> SiteSettings:
        """Return the site as it is now, because an admin may change its texts."""
        return self.services.chat.sites.find(self.key, None)

    def _sources(self) -> frozenset[str]:
        return select_sources(self.services.store, None, within=self._site().sources)


def _hit(found: FoundPage) -> Document:
    page = found.hit.page
    return {
        "source": page.ref.source,
        "id": page.ref.id,
        "language": page.ref.language,
        "title": page.title,
        "url": found.href,
        "heading": found.heading,
        "passage": "\n".join(line.text for line in found.lines),
    }
