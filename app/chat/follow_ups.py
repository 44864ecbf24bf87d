"""What a follow-up question finds without a model that could rephrase it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest

from app.chat.types import Turn
from app.search import analysis
from app.search.retrieve import SHORT_WORDS
from app.search.types import Hit, Retrieval
from ingest.types import PageRef


def search_follow_up(search: Callable[[str], Retrieval], question: str, history: Sequence[Turn]) -> Retrieval:
    """The question is searched for after the visitor's previous one, and alone, as it may begin a new
    subject; the pages found take turns, as many as one search found. Without ``history``, the question alone.

    Measured on a government website (docs/quality.md): of questions on a new subject 99 % find their page
    among five, after the previous one only 90 %; of 8 real follow-ups all do both ways, alone half.
    """
    previous = next((turn.content for turn in reversed(history) if turn.role == "user"), "")
    if not previous:
        return search(question)
    joined = search(f"{previous} {question}")
    if len(analysis.words(question)) < SHORT_WORDS:
        return joined
    alone = search(question)
    limit = max(len(joined.hits), len(alone.hits))
    return replace(
        joined,
        hits=_taking_turns(joined.hits, alone.hits)[:limit],
        keyword_hits=joined.keyword_hits or alone.keyword_hits,
        degraded=tuple(dict.fromkeys((*joined.degraded, *alone.degraded))),
    )


def _taking_turns(first: Sequence[Hit], second: Sequence[Hit]) -> tuple[Hit, ...]:
    """Every page once, where it comes first."""
    ordered: dict[PageRef, Hit] = {}
    for pair in zip_longest(first, second):
        for hit in pair:
            if hit is not None:
                ordered.setdefault(hit.page.ref, hit)
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(ordered.values(), start=1))
