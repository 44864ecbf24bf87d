"""The answer step that adds passages cited by earlier answers to those found for the question.

Nothing extra is stored. An answer is stored with the pages that it cites; their text is read from the index
as it is now, so that pages deleted or hidden in the meantime are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from app.chat.answer_steps import AnswerState
from app.chat.options import ChatOptions
from app.chat.types import CitedPage, Turn
from app.search.blocks import ranked_blocks
from app.search.filters import Filters, admits
from app.search.passages import merged_passages
from app.search.retrieval import Hit, Passage, TimeFilter
from app.search.types import IndexedPage

if TYPE_CHECKING:
    from app.services import Services

REMEMBERED_CHARACTERS: Final = 1_000
"""Per page, but at least its best block."""

NamedPages = Callable[[frozenset[str], Collection[str], TimeFilter], Sequence[IndexedPage]]
"""Returns the pages of some sources with these ids that may be shown now; for law, those in force at a
time."""


def remember_pages(_services: Services, options: ChatOptions) -> RememberPages | None:
    """Return the step, or ``None`` if the preset does not want it."""
    return RememberPages(options.remembered_pages) if options.remembered_pages else None


class RememberPages:
    """Remembers ``most`` pages for the model, unless the question is answered by looking up one text."""

    def __init__(self, most: int) -> None:
        self._most = most

    def __call__(self, state: AnswerState) -> tuple[()]:
        query, retrieval = state.query, state.result.retrieval
        if query.model is not None and retrieval.hits and retrieval.mode != "lookup":
            pages = state.search.named_pages
            remembered = partial(
                remembered_hits, query.history, pages, query.sources, retrieval.time, self._most
            )
            state.earlier = partial(_passing, remembered, query.filters)
        return ()


def remembered_hits(
    history: Sequence[Turn], named_pages: NamedPages, sources: frozenset[str], time: TimeFilter, most: int
) -> list[Hit]:
    """Return at most ``most`` pages that the latest answers cite, the latest answer's first.

    Each has the passages that share most words with that answer. Raises the errors of ``named_pages``.
    """
    cited = _cited(history, most)
    if not cited:
        return []
    found = named_pages(sources, {page.id for page in cited}, time)
    pages = {CitedPage(id=page.ref.id, url=page.url): page for page in found}
    return [
        _hit(pages[page], answer, rank)
        for rank, (page, answer) in enumerate(cited.items(), start=1)
        if page in pages
    ]


def _passing(remembered: Callable[[], Sequence[Hit]], filters: Filters) -> Sequence[Hit]:
    return [hit for hit in remembered() if admits(filters, hit.page.metadata)]


def _cited(history: Sequence[Turn], most: int) -> dict[CitedPage, str]:
    """The pages cited last, each with the latest answer that cites it."""
    cited: dict[CitedPage, str] = {}
    for turn in reversed(history):
        for page in turn.cited:
            cited.setdefault(page, turn.content)
    return dict(list(cited.items())[:most])


def _hit(page: IndexedPage, answer: str, rank: int) -> Hit:
    """The page with those of its blocks that share most words with the answer."""
    hit = Hit(rank=rank, page=page, score=0.0, coverage=0.0, similarity={}, passages=())
    chosen: list[Passage] = []
    room = REMEMBERED_CHARACTERS
    for block in ranked_blocks(answer, answer, page.ref.language, [hit]):
        room -= len(block.passage.text)
        if chosen and room < 0:
            break
        chosen.append(block.passage)
    return replace(hit, passages=merged_passages(page, chosen))
