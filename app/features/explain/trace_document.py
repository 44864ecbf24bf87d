"""The JSON document of a question's trace."""

from collections.abc import Mapping
from typing import Annotated, Final, Self

from app.chat.documents import AnswerDocument, PassageDocument, source_documents
from app.chat.records import QuestionRephrased
from app.chat.source_items import page_tokens
from app.chat.text.render import renderer_of
from app.document import Document, Rounded, Sometimes, rounded
from app.features.explain.search_documents import TracedPageDocument, TracedSearchDocument, excerpt
from app.features.explain.trace import QuestionTrace, StepTrace
from app.features.explain.why_not import WhyNot
from app.features.explain.why_not_document import WhyNotDocument
from app.search.blocks import FoundBlock
from app.search.retrieval import Degradation, Hit, RetrievalMode
from ingest.types import PageRef

BLOCKS: Final = 50

_Seconds = Annotated[float, rounded(5)]


class TracedAnswerDocument(AnswerDocument):
    """The answer as visitors get it."""

    degraded: list[Degradation]
    html: str


class RephrasedDocument(Document):
    """The question as the model rephrased it. ``rejected``: the reason why it was not used."""

    question: str | None
    keywords: list[str]
    rejected: str | None

    @classmethod
    def of(cls, step: QuestionRephrased) -> Self:
        """Describe a question that was rephrased."""
        made = step.rephrased
        return cls(
            question=made.question if made else None,
            keywords=made.keywords if made else [],
            rejected=step.rejected,
        )


class TranslationDocument(Document):
    """The question in another language."""

    language: str
    question: str
    accepted: bool


class SpanDocument(Document):
    """A chunk near the question, by its byte offsets."""

    start: int
    end: int
    relevance: Rounded


class LinkedPageDocument(TracedPageDocument):
    """A page to be read with another."""

    link: str | None


class FoundPageDocument(TracedPageDocument):
    """A page that all searches together found."""

    rank: int
    score: Rounded
    passages: list[PassageDocument]
    near: list[SpanDocument]
    linked: list[LinkedPageDocument]


class FoundPagesDocument(Document):
    """The pages of all searches together."""

    question: str
    mode: RetrievalMode | None
    degraded: list[Degradation]
    certainty: str
    relevance: Rounded | None
    hits: list[FoundPageDocument]
    offered: list[TracedPageDocument]

    @classmethod
    def of(cls, trace: QuestionTrace) -> Self | None:
        """Describe what was found; ``None`` without a search."""
        found = trace.found
        if found is None:
            return None
        return cls.from_objects(
            found,
            hits=list(map(_found, found.hits)),
            offered=[TracedPageDocument.of(hit.page) for hit in found.keyword_hits],
        )


class ReadPassageDocument(Document):
    """A passage that was read, by its byte offsets."""

    field: str
    start: int
    end: int


class ReadPageDocument(TracedPageDocument):
    """A page that was read, or cut."""

    number: int | None
    used: bool
    earlier: bool
    text: str
    characters: int
    tokens: int
    page_characters: int
    passages: list[ReadPassageDocument]


class ReadDocument(Document):
    """The pages that were read, and those that the budget cut."""

    budget_tokens: int | None
    tokens: int
    whole_site: bool
    sources: list[ReadPageDocument]

    @classmethod
    def of(cls, trace: QuestionTrace) -> Self | None:
        """Describe what was read; ``None`` if nothing."""
        context = trace.context
        if context is None:
            return None
        return cls(
            budget_tokens=trace.budget_tokens,
            tokens=sum(page_tokens(source.page, source.text) for source in context.used),
            whole_site=context.is_corpus,
            sources=[
                ReadPageDocument.of(
                    source.page,
                    source,
                    characters=len(source.text),
                    tokens=page_tokens(source.page, source.text) if source.used else 0,
                    page_characters=len(source.page.fields.get("content", "")),
                )
                for source in context.sources
            ],
        )


