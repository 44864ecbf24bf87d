"""The step of an answer that puts the price that is asked for above it, read as opening hours are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.chat.answer_steps import AnswerState
from app.chat.excerpt_answer import source_numbers, visible_blocks
from app.chat.options import ChatOptions
from app.features.facts.price_card import price_card
from app.features.facts.prices import asked_prices
from app.features.facts.services import FactServices
from app.features.facts.silent_pages import IsSilent, told
from app.search.certainty import is_unsure

if TYPE_CHECKING:
    from app.services import Services


def make_step(services: Services, options: ChatOptions) -> TellPrice | None:
    """The step; ``None`` where a site wants no cards."""
    return TellPrice(services.feature(FactServices).silent.has) if options.cards else None


class TellPrice:
    """Puts the row of a table of prices that is asked for above the answer."""

    def __init__(self, is_silent: IsSilent = told) -> None:
        self._is_silent = is_silent

    def __call__(self, state: AnswerState) -> tuple[()]:
        result, context = state.result, state.read
        if state.card or is_unsure(result.retrieval) or not context.blocks:
            return ()
        page = context.blocks[0].page
        numbers = source_numbers(context)
        blocks = [block for block in visible_blocks(context) if block.page == page]
        asked = asked_prices(state.query.question, result.language, blocks)
        if asked and numbers.get(page.ref) is not None and not self._is_silent(page.ref):
            state.card = price_card(asked, page.title, f"[{numbers[page.ref]}]", result.language)
        return ()
