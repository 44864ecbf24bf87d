"""Finds why a question was not answered from a page, and what would have to change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal

from app.features.explain.search_trace import SearchTrace
from app.features.explain.trace import QuestionTrace
from app.features.explain.weighing import WeighedPage, weighed_page
from app.pages.page_list import PageList
from app.pages.types import PageDetails
from app.search.filters import admits
from app.search.index import SearchIndex
from app.search.types import Candidate, collection_of
from ingest.types import UNDETERMINED, FieldName, PageRef

Cause = Literal[
    "unknown",
    "to_fetch",
    "deleted",
    "taken_out",
    "not_published_yet",
    "no_longer_published",
    "other_source",
    "not_indexed",
    "failed",
    "not_in_index",
    "not_searched",
    "named_text",
    "not_in_force",
    "filtered_out",
    "words_missing",
    "too_far",
    "not_near_enough",
    "same_as_better",
    "outranked",
    "refused",
    "not_read",
    "read",
]
"""Causes that keep a page out of an answer. ``not_near_enough``: enough other pages are nearer. ``refused``:
pages were found, but none that answers the question. ``not_read``: other pages took the room in the prompt.
``read``: the page was read, so nothing kept it out."""

RemedyCode = Literal[
    "send_page",
    "wait_for_fetch",
    "publish_again",
    "bring_back",
    "wait_until_published",
    "extend_publication",
    "add_source",
    "wait_for_index",
    "mend_page",
    "reconcile",
    "ask_a_question",
    "ask_about_page",
    "ask_without_filter",
    "wait_for_newest",
    "add_words",
    "add_heading",
    "come_nearer",
    "beat_page",
    "differ_from_page",
    "answer_clearly",
    "come_first",
    "none",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """A change that would help. ``values``: for the placeholders of its sentence
    (:func:`app.features.explain.why_not_document.remedy_sentence`)."""

    code: RemedyCode
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """The reason why a page is not in the answer. ``name``: as it was asked for; ``page``: ``None`` if it is
    unknown. ``number``: of the source in the answer, if it was read. ``is_older_version``: True if the index
    does not have the newest version yet."""

    name: str
    page: PageRef | None
    details: PageDetails | None
    cause: Cause
    number: int | None = None
    is_older_version: bool = False
    weighed: WeighedPage | None = None
    remedies: tuple[Remedy, ...] = ()


def why_not(
    trace: QuestionTrace,
    name: str,
    refs: Sequence[PageRef],
    pages: PageList,
    index: SearchIndex,
) -> WhyNot:
    """Say why the question of ``trace`` is not answered from a page.

    ``name``: as it was asked for; ``refs``: the pages with this name, of which the one in the question's
    language counts. Raises ``IndexUnavailableError`` and ``PageStoreUnavailableError``.
    """
    ref = _in_language(refs, trace)
    if ref is None:
        return WhyNot(
            name=name, page=None, details=None, cause="unknown", remedies=(Remedy(code="send_page"),)
        )
    details = pages.find_details(ref)
    if details is None:
        return WhyNot(
            name=name, page=ref, details=None, cause="to_fetch", remedies=(Remedy(code="wait_for_fetch"),)
        )
    stored = _state_cause(details, trace.sources, datetime.now(UTC))
    if stored is not None:
        cause, remedy = stored
        return WhyNot(name=name, page=ref, details=details, cause=cause, remedies=(remedy,))
    weighed = _best_weighed(index, trace, ref)
    cause, number = _search_cause(trace, weighed, ref)
    remedies = _remedies(trace, cause, weighed)
    if details.is_older_version:
        remedies = (Remedy(code="wait_for_newest", values={"reason": details.record.reason}), *remedies)
    return WhyNot(
        name=name,
        page=ref,
        details=details,
        cause=cause,
        number=number,
        is_older_version=details.is_older_version,
        weighed=weighed,
        remedies=remedies,
    )


def _in_language(refs: Sequence[PageRef], trace: QuestionTrace) -> PageRef | None:
    """Return the first page, preferably of a searched source, then in the question's language."""
    wanted = {search.query.language for search in trace.searches} | {UNDETERMINED}
    ordered = sorted(refs, key=lambda ref: (ref.source not in trace.sources, ref.language not in wanted))
    return next(iter(ordered), None)


def _state_cause(details: PageDetails, sources: frozenset[str], now: datetime) -> tuple[Cause, Remedy] | None:
    """Return the cause and the remedy if the state in the page store keeps the page from being found."""
    if details.deleted:
        return "deleted", Remedy(code="publish_again")
    if details.excluded:
        return "taken_out", Remedy(code="bring_back")
    if details.ref.source not in sources:
        return "other_source", Remedy(code="add_source", values={"source": details.ref.source})
    return _publication_cause(details, now) or _index_cause(details)


def _publication_cause(details: PageDetails, now: datetime) -> tuple[Cause, Remedy] | None:
    start, end = details.publish_from, details.publish_until
    if start is not None and start > now:
        return "not_published_yet", Remedy(code="wait_until_published", values={"from": f"{start:%F}"})
    if end is not None and end <= now:
        return "no_longer_published", Remedy(code="extend_publication", values={"until": f"{end:%F}"})
    return None


