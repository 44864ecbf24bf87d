"""Plans the context of a prompt: which pages, how much of each, under which number. Pure functions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from app.chat.model.tokens import BYTES_PER_TOKEN, estimate
from app.chat.text.sentences import ends
from app.chat.types import SourceItem
from app.search.types import Hit, IndexedPage, Passage
from ingest.types import FieldName

GAP: Final = "\n\n[…]\n\n"
MINIMUM_CHARACTERS: Final = 200
"""A page cut to less than this is left out."""

TITLE_CHARACTERS: Final = 200
FRAME_TOKENS: Final = 40
"""Tokens of a source in the prompt beside its title and text: delimiters, number, date, labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The sources in rank order; the used ones are numbered from 1 without gaps."""

    sources: tuple[SourceItem, ...]

    @property
    def used(self) -> tuple[SourceItem, ...]:
        """The sources in the prompt."""
        return tuple(source for source in self.sources if source.used)

    @property
    def numbers(self) -> set[int]:
        """The numbers that an answer may cite."""
        return {source.number for source in self.sources if source.number is not None}


def plan_context(hits: Iterable[Hit], budget_tokens: int) -> Context:
    """Fill the budget with pages in rank order.

    The first page that does not fit is cut at the end of a sentence, or left out if less than
    ``MINIMUM_CHARACTERS`` would remain; nothing enters after it. A page without passages is not used. The
    sum of ``page_tokens`` over the used sources never exceeds ``budget_tokens``.
    """
    left, full, used = budget_tokens, False, 0
    sources: list[SourceItem] = []
    for hit in hits:
        text = "" if full else joined_passages(hit.passages)
        tokens = page_tokens(hit.page, text)
        if not full and tokens > left:
            full = True
            text = _cut_at_sentence(text, left - page_tokens(hit.page, ""))
            tokens = page_tokens(hit.page, text)
        if text:
            left, used = left - tokens, used + 1
        sources.append(source_item(hit, used if text else None, text))
    return Context(sources=tuple(sources))


def unnumbered_sources(hits: Iterable[Hit]) -> tuple[SourceItem, ...]:
    """The hits as sources outside the prompt, which are only listed."""
    return tuple(source_item(hit, None, "") for hit in hits)


def source_item(hit: Hit, number: int | None, text: str) -> SourceItem:
    """The hit as a source. Its similarity is that of its content, else the best of its fields."""
    field = _nearest_field(hit)
    return SourceItem(
        number=number,
        page=hit.page,
        similarity=None if field is None else hit.similarity[field],
        used=number is not None,
        text=text,
        field=field,
        passages=hit.passages,
        focus=hit.focus,
        ended=hit.ended,
    )


def page_tokens(page: IndexedPage, text: str) -> int:
    """Tokens of the page in the prompt with this text."""
    return FRAME_TOKENS + estimate(short_title(page)) + estimate(text)


def short_title(page: IndexedPage) -> str:
    """The page's title on one line, as the prompt shows it."""
    return " ".join(page.title.split())[:TITLE_CHARACTERS]


def joined_passages(passages: Sequence[Passage]) -> str:
    """The passages as one text, with ``GAP`` between passages of the same field."""
    parts: list[str] = []
    previous = None
    for passage in passages:
        if parts:
            parts.append(GAP if passage.field == previous else "\n\n")
        parts.append(passage.text.strip())
        previous = passage.field
    return "".join(parts)


def _cut_at_sentence(text: str, tokens: int) -> str:
    """The longest run of whole sentences from the start that fits; empty if it is shorter than
    ``MINIMUM_CHARACTERS``."""
    kept = text.encode()[: max(tokens, 0) * BYTES_PER_TOKEN].decode(errors="ignore")
    end = max((end for end in ends(text[: len(kept) + 1]) if end <= len(kept)), default=0)
    shortened = text[:end].rstrip()
    return shortened if len(shortened) >= MINIMUM_CHARACTERS else ""


def _nearest_field(hit: Hit) -> FieldName | None:
    if "content" in hit.similarity:
        return "content"
    return max(hit.similarity, key=lambda name: hit.similarity[name], default=None)
