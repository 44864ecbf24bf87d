"""The answer step that puts a card with a price, a contact, what to bring, or a date above an answer.

The card quotes the page word for word. Like opening hours, it is read from the page as it is in the index
now.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from app.chat.answer_steps import AnswerState
from app.chat.excerpt_answer import source_numbers, visible_blocks
from app.chat.options import ChatOptions
from app.features.facts.asked_contact import asked_contact
from app.features.facts.bring_lists import BringList, asked_bring_list
from app.features.facts.card import card_texts, fact_card, label, points
from app.features.facts.contact_lines import plain_line
from app.features.facts.contacts import Contact
from app.features.facts.date_card import date_card
from app.features.facts.hours_step import Clock, asks_hours
from app.features.facts.page_facts import contacts_of
from app.features.facts.price_lists import PriceRow
from app.features.facts.prices import AskedPrices, asked_offers, asked_prices
from app.features.facts.services import FactServices
from app.features.facts.silent_pages import IsSilent, never_silent
from app.features.facts.stated import stated_prices
from app.search.blocks import FoundBlock
from app.search.certainty import is_unsure
from app.search.retrieval import Retrieval
from app.search.types import IndexedPage

if TYPE_CHECKING:
    from app.services import Services

MOST_PAGES: Final = 3

_ITEM: Final = re.compile(r"([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(.*)")


def make_step(services: Services, options: ChatOptions) -> ShowFact | None:
    """Return the step for a site's time zone, or ``None`` if the site wants no cards."""
    is_silent = services.feature(FactServices).silent.has
    return ShowFact(ZoneInfo(options.time_zone), is_silent=is_silent) if options.cards else None


@dataclass(eq=False)
class ShowFact:
    """Puts a card with the fact asked for above the answer, from one of the pages that answer best."""

    zone: ZoneInfo
    clock: Clock = datetime.now
    is_silent: IsSilent = never_silent

    def __call__(self, state: AnswerState) -> tuple[()]:
        result, context = state.result, state.planned
        if state.card or not _may_be_told(result.retrieval) or not context.blocks:
            return ()
        question, numbers, quoted = state.query.question, source_numbers(context), visible_blocks(context)
        pages = {block.page.ref: block.page for block in context.blocks if block.page.ref in numbers}
        is_sure = not is_unsure(result.retrieval)
        for page in list(pages.values())[:MOST_PAGES]:
            is_best = page == context.blocks[0].page
            blocks = [block for block in quoted if block.page == page] if is_best else []
            cited = f"[{numbers[page.ref]}]"
            now = self.clock(self.zone).replace(tzinfo=None)
            card = _card(question, result.language, page, blocks, cited, today=now.date(), is_sure=is_sure)
            if not card and is_best and is_sure and not asks_hours(question):
                card = date_card(question, result.language, page, now, cited)
            if card and not self.is_silent(page.ref):
                state.card = card
                state.found = replace(result, retrieval=replace(result.retrieval, certainty="answered"))
                return ()
        return ()


def _may_be_told(retrieval: Retrieval) -> bool:
    """Return True if the pages answer, or come near and no word of the question counts as absent.

    A fact contains everything that the question names, so it says more about its page than scores and the
    reader do.
    """
    return not is_unsure(retrieval) or (retrieval.certainty == "near" and not retrieval.absent_words)


def _card(
    question: str,
    language: str,
    page: IndexedPage,
    blocks: list[FoundBlock],
    cited: str,
    *,
    today: date,
    is_sure: bool,
) -> str:
    """The card for a fact of a page as Markdown; empty if it has none.

    ``blocks``: the quoted blocks of the page that answers best, the only one whose prices are shown; empty
    for other pages. ``is_sure``: the page answers; the title of one that only comes near does not count.
    """
    is_best = bool(blocks)
    stated = partial(stated_prices, today=today)
    offers = asked_offers(question, language, page, stated) if is_best else None
    if prices := asked_prices(question, language, blocks, today) or offers:
        return price_card(prices, page.title, cited, language)
    is_named = is_best and is_sure
    if contact := asked_contact(question, language, page, contacts_of, today=today, is_best=is_named):
        return contact_card(contact, page.title, cited)
    found = asked_bring_list(question, language, page, is_best=is_named)
    return bring_card(found, page.title, cited) if found else ""


def price_card(asked: AskedPrices, title: str, cited: str, language: str) -> str:
    """Return a card with prices of the page with this ``title``, as Markdown.

    ``cited``: the number of their source, as it stands in an answer. A card with a total exists in German and
    English only; in other languages it is empty.
    """
    lines = list(map(_told, asked.rows))
    if asked.total:
        texts = card_texts().get(language)
        if texts is None:
            return ""
        lines.append(f"{texts.together}: **{label(asked.total)}**")
    return fact_card((title, asked.heading), points(lines), cited, label(asked.lead))


def contact_card(contact: Contact, title: str, cited: str) -> str:
    """Return a card with the lines of a contact of the page with this ``title`` as Markdown, below the
    sentence that leads to them.

    Numbers and e-mail addresses become links when it is displayed. ``cited``: the number of the page, as it
    stands in an answer.
    """
    lead = label(plain_line(contact.lead))
    return fact_card((title, contact.heading), points(map(label, contact.lines)), cited, lead)


def bring_card(found: BringList, title: str, cited: str) -> str:
    """Return a card with a whole list of what to bring and the sentence that leads to it, as Markdown.

    ``title``, ``cited``: as for :func:`contact_card`.
    """
    listed = "\n".join(_item(line, found) for line in found.text.splitlines() if line.strip())
    lead = label(plain_line(found.lead.replace("\n", " ")))
    return fact_card((title, *found.above[-1:]), listed, cited, lead)


def _item(line: str, found: BringList) -> str:
    """A line of a list, with blank lines around it if it leads to another list."""
    item = _ITEM.fullmatch(line)
    told = f"{item[1]}{label(plain_line(item[2]))}" if item else ""
    return f"\n{told}\n" if line in found.added else told


def _told(row: PriceRow) -> str:
    prices = ", ".join(
        f"{label(head)}: **{label(price)}**" if head else f"**{label(price)}**" for head, price in row.prices
    )
    is_headed = any(head for head, _ in row.prices)
    return f"{label(row.label)} – {prices}" if is_headed else f"{label(row.label)}: {prices}"