def _index_cause(details: PageDetails) -> tuple[Cause, Remedy] | None:
    reason = {"reason": details.record.reason}
    if details.indexed_sequence:
        return None
    if details.record.state == "failed":
        return "failed", Remedy(code="mend_page", values=reason)
    return "not_indexed", Remedy(code="wait_for_index", values=reason)


def _best_weighed(index: SearchIndex, trace: QuestionTrace, ref: PageRef) -> WeighedPage | None:
    """Weigh the page in the search in which it came farthest; return ``None`` if the index does not have it,
    or nothing was searched."""
    weighed = (weighed_page(index, search, ref, number) for number, search in enumerate(trace.searches))
    return min((each for each in weighed if each is not None), key=_distance, default=None)


def _distance(weighed: WeighedPage) -> tuple[bool, float]:
    return not weighed.is_qualified, weighed.place or float("inf")


def _search_cause(
    trace: QuestionTrace, weighed: WeighedPage | None, ref: PageRef
) -> tuple[Cause, int | None]:
    """Return what kept a searchable page out of the answer, and its number if it was read."""
    context, found = trace.context, trace.found
    used = {source.page.ref: source.number for source in context.used} if context else {}
    if ref in used and not trace.refused:
        return "read", used[ref]
    if found is None:
        return "not_searched", None
    if ref in {hit.page.ref for hit in found.all_hits}:
        return ("refused" if trace.refused else "not_read"), None
    if found.mode == "lookup":
        return "named_text", None
    if weighed is None:
        return "not_in_index", None
    return _ranking_cause(trace.searches[weighed.search], weighed, ref), None


def _ranking_cause(search: SearchTrace, weighed: WeighedPage, ref: PageRef) -> Cause:
    if collection_of(weighed.candidate.page) in search.query.scope.hidden:
        return "not_in_force"
    if not admits(search.query.filters, weighed.candidate.page.metadata):
        return "filtered_out"
    if not weighed.is_qualified:
        return "words_missing" if weighed.thresholds is None else "too_far"
    if not weighed.was_candidate:
        return "not_near_enough"
    is_collapsed = search.distinct and ref not in search.distinct
    return "same_as_better" if is_collapsed else "outranked"


_FIXED: Final[Mapping[Cause, RemedyCode]] = {
    "read": "none",
    "not_searched": "ask_a_question",
    "named_text": "ask_about_page",
    "not_in_force": "ask_about_page",
    "filtered_out": "ask_without_filter",
    "not_in_index": "reconcile",
}
"""Remedies for causes that do not depend on the page's text."""


def _remedies(trace: QuestionTrace, cause: Cause, weighed: WeighedPage | None) -> tuple[Remedy, ...]:
    if cause in _FIXED:
        return (Remedy(code=_FIXED[cause]),)
    if cause == "not_read":
        return (Remedy(code="come_first", values={"tokens": str(trace.budget_tokens or 0)}),)
    if weighed is None:
        return ()
    first = [_answer_clearly(trace, weighed)] if cause == "refused" else []
    by_text = *_word_remedies(weighed), *_meaning_remedies(weighed)
    return (*first, *by_text, *_rival_remedies(cause, weighed))


def _answer_clearly(trace: QuestionTrace, weighed: WeighedPage) -> Remedy:
    judged = trace.searches[weighed.search].judged
    if judged is None:
        return Remedy(code="answer_clearly", values={"score": "0.00", "threshold": "0.00"})
    return Remedy(
        code="answer_clearly",
        values={"score": f"{judged.score:.2f}", "threshold": f"{judged.threshold:.2f}"},
    )


def _word_remedies(weighed: WeighedPage) -> Iterator[Remedy]:
    missing = weighed.words_missing
    if missing:
        yield Remedy(code="add_words", values={"words": ", ".join(missing)})
    if in_text := [word for word in weighed.words_not_in_headings if word not in missing]:
        yield Remedy(code="add_heading", values={"words": ", ".join(in_text)})


def _meaning_remedies(weighed: WeighedPage) -> Iterator[Remedy]:
    name = _nearest_field(weighed.candidate)
    if weighed.thresholds is None or name is None:
        return
    cosine, threshold = weighed.candidate.similarity[name], getattr(weighed.thresholds, name)
    if cosine < threshold:
        digits = 2 if f"{cosine:.2f}" != f"{threshold:.2f}" else 4
        values = {
            "field": name,
            "similarity": f"{cosine:.{digits}f}",
            "threshold": f"{threshold:.{digits}f}",
        }
        yield Remedy(code="come_nearer", values=values)


def _rival_remedies(cause: Cause, weighed: WeighedPage) -> Iterator[Remedy]:
    if not weighed.rivals:
        return
    first, last = weighed.rivals[0], weighed.rivals[-1]
    if cause == "same_as_better":
        yield Remedy(code="differ_from_page", values={"title": first.page.title})
    elif last.strongest:
        yield Remedy(code="beat_page", values={"title": last.page.title, "part": last.strongest})


def _nearest_field(candidate: Candidate) -> FieldName | None:
    """Return ``content`` if it has vectors, otherwise the nearest field."""
    similarity = candidate.similarity
    if "content" in similarity:
        return "content"
    return max(similarity, key=lambda name: similarity[name], default=None)
