"""The cards of answers that tell what a page says word for word, as Markdown: prices, how to reach an office,
what to bring. Pure functions."""

import re
from typing import Final

from app.features.facts.bring_lists import BringList
from app.features.facts.card import card_texts, label
from app.features.facts.contacts import Contact, plain_line
from app.features.facts.prices import AskedPrices, PriceRow

_ITEM: Final = re.compile(r"([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(.*)")


def price_card(asked: AskedPrices, headline: str, cited: str, language: str) -> str:
    """Return the prices as Markdown. ``headline``: what they are the prices of; ``cited``: the number of
    their source, as it stands in an answer. A total is told in German and English; in another language the
    card is empty then."""
    lines = [f"* {_told(row)}" for row in asked.rows]
    if asked.total:
        texts = card_texts().get(language)
        if texts is None:
            return ""
        lines.append(f"* {texts.together}: **{label(asked.total)}**")
    listed = "\n".join(lines)
    return f"**{label(headline)}**\n\n{listed} {cited}"


def contact_card(contact: Contact, title: str, cited: str) -> str:
    """Return the lines of a contact of the page with this ``title`` as Markdown; numbers and e-mail addresses
    become links where it is shown. ``cited``: the number of the page, as it stands in an answer."""
    listed = "\n".join(f"* {label(line)}" for line in contact.lines)
    return f"**{_headline(title, contact.heading)}**\n\n{listed} {cited}"


def bring_card(found: BringList, title: str, cited: str) -> str:
    """Return a list of what to bring as Markdown, whole, with the sentence that leads to it. ``title``,
    ``cited``: as for :func:`contact_card`."""
    items = [_ITEM.fullmatch(line) for line in found.text.splitlines() if line.strip()]
    listed = "\n".join(f"{item[1]}{label(plain_line(item[2]))}" for item in items if item)
    lead = label(plain_line(found.lead.replace("\n", " ")))
    parts = (f"**{_headline(title, *found.above[-1:])}**", lead, f"{listed} {cited}")
    return "\n\n".join(filter(None, parts))


def _headline(*names: str) -> str:
    return " – ".join(filter(None, map(label, names)))


def _told(row: PriceRow) -> str:
    prices = ", ".join(
        f"{label(head)}: **{label(price)}**" if head else f"**{label(price)}**" for head, price in row.prices
    )
    return f"{label(row.label)} – {prices}" if len(row.prices) > 1 else f"{label(row.label)}: {prices}"
