"""Price tables and lists of a page, with the headings, leads and heads of columns that belong to their rows.

Pure functions; in doubt there are none.
"""

import re
from dataclasses import dataclass
from datetime import date
from typing import Final

from app.features.facts import signs
from app.features.facts.block_texts import headings_above, lead_of, shown
from app.features.facts.doubts import plain
from app.features.facts.note_marks import has_note, is_marked, marked_lines
from app.features.facts.pipe_tables import Cells, PipeTable
from app.features.facts.price_amounts import is_charged, other_amounts
from app.features.facts.price_doubts import are_of_other_time
from app.features.facts.price_periods import names_period
from app.features.facts.price_tables import LABEL_CHARACTERS, PRICE, price_table
from app.search.blocks import FoundBlock
from app.search.types import IndexedPage
from ingest.blocks import Block, blocks
from ingest.text import sentences

MOST_CELLS: Final = 5

_NOTHING: Final = re.compile(r"\W*")
"""A cell without a price: a dash, or empty."""

_YEAR: Final = re.compile(r"\b20\d\d\b")
_LIMIT: Final = (
    r"(?:(?:ab|bis(?: zu| unter)?|über|unter|mehr als|mindestens|höchstens|von|from|(?:up )?to|over|under"
    r"|above|below|until|since|(?:more|less) than|at (?:least|most))\s)"
)
_FIGURE: Final = r"[€£$]?\s?\d[\d.,]*\s?(?:[€£$%]|eur\b|euros?\b)?"
_BARE: Final = re.compile(
    rf"{_LIMIT}*{_FIGURE}(?:\s?(?:bis(?: unter)?|to|und|and|[–—-])\s?{_FIGURE})*\W*", re.IGNORECASE
)
"""A label that says nothing without the head of its column: a number, a year, a range."""

_MILLIONS: Final = re.compile(
    r"\d\s?(?:million|billion|mio\b|mrd\b|milliarde|bn\b|m\b(?!\s?[²³]))", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class PriceRow:
    """A row of a price table: its ``label``, and each price with the head of its column, which is empty if
    there is only one price column whose head names no period."""

    label: str
    prices: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePrices:
    """Prices as a page lists them.

    ``above``: the headings without the page's title. ``lead``: the sentence or caption that leads to them,
    often empty. ``name``: the head of the column of their labels, often empty.
    """

    above: tuple[str, ...] = ()
    lead: str = ""
    name: str = ""
    rows: tuple[PriceRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceList:
    """A price table or list before rows are chosen from it.

    ``above``, ``lead``: as in :class:`PagePrices`. ``marked``: its lines with the mark of a note.
    ``amounts``: words that say that the amounts are no prices. ``is_charged``: the table or a heading calls
    them prices.
    """

    above: tuple[str, ...]
    lead: str
    table: PipeTable
    marked: tuple[str, ...]
    amounts: frozenset[str]
    is_charged: bool

    def row(self, cells: Cells) -> PriceRow:
        """Return a row of the table as it is shown."""
        label = f"{self.table.header[0]} {cells[0]}" if _BARE.fullmatch(cells[0]) else cells[0]
        is_headed = len(self.table.header) > 2 or names_period(self.table.header[1])
        return PriceRow(
            label, tuple((head * is_headed, price) for head, price in prices_of(cells, self.table))
        )

    def is_marked(self, cells: Cells) -> bool:
        """Return True if a row of the table has the mark of a note."""
        return is_marked(cells[0], self.marked)


def page_prices(page: IndexedPage, today: date) -> tuple[PagePrices, ...]:
    """Return the prices of a page that apply ``today``, in text order, without amounts that are no prices or
    may be none."""
    wholes = {block.wholes[-1]: block for block in reversed(blocks(page.fields.get("content", "")))}
    read = (price_list(block, page, today) for block in reversed(wholes.values()))
    found = (_listed(each) for each in read if each and each.is_charged and not each.amounts)
    return tuple(each for each in found if each.rows)


def price_list(
    block: Block | FoundBlock, page: IndexedPage, today: date, years: frozenset[str] = frozenset()
) -> PriceList | None:
    """Return the price table or list that a block of a page's content belongs to.

    ``None`` if it is none, or if its prices may not be complete or not be those of ``today``; those of the
    ``years`` may be.
    """
    content = page.fields["content"]
    markdown = content[slice(*block.wholes[-1])]
    table = price_table(markdown)
    if table is None or not _is_plain(table) or _is_noted(markdown, content):
        return None
    above = (page.title, *block.headings, *(table.header[1:] if len(table.header) == 2 else ()))
    others = [each for each in signs.HEADING.findall(content) if plain(each) not in block.headings]
    beside = (line for line in content[slice(*block.around)].splitlines() if "|" not in line)
    if years.isdisjoint(years_in("\n".join(above))) and are_of_other_time(above, others, beside, today):
        return None
    lead = "".join(sentences(shown(lead_of(block, content)))[-1:]).strip()
    nearest = ("\n".join((*table.header, lead)), *reversed(block.headings), page.title)
    return PriceList(
        above=headings_above(block, page.title),
        lead="" if lead.endswith((".", "!", "?")) else lead,
        table=table,
        marked=tuple(marked_lines(markdown)),
        amounts=other_amounts([row[0] for row in table.rows], nearest),
        is_charged=is_charged((*nearest, markdown)),
    )


def _listed(found: PriceList) -> PagePrices:
    rows = (row for row in found.table.rows if is_price(row) and not found.is_marked(row))
    name = found.table.header[0]
    return PagePrices(above=found.above, lead=found.lead, name=name, rows=tuple(map(found.row, rows)))


def years_in(text: str) -> frozenset[str]:
    """Return the years that a text names."""
    return frozenset(_YEAR.findall(text))


def prices_of(row: Cells, table: PipeTable) -> list[tuple[str, str]]:
    """Return the prices of a row, with the heads of their columns."""
    cells = zip(table.header[1:], row[1:], strict=True)
    return [(head, price) for head, price in cells if not _NOTHING.fullmatch(price)]


def is_price(row: Cells) -> bool:
    """Return True for a row with a label and a price; other cells may say why they have none."""
    label, *others = row
    return 0 < len(label) <= LABEL_CHARACTERS and any(map(PRICE.search, others))


def _is_plain(table: PipeTable) -> bool:
    """Return True for a table of moderate width without group headings such as "Children", duplicate labels,
    labels that say nothing, and amounts in millions."""
    labels = {row[0] for row in table.rows}
    is_group = any(all(_NOTHING.fullmatch(cell) or cell == row[0] for cell in row[1:]) for row in table.rows)
    is_nameless = not table.header[0] and any(map(_BARE.fullmatch, labels))
    is_large = any(_MILLIONS.search(cell) for row in table.rows for cell in row[1:])
    is_whole = len(labels) == len(table.rows) and not is_nameless
    return 2 <= len(table.header) <= MOST_CELLS and is_whole and not is_group and not is_large


def _is_noted(markdown: str, content: str) -> bool:
    """Return True if the header of a table has the mark of a note that the page has elsewhere."""
    is_table = markdown.startswith("|")
    return (
        is_table and bool(marked_lines(markdown.splitlines()[0])) and has_note(content.replace(markdown, ""))
    )
