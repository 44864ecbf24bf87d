"""Sources of an answer: pages with their texts, and the tokens that these take in the prompt."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from app.chat.model.tokens import estimate
from app.search.blocks import FoundBlock
from app.search.retrieval import Hit, LinkKind, Passage
from app.search.types import IndexedPage
from ingest.types import FieldName

TITLE_CHARACTERS: Final = 200
FRAME_TOKENS: Final = 40
"""Tokens of a source in the prompt without its title and text: delimiters, number, date, labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceItem:
    """A page behind an answer.

    * ``number``: in citations such as ``[1]``; ``None`` for a page outside the prompt (``used`` is false),
      which is only listed
    * ``similarity``: the best cosine of the content, otherwise of all fields, ``None`` if no vector matched;
      ``field``: the field with that cosine
    * ``text``: the page's text in the prompt, empty for an unused page
    * ``passages``: the passages found in it
    * ``best``: the block that links open: the best one quoted, otherwise the best for the question
    * ``ended``: the day from which a text of law no longer applies
    * ``linked_from``: the numbers of the sources that link to it, with the kinds of the links
    * ``earlier``: True if it is in the prompt because an earlier answer of the conversation cites it
    * ``contexts``: sentences by a model that place the text; they are in the prompt, but are no evidence
    """

    number: int | None
    page: IndexedPage
    similarity: float | None
    used: bool
    text: str
    field: FieldName | None = None
    passages: tuple[Passage, ...] = ()
    best: FoundBlock | None = None
    ended: date | None = None
    linked_from: tuple[tuple[LinkKind, int], ...] = ()
    earlier: bool = False
    contexts: tuple[str, ...] = ()


def source_item(
    hit: Hit, number: int | None, text: str, passages: tuple[Passage, ...] | None = None
) -> SourceItem:
    """Return the hit as a source, with its own ``passages`` unless others are given. Its similarity is that
    of its content, otherwise the best of its fields."""
    field = _nearest_field(hit)
    return SourceItem(
        number=number,
        page=hit.page,
        similarity=None if field is None else hit.similarity[field],
        used=number is not None,
        text=text,
        field=field,
        passages=hit.passages if passages is None else passages,
        ended=hit.ended,
        contexts=hit.contexts if number is not None else (),
    )


def page_tokens(page: IndexedPage, text: str) -> int:
    """Return the tokens of the page in the prompt with this text."""
    language = page.ref.language
    return FRAME_TOKENS + estimate(short_title(page), language) + estimate(text, language)


def source_tokens(source: SourceItem) -> int:
    """Return the tokens of a source in the prompt, its ``contexts`` included."""
    return page_tokens(source.page, source.text) + _context_tokens(source.page, source.contexts)


def hit_tokens(hit: Hit, text: str) -> int:
    """Return the tokens of a hit in the prompt with this text, its ``contexts`` included."""
    return page_tokens(hit.page, text) + _context_tokens(hit.page, hit.contexts)


def _context_tokens(page: IndexedPage, contexts: Sequence[str]) -> int:
    """Return the tokens of the lines with contexts, and of the line above them."""
    return FRAME_TOKENS + estimate("\n- ".join(contexts), page.ref.language) if contexts else 0


def read_texts(sources: Iterable[SourceItem]) -> tuple[str, ...]:
    """Return the title and the prompt's text of each source in the prompt."""
    return tuple(f"{short_title(source.page)}\n\n{source.text}" for source in sources if source.used)


def short_title(page: IndexedPage) -> str:
    """Return the page's title on one line, as the prompt shows it."""
    return " ".join(page.title.split())[:TITLE_CHARACTERS]


def _nearest_field(hit: Hit) -> FieldName | None:
    if "content" in hit.similarity:
        return "content"
    return max(hit.similarity, key=lambda name: hit.similarity[name], default=None)
