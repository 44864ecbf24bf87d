"""An installation of real parts whose contexts a scripted model writes."""

from pathlib import Path
from typing import Final

from app.chat.model.client import ChatModel
from app.chat.model.prompts import PACKAGE_PROMPTS
from app.features.contexts.author import ContextAuthor
from app.features.contexts.writer import ContextWriter
from app.indexing.stopping import Stop, never
from app.pages.counters import Counters
from app.pages.workers import WorkerRegistry
from ingest.types import Chunk, FieldName, PageRef
from tests.app.features.contexts.context_world import ContextWorld
from tests.fakes.llm import FakeLlm
from tests.fakes.world import raw_page

SENTENCE: Final = "The dog tax is due in spring and costs a little more for the second dog. "
TEXT: Final = f"## Amount\n\n{SENTENCE * 12}\n\n## Payment\n\n{SENTENCE * 12}"


class Scriptorium:
    """``world`` with a ``writer`` of contexts for it."""

    def __init__(self, folder: Path, llm: FakeLlm) -> None:
        self.world = ContextWorld(folder)
        self.base_url = llm.base_url
        self.folder = folder
        self.writer = self.new_writer()

    def new_writer(
        self,
        *,
        parallel: int = 2,
        seconds: float = 20,
        daily_tokens: int = 0,
        document_tokens: int = 6_000,
        retry_seconds: float = 0,
        workers: WorkerRegistry | None = None,
    ) -> ContextWriter:
        """A writer as the settings would make it."""
        return ContextWriter(
            store=self.world.context_store,
            pages=self.world.store,
            contexts=self.world.contexts,
            author=ContextAuthor(
                model=ChatModel(self.base_url, "", "fake", retries=0),
                prompts=PACKAGE_PROMPTS,
                glossary="",
                document_tokens=document_tokens,
                answer_tokens=150,
                seconds=seconds,
            ),
            counters=Counters(self.world.engine),
            workers=workers or self.world.workers,
            prepare=self.world.pipeline.prepare,
            parallel=parallel,
            work_seconds=60,
            retry_seconds=retry_seconds,
            daily_tokens=daily_tokens,
        )

    def save(self, *page_ids: str, text: str = TEXT) -> None:
        """Save and index pages."""
        fields: dict[FieldName, str] = {"title": "Dog tax", "content": text}
        self.world.save(
            *(raw_page(page_id, {**fields, "title": f"Dog tax {page_id}"}) for page_id in page_ids)
        )

    def write(self, stop: Stop = never) -> list[PageRef]:
        """Write until nothing is due, and index what is complete."""
        complete: list[PageRef] = []
        while (some := self.writer.run_once(stop)) is not None:
            complete += some
            self.world.drain()
        return complete

    def chunks(self, page_id: str) -> list[Chunk]:
        """The chunks of a page's content, with what is known of their contexts."""
        [version] = self.world.store.read([PageRef(source="town", id=page_id, language="en")])
        assert version.page is not None
        prepared = self.world.pipeline.prepare(version.page, version.sequence)
        [page] = self.world.contexts.put_in([prepared])
        return [chunk for chunk in page.page.chunks if chunk.field == "content"]

    def are_embedded(self, page_id: str) -> bool:
        """True if the chunks of a page were embedded with a context each."""
        texts = [chunk.embedded_text for chunk in self.chunks(page_id)]
        with_contexts = all(chunk.context.count("\n") == 1 for chunk in self.chunks(page_id))
        return with_contexts and set(texts) <= set(self.world.embedder.embedded)
