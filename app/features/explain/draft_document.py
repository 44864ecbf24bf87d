"""The JSON documents of a draft's answers to visitors' questions."""

from typing import Self

from app.chat.outcomes import Outcome
from app.chat.text.plain_text import plain_text
from app.document import Document, Moment, Rounded
from app.features.explain.drafts import CmsReport, DraftAnswer, DraftReport
from app.features.explain.search_documents import TracedPageDocument
from app.search.drafts import Objection
from app.search.types import IndexedPage


class FirstPageDocument(TracedPageDocument):
    """The page that comes first today."""

    score: Rounded
    coverage: Rounded
    similarity: dict[str, Rounded]


class DraftBlockDocument(Document):
    """The draft's best block."""

    headings: list[str]
    text: str


class DraftAnswerDocument(Document):
    """The draft's answer to a question, beside today's first page."""

    question: str
    asked_at: Moment
    outcome: str
    answers: bool
    beats: bool
    certainty: str
    passed: bool
    place: int | None
    score: Rounded
    coverage: Rounded
    similarity: dict[str, Rounded]
    words_missing: list[str]
    block: DraftBlockDocument | None
    winner: FirstPageDocument | None

    @classmethod
    def of(cls, answer: DraftAnswer) -> Self:
        """Describe an answer of the draft."""
        weighed, winner, block = answer.weighed, answer.winner, answer.block
        return cls.from_objects(
            answer.asked,
            answers=answer.answers,
            beats=answer.beats,
            certainty=answer.certainty,
            passed=weighed.is_qualified,
            place=weighed.place,
            score=weighed.score,
            coverage=weighed.candidate.coverage,
            similarity=weighed.candidate.similarity,
            words_missing=weighed.words_missing,
            block=None if block is None else DraftBlockDocument(headings=block.headings, text=block.markdown),
            winner=None
            if winner is None
            else FirstPageDocument.of(
                winner.page, score=winner.score, coverage=winner.coverage, similarity=winner.similarity
            ),
        )


class DraftChunkDocument(Document):
    """A chunk of the draft, by its byte offsets."""

    field: str
    start: int
    end: int


class DraftDocument(Document):
    """A draft with its chunks and its answers to visitors' questions."""

    language: str
    fields: dict[str, str]
    chunks: list[DraftChunkDocument]
    unanswered: list[DraftAnswerDocument]
    answered: list[DraftAnswerDocument]
    answers: int
    beats: int
    left: int

    @classmethod
    def of(cls, report: DraftReport) -> Self:
        """Describe a report about a draft."""
        page = report.page
        return cls(
            language=page.page.ref.language,
            fields=page.page.fields,
            chunks=page.chunks,
            unanswered=list(map(DraftAnswerDocument.of, report.unanswered)),
            answered=list(map(DraftAnswerDocument.of, report.answered)),
            answers=sum(each.answers for each in report.unanswered),
            beats=sum(each.beats for each in report.answered),
            left=report.left,
        )


class LinkedPageDocument(Document):
    """A published page. ``url``: empty if it is not a web address."""

    title: str
    url: str

    @classmethod
    def of(cls, page: IndexedPage) -> Self:
        """Describe a page."""
        is_web = page.url.startswith(("https://", "http://"))
        return cls(title=page.title or page.ref.id, url=page.url if is_web else "")


class CmsAnswerDocument(Document):
    """A draft's answer to a question. ``outcome``: the question's if the draft were published; ``passage``:
    of the draft, empty if it does not answer; ``before``: the page that would come first, if it is not the
    draft."""

    question: str
    outcome: Outcome
    passage: str
    before: LinkedPageDocument | None

    @classmethod
    def of(cls, answer: DraftAnswer) -> Self:
        """Describe an answer of the draft."""
        before = None if answer.beats or answer.winner is None else answer.winner.page
        return cls(
            question=answer.question,
            outcome=answer.outcome,
            passage=plain_text(answer.block.markdown)
            if answer.block and answer.outcome != "unanswered"
            else "",
            before=LinkedPageDocument.of(before) if before else None,
        )


class ObjectionDocument(Document):
    """A published page that contradicts a draft. ``own``: the draft's statement; ``other``: the page's."""

    own: str
    other: str
    page: LinkedPageDocument

    @classmethod
    def of(cls, objection: Objection) -> Self:
        """Describe an objection."""
        return cls.from_objects(objection, page=LinkedPageDocument.of(objection.page))


class CmsReportDocument(Document):
    """The questions that a draft would answer, and what contradicts it. ``left``: the number of questions
    that there was no time for."""

    answers: list[CmsAnswerDocument]
    left: int
    contradictions: list[ObjectionDocument]

    @classmethod
    def of(cls, report: CmsReport) -> Self:
        """Describe a report for a CMS."""
        return cls(
            answers=list(map(CmsAnswerDocument.of, report.answers)),
            left=report.left,
            contradictions=list(map(ObjectionDocument.of, report.objections)),
        )
