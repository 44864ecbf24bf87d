"""Shared by commands and steps that measure answers: checks of a pool's gold, and the notes of a run."""

from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import Any, Final

from app.errors import PoolError
from app.features.evaluation.metrics import JudgedQuestion
from app.features.evaluation.pool import MissingGold, MissingSpans, PoolQuestion, missing_gold
from app.presets import Preset
from app.services import Services
from ingest.fingerprints import text_hash
from ingest.protocols import Recipe
from ingest.types import PageRef

SHOWN_GOLD: Final = 3
REMEDY: Final = "index them, or correct their ids (`auskunft pages` lists all)"


def known_gold(pool: str, questions: Sequence[PoolQuestion], served: Sequence[PageRef]) -> MissingGold:
    """Return the pool's gold that is not served. Raises ``PoolError`` if none of its gold is served."""
    missing = missing_gold(questions, {ref.id for ref in served})
    if missing.gold and len(missing.gold) == missing.total:
        raise PoolError(
            "{pool}: none of its gold pages is indexed ({named}): index them, or correct their ids "
            "(`auskunft pages` lists all)",
            pool=pool,
            named=_named(missing),
        )
    return missing


def run_configuration(
    services: Services, preset: Preset, sources: frozenset[str], embedder: Recipe
) -> dict[str, Any]:
    """Describe the configuration, to be kept with the run."""
    return {
        "auskunft": version("auskunft"),
        "preset": preset.name,
        "preset_hash": text_hash(preset.model_dump_json())[:16],
        "embedder": dict(embedder),
        "reranker": services.settings.reranker if preset.question.rerank else None,
        "index": services.settings.index,
        "sources": sorted(sources),
        "model": None,
        "energy": services.chat.energy.basis,
    }


def notes(missing: MissingGold, spans: MissingSpans, *, not_reranked: int) -> dict[str, dict[str, Any]]:
    """Make notes, by kind, on what is missing and does not count. ``not_reranked``: number of questions."""
    found = {}
    if missing.gold:
        found["missing_gold"] = missing_note(missing)
    if spans.spans:
        found["missing_spans"] = _missing_spans(spans)
    if not_reranked:
        found["not_reranked"] = _not_reranked(not_reranked)
    return found


def not_reranked(judged: Iterable[JudgedQuestion]) -> int:
    """Count the questions whose pages got no scores from the reranker."""
    return sum("reranker_unavailable" in each.degraded for each in judged)


def _missing_spans(missing: MissingSpans) -> dict[str, Any]:
    first = [f"{span.page} ({span.language})" for span in missing.spans[:SHOWN_GOLD]]
    found = f"{len(missing.spans)} of {missing.total} spans of law are not in the index ({', '.join(first)})"
    return {
        "spans": len(missing.spans),
        "of": missing.total,
        "questions": missing.questions,
        "first": first,
        "warning": f"{found}: index the acts in these versions and languages. "
        f"{missing.questions} questions have no other and are not judged by their text.",
    }


def _not_reranked(questions: int) -> dict[str, Any]:
    warning = f"the reranker gave no scores for {questions:,} questions, whose pages count as they were found"
    return {"questions": questions, "warning": f"{warning}: `auskunft status` and the log say why."}


def missing_note(missing: MissingGold) -> dict[str, Any]:
    """Make a note on gold that is not indexed."""
    found = f"{len(missing.gold)} of {missing.total} gold pages are not indexed ({_named(missing)})"
    counted = f"{missing.questions} questions have no other gold page and count as not found"
    return {
        "pages": len(missing.gold),
        "of": missing.total,
        "questions": missing.questions,
        "first": [str(gold) for gold in missing.gold[:SHOWN_GOLD]],
        "warning": f"{found}: {REMEDY}. {counted}.",
    }


def _named(missing: MissingGold) -> str:
    named = ", ".join(str(gold) for gold in missing.gold[:SHOWN_GOLD])
    return named if len(missing.gold) <= SHOWN_GOLD else f"{named}, …"
