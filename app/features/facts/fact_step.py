"""The step of an answer that puts above it what a question asks for: a price, how to reach an office, or what
to bring. It is read as opening hours are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from app.chat.answer_steps import AnswerState
from app.chat.excerpt_answer import source_numbers, visible_blocks
from app.chat.options import ChatOptions
from app.features.facts.asked_contact import asked_contact
from app.features.facts.bring_lists import asked_bring_list
from app.features.facts.fact_cards import bring_card, contact_card, price_card
from app.features.facts.page_facts import contacts_of
from app.features.facts.prices import asked_offers, asked_prices
from app.features.facts.services import FactServices
from app.features.facts.silent_pages import IsSilent, told
from app.features.facts.stated import stated_prices
from app.search.blocks import FoundBlock
from app.search.certainty import is_unsure
from app.search.types import IndexedPage

if TYPE_CHECKING:
    from app.services import Services

MOST_PAGES: Final = 3


def make_step(services: Services, options: ChatOptions) -> TellFact | None:
    """The step; ``None`` where a site wants no cards."""
    return TellFact(services.feature(FactServices).silent.has) if options.cards else None


class TellFact:
    """Puts the fact that is asked for above the answer, from one of the pages that answer best."""

    def __init__(self, is_silent: IsSilent = told) -> None:
        self._is_silent = is_silent

    def __call__(self, state: AnswerState) -> tuple[()]:
        result, context = state.result, state.read
        if state.card or is_unsure(result.retrieval) or not context.blocks:
            return ()
        question, numbers, quoted = state.query.question, source_numbers(context), visible_blocks(context)
        pages = {block.page.ref: block.page for block in context.blocks if block.page.ref in numbers}
        for page in list(pages.values())[:MOST_PAGES]:
            is_best = page == context.blocks[0].page
            blocks = [block for block in quoted if block.page == page] if is_best else []
            card = _card(question, result.language, page, blocks, f"[{numbers[page.ref]}]")
            if card and not self._is_silent(page.ref):
                state.card = card
                return ()
        return ()


def _card(question: str, language: str, page: IndexedPage, blocks: list[FoundBlock], cited: str) -> str:
    """The fact of a page as Markdown; empty where it has none. ``blocks``: those that are quoted of the page
    that answers best, which alone tells prices; none of another."""
    is_best = bool(blocks)
    offers = asked_offers(question, language, page, stated_prices(page)) if is_best else None
    if prices := asked_prices(question, language, blocks) or offers:
        return price_card(prices, page.title, cited, language)
    if contact := asked_contact(question, language, page, contacts_of(page), is_best=is_best):
        return contact_card(contact, page.title, cited)
    found = asked_bring_list(question, language, page, is_best=is_best)
    return bring_card(found, page.title, cited) if found else ""
