"""The JSON document of what a draft says to visitors' questions. Pure functions."""

from collections.abc import Mapping
from typing import Any

from app.features.explain.drafts import DraftAnswer, DraftReport
from app.features.explain.trace_document import page_document
from ingest.types import FieldName


def draft_document(report: DraftReport) -> dict[str, Any]:
    """What the draft would answer, and how it was cut."""
    page = report.page
    return {
        "language": page.page.ref.language,
        "fields": dict(page.page.fields),
        "chunks": [{"field": chunk.field, "start": chunk.start, "end": chunk.end} for chunk in page.chunks],
        "unanswered": list(map(_answer, report.unanswered)),
        "answered": list(map(_answer, report.answered)),
        "answers": sum(each.answers for each in report.unanswered),
        "beats": sum(each.beats for each in report.answered),
        "left": report.left,
    }


def _answer(answer: DraftAnswer) -> dict[str, Any]:
    weighed, winner, block = answer.weighed, answer.winner, answer.block
    return {
        "question": answer.asked.question,
        "asked_at": answer.asked.asked_at.isoformat(timespec="seconds"),
        "outcome": answer.asked.outcome,
        "answers": answer.answers,
        "beats": answer.beats,
        "certainty": answer.certainty,
        "passed": weighed.is_qualified,
        "place": weighed.place,
        "score": round(weighed.score, 4),
        "coverage": round(weighed.candidate.coverage, 4),
        "similarity": _rounded(weighed.candidate.similarity),
        "words_missing": list(weighed.words_missing),
        "block": None if block is None else {"headings": list(block.headings), "text": block.markdown},
        "winner": None
        if winner is None
        else page_document(winner.page)
        | {
            "score": round(winner.score, 4),
            "coverage": round(winner.coverage, 4),
            "similarity": _rounded(winner.similarity),
        },
    }


def _rounded(similarity: Mapping[FieldName, float]) -> dict[str, float]:
    return {name: round(cosine, 4) for name, cosine in similarity.items()}
