"""The card of an answer that tells a price: rows of a table as Markdown, word for word. Pure functions."""

from app.features.facts.card import card_texts, label
from app.features.facts.prices import AskedPrices, PriceRow


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


def _told(row: PriceRow) -> str:
    prices = ", ".join(
        f"{label(head)}: **{label(price)}**" if head else f"**{label(price)}**" for head, price in row.prices
    )
    return f"{label(row.label)} – {prices}" if len(row.prices) > 1 else f"{label(row.label)}: {prices}"
