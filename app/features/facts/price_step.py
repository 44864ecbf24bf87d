"""The step of an answer that puts the price that is asked for above it, read as opening hours are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.chat.answer_steps import AnswerState
from app.chat.excerpt_answer import visible_blocks
from app.chat.options import ChatOptions
from app.features.facts.price_card import price_card
from app.features.facts.prices import asked_prices
from app.search.certainty import is_unsure

if TYPE_CHECKING:
    from app.services import Services


def make_step(_services: Services, _options: ChatOptions) -> TellPrice:
    """The step, for every site."""
    return TellPrice()


class TellPrice:
    """Puts the row of a table of prices that is asked for above the answer."""

    def __call__(self, state: AnswerState) -> tuple[()]:
        result, context = state.result, state.read
        if state.card or is_unsure(result.retrieval) or not context.blocks:
            return ()
        page = context.blocks[0].page
        numbers = {source.page.ref: source.number for source in context.used}
        blocks = [block for block in visible_blocks(context) if block.page == page]
        asked = asked_prices(state.query.question, result.language, blocks)
        if asked and numbers.get(page.ref) is not None:
            state.card = price_card(asked, page.title, f"[{numbers[page.ref]}]", result.language)
        return ()
