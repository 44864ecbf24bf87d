"""All facts of a page, for editors and other programs. Pure functions."""

from dataclasses import dataclass

from app.features.facts.hours import OpeningHours
from app.features.facts.page_hours import page_hours
from app.features.facts.pipe_tables import read_table
from app.features.facts.prices import PriceRow, price_rows
from app.search.types import IndexedPage
from ingest.blocks import blocks


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts:
    """The facts of a page. ``prices``: the rows of each table of prices. ``is_silent``: an editor does
    not want it told."""

    page: IndexedPage
    hours: tuple[OpeningHours, ...]
    prices: tuple[tuple[PriceRow, ...], ...]
    is_silent: bool = False


def page_facts(page: IndexedPage, *, is_silent: bool = False) -> PageFacts:
    """Return the opening hours and the prices that can be told of a page."""
    content = page.fields.get("content", "")
    tables = dict.fromkeys(block.wholes[-1] for block in blocks(content) if block.kind == "table")
    read = (read_table(content[start:end]) for start, end in tables)
    prices = (price_rows(table) for table in read if table)
    return PageFacts(
        page=page, hours=page_hours(content), prices=tuple(filter(None, prices)), is_silent=is_silent
    )