class BlockDocument(TracedPageDocument):
    """A block of a page that was found. ``read``: True if the block was read."""

    kind: str
    headings: list[str]
    score: Rounded
    start: int
    end: int
    characters: int
    read: bool
    text: str


class MessageDocument(Document):
    """A message of the prompt."""

    role: str
    content: str


class PartDocument(Document):
    """A part of a step and its time."""

    part: str
    seconds: _Seconds


class StepDocument(Document):
    """A step of the answer, its time, and that of its parts."""

    step: str
    seconds: _Seconds
    parts: list[PartDocument]

    @classmethod
    def of(cls, step: StepTrace) -> Self:
        """Describe a step."""
        parts = [PartDocument(part=type(each.part).__name__, seconds=each.seconds) for each in step.parts]
        return cls(step=step.name, seconds=step.seconds, parts=parts)


class TraceDocument(Document):
    """A question's trace. ``why_not``: only if a page was asked about."""

    question: str
    answer: TracedAnswerDocument
    sources: list[str]
    rephrased: RephrasedDocument | None
    translations: list[TranslationDocument]
    looked_up: list[TracedPageDocument]
    searches: list[TracedSearchDocument]
    found: FoundPagesDocument | None
    refused: str | None
    second_search: str
    read: ReadDocument | None
    blocks: list[BlockDocument]
    prompt: list[MessageDocument]
    steps: list[StepDocument]
    seconds: _Seconds
    why_not: Sometimes[WhyNotDocument] = None

    @classmethod
    def of(cls, trace: QuestionTrace, why: WhyNot | None = None, language: str = "en") -> Self:
        """Describe a trace, and why a page is not in the answer. ``language``: of the sentences in it."""
        looked_up = trace.looked_up.hits if trace.looked_up else ()
        return cls(
            question=trace.question,
            answer=_answer(trace),
            sources=sorted(trace.sources),
            rephrased=None if trace.rephrased is None else RephrasedDocument.of(trace.rephrased),
            translations=[
                TranslationDocument(language=each.language, question=each.text, accepted=each.accepted)
                for each in trace.translated
            ],
            looked_up=[TracedPageDocument.of(hit.page) for hit in looked_up],
            searches=list(map(TracedSearchDocument.of, trace.searches)),
            found=FoundPagesDocument.of(trace),
            refused=trace.refused.reason if trace.refused else None,
            second_search=trace.wanted,
            read=ReadDocument.of(trace),
            blocks=_blocks(trace),
            prompt=trace.messages,
            steps=list(map(StepDocument.of, trace.steps)),
            seconds=trace.seconds,
            why_not=None if why is None else WhyNotDocument.of(why, language),
        )


def _answer(trace: QuestionTrace) -> TracedAnswerDocument:
    sources = source_documents(trace.question, trace.done)
    answer = AnswerDocument.of(trace.question, trace.done, sources)
    curated = trace.done.curated
    all_links = curated is not None and curated.is_text
    html = renderer_of(sources, all_links=all_links).render(trace.done.answer)
    return TracedAnswerDocument(**dict(answer), html=html)


def _found(hit: Hit) -> FoundPageDocument:
    return FoundPageDocument.of(
        hit.page,
        hit,
        near=hit.near_chunks,
        linked=[LinkedPageDocument.of(each.page, link=each.link) for each in hit.linked],
    )


def _blocks(trace: QuestionTrace) -> list[BlockDocument]:
    """Describe the best blocks of all pages found."""
    if trace.context is None:
        return []
    texts = {source.page.ref: source.text for source in trace.context.used}
    return [_block(block, texts) for block in trace.context.blocks[:BLOCKS]]


def _block(block: FoundBlock, texts: Mapping[PageRef, str]) -> BlockDocument:
    return BlockDocument.of(
        block.page,
        block,
        block.passage,
        kind=block.kind,
        characters=len(block.markdown),
        read=block.passage.text.strip() in texts.get(block.page.ref, ""),
        text=excerpt(block.markdown),
    )
