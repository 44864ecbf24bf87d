"""Passages around chunks: byte slices of a field's Markdown. Pure functions.

Invariant: a passage is one slice of a field of the page, so nothing is repeated and nothing is invented.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from typing import Final

from app.presets import Thresholds
from app.search.retrieval import Hit, Passage
from app.search.types import Candidate, IndexedPage
from ingest.chunkers.windows import core_spans
from ingest.types import FIELDS, FieldName

Span = tuple[int, int]

MOST_HITS: Final = 3
"""The most chunks of a page that passages are made around."""

_WORD: Final = re.compile(r"\w+")


def whole_page(page: IndexedPage) -> tuple[Passage, ...]:
    """Return every non-empty field in full, except a description that the content repeats."""
    return tuple(
        slice_of(page, name, (0, len(text.encode())))
        for name in FIELDS
        if (text := page.fields.get(name)) is not None
        and not (name == "description" and repeats(page.fields.get("content", ""), text))
    )


def whole_content(page: IndexedPage) -> tuple[Passage, ...]:
    """Return the content in full; all fields of a page without content."""
    if "content" not in page.fields:
        return whole_page(page)
    return (slice_of(page, "content", (0, len(page.fields["content"].encode()))),)


def page_hit(page: IndexedPage, rank: int, passages: tuple[Passage, ...], ended: date | None = None) -> Hit:
    """Return a hit for a page that no search returned. ``ended``: the day from which its text no longer
    applies."""
    return Hit(rank=rank, page=page, score=0.0, coverage=0.0, similarity={}, passages=passages, ended=ended)


def merged_passages(page: IndexedPage, passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """Return passages of a page without overlaps, in the page's order."""
    spans: dict[FieldName, list[Span]] = {}
    for passage in passages:
        spans.setdefault(passage.field, []).append((passage.start, passage.end))
    return tuple(
        slice_of(page, name, span) for name in FIELDS if name in spans for span in merged_spans(spans[name])
    )


def first_chunks(page: IndexedPage, most_bytes: int) -> tuple[Passage, ...]:
    """Return the content's first chunks, at least one, up to ``most_bytes``; all fields of a page without
    content chunks."""
    if not page.content_spans:
        return whole_page(page)
    ends = [end for _, end in page.content_spans]
    end = max((end for end in ends if end <= most_bytes), default=ends[0])
    return (slice_of(page, "content", (0, end)),)


def slices(page: IndexedPage, field: FieldName, spans: Iterable[Span]) -> tuple[Passage, ...]:
    """Return the slices of a field between these character offsets."""
    text = page.fields[field]
    offsets = ((len(text[:start].encode()), len(text[:end].encode())) for start, end in spans)
    return tuple(slice_of(page, field, span) for span in offsets)


def around_hits(
    candidate: Candidate,
    thresholds: Thresholds,
    neighbours: int,
    most_bytes: int | None = None,
    searched: Collection[FieldName] = FIELDS,
) -> tuple[Passage, ...]:
    """Return the content chunks above the threshold, each with ``neighbours`` chunks on either side, or the
    best chunk if none is above it. If these have more than ``most_bytes``, use fewer neighbours, then fewer
    chunks, but at least one. Passages of the other fields are added: of those ``searched`` if they matched,
    and of those not searched."""
    page, hits = candidate.page, candidate.chunks.get("content", ())
    kept = [hit.position for hit in hits[:MOST_HITS] if thresholds.passes("content", hit.cosine)]
    if not kept:
        return _with_beside(page, best_chunk(candidate), _beside(candidate, thresholds, searched))
    narrower = [(len(kept), around) for around in range(neighbours, -1, -1)]
    narrower += [(chunks, 0) for chunks in range(len(kept) - 1, 0, -1)]
    for chunks, around in narrower:
        spans = expanded(page.content_spans, kept[:chunks], around)
        if most_bytes is None or sum(end - start for start, end in spans) <= most_bytes:
            break
    content = tuple(slice_of(page, "content", span) for span in spans)
    return _with_beside(page, content, _beside(candidate, thresholds, searched))


def _beside(
    candidate: Candidate, thresholds: Thresholds, searched: Collection[FieldName]
) -> Iterator[Passage]:
    """Yield passages of the fields other than the content: of a searched field up to ``MOST_HITS`` best
    chunks above its threshold, of another field its first chunks (none in law)."""
    page = candidate.page
    for name in FIELDS:
        if name == "content" or name not in page.fields:
            continue
        if name in searched:
            hits = candidate.chunks.get(name, ())[:MOST_HITS]
            spans = [(hit.start, hit.end) for hit in hits if thresholds.passes(name, hit.cosine)]
        else:
            spans = [] if page.is_law else core_spans(page.fields[name].encode())[:MOST_HITS]
        yield from (slice_of(page, name, span) for span in merged_spans(spans))


def _with_beside(
    page: IndexedPage, content: Sequence[Passage], beside: Iterable[Passage]
) -> tuple[Passage, ...]:
    """Add the passages ``beside`` that neither the title nor the others repeat, in the order of the page."""
    read = [page.title, *(passage.text for passage in content)]
    more: list[Passage] = []
    for passage in beside:
        if not any(repeats(text, passage.text) for text in read):
            more.append(passage)
            read.append(passage.text)
    return tuple(sorted((*more, *content), key=lambda each: (FIELDS.index(each.field), each.start)))


def best_chunk(candidate: Candidate) -> tuple[Passage, ...]:
    """Return the description and the best content chunk, or the first one if no vectors were compared."""
    page, hits = candidate.page, candidate.chunks.get("content", ())
    description = page.fields.get("description")
    passages = [slice_of(page, "description", (0, len(description.encode())))] if description else []
    best = hits[0].position if hits else 0
    content = [slice_of(page, "content", span) for span in page.content_spans[best : best + 1]]
    return _with_beside(page, content, passages)


def nearest_chunks(candidate: Candidate, most_bytes: int) -> tuple[Passage, ...]:
    """Return the content chunks nearest to the question, at least one, up to ``most_bytes``, in text order;
    the first ones if no vectors were compared; all fields of a page without content chunks."""
    page, size = candidate.page, 0
    kept: list[int] = []
    for hit in candidate.chunks.get("content", ()):
        size += hit.end - hit.start
        if kept and size > most_bytes:
            break
        kept.append(hit.position)
    if not kept:
        return first_chunks(page, most_bytes)
    return tuple(slice_of(page, "content", span) for span in expanded(page.content_spans, kept, 0))


def expanded(spans: Sequence[Span], positions: Iterable[int], neighbours: int) -> list[Span]:
    """Return the span of each position with ``neighbours`` on either side, in text order, with touching spans
    merged."""
    last = len(spans) - 1
    return merged_spans(
        (spans[max(position - neighbours, 0)][0], spans[min(position + neighbours, last)][1])
        for position in positions
    )


def merged_spans(spans: Iterable[Span]) -> list[Span]:
    """Return spans in text order, with touching ones merged."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def slice_of(page: IndexedPage, field: FieldName, span: Span) -> Passage:
    """Return the slice of a field between these byte offsets."""
    start, end = span
    return Passage(field=field, start=start, end=end, text=page.fields[field].encode()[start:end].decode())


def repeats(text: str, part: str) -> bool:
    """Return True if ``text`` has all words of ``part`` in a row, whatever is between them: markup, white
    space, or the dots of a truncated text."""
    folded = text.casefold()
    words = _WORD.findall(part.casefold())
    if any(word not in folded for word in words):  # the usual case, which this finds sooner
        return False
    return f" {' '.join(words)} " in f" {' '.join(_WORD.findall(folded))} "
