"""Chooses the rows of a price table that a question asks for. Pure functions; in doubt there are none.

A row is shown with all its cells, and only if everything that the question names is in the row or above the
table: "passport for my daughter of 19" matches the row *Passport under 24 years*, "express passport" does
not.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from app.features.facts.named import NamedSubjects
from app.features.facts.pipe_tables import Cells, PipeTable
from app.features.facts.price_lists import PriceList, PriceRow, is_price, price_list, prices_of, years_in
from app.features.facts.price_periods import is_of_asked_period
from app.features.facts.price_sums import asked_count, counted_rows, is_limited, total
from app.search import analysis, dictionary
from app.search.ages import is_excluded, share_within
from app.search.answer_kinds import asks_amount
from app.search.blocks import FoundBlock
from app.search.matching_rows import AskedWords, matching_rows
from app.search.types import IndexedPage

MOST_ROWS: Final = 3
_ASKS_OTHER_TIME: Final = re.compile(
    r"\bkosteten?\b|\bfrüher\b|\bdamals\b|\bbisher\b|\bvorher\b|künftig|\bin future"
    r"|\b(?:nächste|letzte|vorige|kommende)[snmr]? jahr|\bdid\b|\bused to\b|\b(?:last|next) year|\bwas it\b",
    re.IGNORECASE,
)
_ASKS_GAIN: Final = re.compile(
    r"\bbekomm|\berhalt|\berhält|\bkrieg|\bgibt es\b|\bsteht mir zu|\bgets?\b|\breceive|\bpaid\b|\bentitled",
    re.IGNORECASE,
)
_PRICES_OF: Final = re.compile(r"\b(\w{4,}?)s?(?:preise?|gebühr(?:en)?|entgelte?|tarife?)\b", re.IGNORECASE)
"""Takes "Eintritt" from "Eintrittspreise"."""


@dataclass(frozen=True, slots=True)
class AskedPrices:
    """The ``rows`` that a question asks for.

    ``total``: if it asks for several of one thing that have separate prices, such as a first and a second
    dog. ``heading``: the one above the table; empty if there is none or it is the page's title. ``lead``: the
    sentence that leads to it.
    """

    rows: tuple[PriceRow, ...]
    total: str = ""
    heading: str = ""
    lead: str = ""


def asked_prices(
    question: str, language: str, blocks: Iterable[FoundBlock], today: date
) -> AskedPrices | None:
    """Return the prices that a question in ``language`` asks for, from the first of these blocks that has
    them and may be told ``today``.

    ``None`` if none has them, or the question does not ask for a price.
    """
    if not asks_amount(question) or _ASKS_OTHER_TIME.search(question):
        return None
    tables = (block for block in blocks if block.passage.field == "content")
    return next(filter(None, (_prices(question, language, block, today) for block in tables)), None)


def asked_offers(
    question: str, language: str, page: IndexedPage, offers_of: Callable[[IndexedPage], Iterable[PriceRow]]
) -> AskedPrices | None:
    """Return the offers of a page whose price a question in ``language`` asks for, at most ``MOST_ROWS``.

    ``None`` if there are none or more, or two of one name. ``offers_of``: reads them.
    """
    if not asks_amount(question) or _ASKS_OTHER_TIME.search(question):
        return None
    named = NamedSubjects.of(question, language, page.ref.language)
    found = tuple(
        each
        for each in offers_of(page)
        if named.found_in(each.label)
        and named.is_in(f"{page.title}\n{each.label}")
        and is_of_asked_period(question, each.label)
    )
    labels = {each.label for each in found}
    return AskedPrices(found) if 0 < len(found) <= MOST_ROWS and len(labels) == len(found) else None


def _prices(question: str, language: str, block: FoundBlock, today: date) -> AskedPrices | None:
    content = block.page.fields["content"]
    found = price_list(block, block.page, today, years_in(question))
    if found is None or not _is_amount_asked(question, found):
        return None
    markdown, table = content[slice(*block.wholes[-1])], found.table
    asked = AskedWords.of(question, language, block.page.ref.language)
    above = "\n".join((block.page.title, *block.headings, table.header[0]))
    above = "\n".join((above, *_PRICES_OF.findall(above)))
    beside = content[slice(*block.around)].replace(markdown, "")
    rows, sum_of_all = _summed(question, asked, table, above, beside)
    rows = rows or _chosen(question, asked, table, above)
    shown = tuple(map(found.row, rows))
    heads = markdown.splitlines()[0] if markdown.startswith("|") else ""
    texts = ("\n".join((row.label, *(f"{head} {price}" for head, price in row.prices))) for row in shown)
    is_of_period = all(is_of_asked_period(question, f"{above}\n{heads}\n{text}") for text in texts)
    if not rows or not is_of_period or any(map(found.is_marked, rows)):
        return None
    return AskedPrices(shown, sum_of_all, "".join(found.above[-1:]), found.lead)


def _is_amount_asked(question: str, found: PriceList) -> bool:
    """Return True if the amounts are prices, or the question names what they are, or asks what people get."""
    is_named = any(word in question.casefold() for word in found.amounts)
    return not found.amounts or is_named or bool(_ASKS_GAIN.search(question))


def _chosen(question: str, asked: AskedWords, table: PipeTable, above: str) -> list[Cells]:
    """The rows that the question names by an age, or by a word that is not above all rows."""
    named = NamedSubjects.of(question, *asked.languages)
    known = asked.words_in("\n".join((above, *table.header[1:])))
    own = replace(asked, words=tuple(word for word in asked.words if word not in known))
    for words in (asked, own):
        rows = _named_rows(words, table)
        is_told = 0 < len(rows) <= MOST_ROWS and all(
            is_price(row)
            and (
                _is_called(words.words_in(row[0]) - known, row[0], asked)
                or share_within(asked.ages, row[0]) > 0
            )
            and named.is_in("\n".join((above, row[0], *(head for head, _ in prices_of(row, table)))))
            for row in rows
        )
        if is_told:
            return rows
    return []


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


def _summed(
    question: str, asked: AskedWords, table: PipeTable, above: str, beside: str
) -> tuple[list[Cells], str]:
    """The rows for the first, the second and further ones of a thing, with their sum, if the question asks
    for several of it, and nothing ``beside`` them limits the sum."""
    count = asked_count(question)
    rows = counted_rows(table.rows, count[0]) if count and len(table.header) == 2 else []
    if count is None or not rows or is_limited(beside, table.rows):
        return [], ""
    thing = AskedWords(tuple(analysis.folded(count[1])), asked.languages)
    text = "\n".join((above, table.header[1], f"{count[0]} {count[1]}", *(row[0] for row, _ in rows)))
    sum_of_all = total([(row[1], times) for row, times in rows])
    is_told = (
        sum_of_all
        and all(thing.words_in(row[0]) for row in table.rows)
        and NamedSubjects.of(question, *asked.languages).is_in(text)
    )
    return ([row for row, _ in rows], sum_of_all) if is_told else ([], "")
