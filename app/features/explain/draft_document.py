"""The JSON document of what a draft says to visitors' questions."""

from typing import Self

from app.document import Document, Moment, Rounded
from app.features.explain.drafts import DraftAnswer, DraftReport
from app.features.explain.search_documents import TracedPageDocument


class FirstPageDocument(TracedPageDocument):
    """The first page today."""

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
        return cls(
            question=answer.asked.question,
            asked_at=answer.asked.asked_at,
            outcome=answer.asked.outcome,
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
        """Describe what the draft says."""
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
