"""Chooses the rows of a price table that a question asks for. Pure functions; in doubt there are none.

A row is shown with all its cells, and only if everything that the question names is in the row or above the
table: "passport for my daughter of 19" matches the row *Passport under 24 years*, "express passport" does
not.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from app.features.facts import signs
from app.features.facts.named import NamedSubjects
from app.features.facts.pipe_tables import Cells, PipeTable
from app.features.facts.price_sums import asked_count, counted_rows, total
from app.features.facts.price_tables import LABEL_CHARACTERS, PRICE, price_table
from app.search import analysis, dictionary
from app.search.ages import is_excluded, share_within
from app.search.answer_kinds import asks_amount
from app.search.blocks import FoundBlock
from app.search.matching_rows import AskedWords, matching_rows
from app.search.types import IndexedPage
from ingest.text import sentences

MOST_ROWS: Final = 3
MOST_CELLS: Final = 5
_VALIDITY: Final = re.compile(
    r"\b(?:ab|bis|seit|gültig|zum|from|until|till|since|valid)\b[^\n]{0,30}?\b20\d\d\b",
    re.IGNORECASE,
)
"""From or until when something applies."""

_PRICES_OF: Final = re.compile(r"\b(\w{4,}?)s?(?:preise?|gebühr(?:en)?|entgelte?|tarife?)\b", re.IGNORECASE)
"""Takes "Eintritt" from "Eintrittspreise"."""

_YEAR: Final = re.compile(r"\b20\d\d\b")
_NOTHING: Final = re.compile(r"\W*")
"""A cell without a price: a dash, or empty."""


@dataclass(frozen=True, slots=True)
class PriceRow:
    """A row of a price table: its ``label``, and each price with the head of its column, which is empty if
    there is only one price column."""

    label: str
    prices: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class AskedPrices:
    """The ``rows`` that a question asks for.

    ``total``: if it asks for several of one thing that have separate prices, such as a first and a second
    dog. ``heading``: the one above the table; empty if there is none or it is the page's title.
    """

    rows: tuple[PriceRow, ...]
    total: str = ""
    heading: str = ""


def price_rows(markdown: str) -> tuple[PriceRow, ...]:
    """Return the rows of a table or list that can be shown; empty if it has no prices."""
    table = price_table(markdown)
    if table is None or not _is_plain(table):
        return ()
    return tuple(_row(row, table) for row in table.rows if _is_price(row))


def asked_prices(question: str, language: str, blocks: Iterable[FoundBlock]) -> AskedPrices | None:
    """Return the prices that a question in ``language`` asks for, from the first of these blocks that has
    them.

    ``None`` if none has them, or the question does not ask for a price.
    """
    if not asks_amount(question):
        return None
    tables = (block for block in blocks if block.passage.field == "content")
    return next(filter(None, (_prices(question, language, block) for block in tables)), None)


def asked_offers(
    question: str, language: str, page: IndexedPage, offers_of: Callable[[IndexedPage], Iterable[PriceRow]]
) -> AskedPrices | None:
    """Return the offers of a page whose price a question in ``language`` asks for, at most ``MOST_ROWS``.

    ``None`` if there are none or more. ``offers_of``: reads them.
    """
    if not asks_amount(question):
        return None
    named = NamedSubjects.of(question, language, page.ref.language)
    found = tuple(
        each
        for each in offers_of(page)
        if named.found_in(each.label) and named.is_in(f"{page.title}\n{each.label}")
    )
    return AskedPrices(found) if 0 < len(found) <= MOST_ROWS else None


def _prices(question: str, language: str, block: FoundBlock) -> AskedPrices | None:
    start, end = block.wholes[-1]
    table = price_table(block.page.fields["content"][start:end])
    if table is None or not _is_plain(table) or _is_of_other_time(question, block):
        return None
    asked = AskedWords.of(question, language, block.page.ref.language)
    above = "\n".join((block.page.title, *block.headings, table.header[0]))
    above = "\n".join((above, *_PRICES_OF.findall(above)))
    told = _summed(question, asked, table, above) or _chosen(question, asked, table, above)
    heading = "".join(each for each in block.headings[-1:] if each != block.page.title)
    return replace(told, heading=heading) if told else None


def _is_of_other_time(question: str, block: FoundBlock) -> bool:
    """Return True if the prices may apply at another time than the question means.

    Either their heading and others of the page say from or until when prices apply, and the question names
    none of its years; or a sentence beside the prices gives one that applies from or until some year.
    """
    content = block.page.fields["content"]
    heading = "".join(block.headings[-1:])
    if _VALIDITY.search(heading):
        is_one_of_several = len(_VALIDITY.findall("\n".join(signs.HEADING.findall(content)))) > 1
        return is_one_of_several and not set(_YEAR.findall(heading)) & set(_YEAR.findall(question))
    told = (line for line in content[slice(*block.around)].splitlines() if "|" not in line)
    return any(_VALIDITY.search(each) and PRICE.search(each) for line in told for each in sentences(line))


def _chosen(question: str, asked: AskedWords, table: PipeTable, above: str) -> AskedPrices | None:
    """The rows that the question names by an age, or by a word that is not above all rows."""
    named = NamedSubjects.of(question, *asked.languages)
    known = asked.words_in("\n".join((above, *table.header[1:])))
    own = replace(asked, words=tuple(word for word in asked.words if word not in known))
    for words in (asked, own):
        rows = _named_rows(words, table)
        is_told = 0 < len(rows) <= MOST_ROWS and all(
            _is_price(row)
            and (
                _is_called(words.words_in(row[0]) - known, row[0], asked)
                or share_within(asked.ages, row[0]) > 0
            )
            and named.is_in("\n".join((above, row[0], *(head for head, _ in _prices_of(row, table)))))
            for row in rows
        )
        if is_told:
            return AskedPrices(tuple(_row(row, table) for row in rows))
    return None


def _is_called(new: frozenset[str], label: str, asked: AskedWords) -> bool:
    """Return True if a label has one of these words on its own, not only in a compound: a *Gewerbeummeldung*
    is a special *Ummeldung*."""
    stems = {stem for language in asked.languages for stem in analysis.tokens(label, language)}
    return any(not dictionary.forms(word, *asked.languages).isdisjoint(stems) for word in new)


def _named_rows(asked: AskedWords, table: PipeTable) -> list[Cells]:
    """The rows that contain the words, without those for other ages."""
    lines = [f"| {' | '.join(row)} |" for row in table.rows]
    rows = [table.rows[number] for number in sorted(matching_rows(asked, lines))]
    return [row for row in rows if not (asked.ages and is_excluded(asked.ages, row[0]))]


def _summed(question: str, asked: AskedWords, table: PipeTable, above: str) -> AskedPrices | None:
    """The rows for the first, the second and further ones of a thing, if the question asks for several of
    it."""
    count = asked_count(question)
    rows = counted_rows(table.rows, count[0]) if count and len(table.header) == 2 else []
    if count is None or not rows:
        return None
    thing = AskedWords(tuple(analysis.folded(count[1])), asked.languages)
    text = "\n".join((above, table.header[1], count[1], str(count[0]), *(row[0] for row, _ in rows)))
    sum_of_all = total([(row[1], times) for row, times in rows])
    is_told = (
        sum_of_all
        and all(thing.words_in(row[0]) for row, _ in rows)
        and NamedSubjects.of(question, *asked.languages).is_in(text)
    )
    return AskedPrices(tuple(_row(row, table) for row, _ in rows), sum_of_all) if is_told else None


def _is_plain(table: PipeTable) -> bool:
    """Return True for a table of moderate width without group headings such as "Children" and duplicate
    labels."""
    labels = {row[0] for row in table.rows}
    is_group = any(all(_NOTHING.fullmatch(cell) or cell == row[0] for cell in row[1:]) for row in table.rows)
    return 2 <= len(table.header) <= MOST_CELLS and len(labels) == len(table.rows) and not is_group


def _row(row: Cells, table: PipeTable) -> PriceRow:
    is_headed = len(table.header) > 2
    return PriceRow(row[0], tuple((head * is_headed, price) for head, price in _prices_of(row, table)))


def _prices_of(row: Cells, table: PipeTable) -> list[tuple[str, str]]:
    """The prices of a row, with the heads of their columns."""
    cells = zip(table.header[1:], row[1:], strict=True)
    return [(head, price) for head, price in cells if not _NOTHING.fullmatch(price)]


def _is_price(row: Cells) -> bool:
    """Return True for a row with a label and a price; other cells may say why they have none."""
    label, *others = row
    return 0 < len(label) <= LABEL_CHARACTERS and any(map(PRICE.search, others))
