"""Chooses the rows of a price table that a question asks for. Pure functions; in doubt there are none.

A row is shown with all its cells, and only if everything that the question names is in the row or above the
table: "passport for my daughter of 19" matches the row *Passport under 24 years*, "express passport" does
not.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from app.features.facts import signs
from app.features.facts.doubts import plain
from app.features.facts.named import NamedSubjects
from app.features.facts.note_marks import has_note, is_marked, marked_lines
from app.features.facts.pipe_tables import Cells, PipeTable
from app.features.facts.price_periods import is_of_asked_period
from app.features.facts.price_sums import asked_count, counted_rows, is_limited, total
from app.features.facts.price_tables import LABEL_CHARACTERS, PRICE, price_table
from app.features.facts.validity import is_of_other_time, periods
from app.search import analysis, dictionary
from app.search.ages import is_excluded, share_within
from app.search.answer_kinds import asks_amount
from app.search.blocks import FoundBlock
from app.search.matching_rows import AskedWords, matching_rows
from app.search.types import IndexedPage
from ingest.text import sentences

MOST_CHARACTERS: Final = 1_000
"""The part of a sentence beside prices that is read."""

MOST_ROWS: Final = 3
MOST_CELLS: Final = 5
_MONEY: Final = re.compile(
    r"preis|gebühr|entgelt|tarif|kost|s[aä]tze?\b|steuer|beitrag|beiträge|eintritt|gelten|gilt|gültig|karten?\b"
    r"|euro|[€£$]|price|fee|charge|fare|rate|cost|admission|appl(?:y|ies)|valid",
    re.IGNORECASE,
)
_CHANGE: Final = re.compile(
    r"\b(?:mehr|weniger|teurer|günstiger|billiger|höher\w*|erhöh\w*|steig\w*|senk\w*|änder\w*|geändert\w*"
    r"|neue?[rsnm]?|statt|more|less|higher|lower|increas\w*|r[io]se\w*|chang\w*|new|instead"
    r"|veraltet\w*|ungültig\w*|outdated|no longer)\b",
    re.IGNORECASE,
)
_RISE: Final = re.compile(
    r"\bteurer\b|überholt|erhöhung\b|\bneue\w* (?:preis|gebühr|tarif)|more expensive"
    r"|(?:preis|gebühr|tarif|kost)\w*\b.{0,40}\b(?:steig|erhöh|senk|änder[nt])"
    r"|\bnew (?:prices|fees|fares|charges)"
    r"|\b(?:prices?|fees?|fares?|charges?) .{0,20}\b(?:ris|increas|chang|go up)",
    re.IGNORECASE,
)
_NO_LONGER: Final = re.compile(
    r"\bnicht mehr\b(?! als)|veraltet|ungültig|außer kraft|no longer|outdated|expired", re.IGNORECASE
)
_ASKS_OTHER_TIME: Final = re.compile(
    r"\bkosteten?\b|\bfrüher\b|\bdamals\b|\bbisher\b|\bvorher\b|künftig|\bin future"
    r"|\b(?:nächste|letzte|vorige|kommende)[snmr]? jahr|\bdid\b|\bused to\b|\b(?:last|next) year|\bwas it\b",
    re.IGNORECASE,
)
_NEW: Final = re.compile(r"\b(?:neue?[rsnm]?|new)\b", re.IGNORECASE)

_PRICES_OF: Final = re.compile(r"\b(\w{4,}?)s?(?:preise?|gebühr(?:en)?|entgelte?|tarife?)\b", re.IGNORECASE)
"""Takes "Eintritt" from "Eintrittspreise"."""

_LIMIT: Final = re.compile(r"\W*(?:bis|ab|seit|until|from|since)\b", re.IGNORECASE)
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
    start, end = block.wholes[-1]
    content = block.page.fields["content"]
    table = price_table(content[start:end])
    if table is None or not _is_plain(table) or _is_of_other_time(question, block, table.header, today):
        return None
    asked = AskedWords.of(question, language, block.page.ref.language)
    above = "\n".join((block.page.title, *block.headings, table.header[0]))
    above = "\n".join((above, *_PRICES_OF.findall(above)))
    beside = content[slice(*block.around)].replace(content[start:end], "")
    told = _summed(question, asked, table, above, beside) or _chosen(question, asked, table, above)
    if told is None or not _is_whole(question, told, above, block):
        return None
    heading = "".join(each for each in block.headings[-1:] if each != block.page.title)
    return replace(told, heading=heading)


def _is_whole(question: str, told: AskedPrices, above: str, block: FoundBlock) -> bool:
    """Return True if nothing in a note or about another period is missing."""
    content = block.page.fields["content"]
    markdown = content[slice(*block.wholes[-1])]
    marked = marked_lines(markdown)
    head = marked_lines(markdown.splitlines()[0])
    is_noted = bool(head) and markdown.startswith("|") and has_note(content.replace(markdown, ""))
    texts = ["\n".join((row.label, *(f"{head} {price}" for head, price in row.prices))) for row in told.rows]
    heads = markdown.splitlines()[0] if markdown.startswith("|") else ""
    is_of_period = all(is_of_asked_period(question, f"{above}\n{heads}\n{text}") for text in texts)
    return is_of_period and not is_noted and not any(is_marked(row.label, marked) for row in told.rows)


def _is_of_other_time(question: str, block: FoundBlock, header: Cells, today: date) -> bool:
    """Return True if the prices may not be those of ``today``, unless the question names their year.

    Their headings, other headings of the page, or a sentence beside them say so.
    """
    above = (block.page.title, *block.headings, *(header[1:] if len(header) == 2 else ()))
    years = set(_YEAR.findall("\n".join(above)))
    if years and years & set(_YEAR.findall(question)):
        return False
    content = block.page.fields["content"]
    others = [each for each in signs.HEADING.findall(content) if plain(each) not in block.headings]
    if any(is_of_other_time(each, today) for each in above) or _are_replaced(above, others, today):
        return True
    told = (line for line in content[slice(*block.around)].splitlines() if "|" not in line)
    return any(_is_doubtful(each, today) for line in told for each in sentences(line))


def _are_replaced(above: Sequence[str], others: Sequence[str], today: date) -> bool:
    """Return True if prices below other headings may be those of ``today``."""
    dated = [found for each in others if _MONEY.search(each) or _LIMIT.match(each) for found in periods(each)]
    if any(_NEW.search(each) for each in above):
        return not all(each.is_over(today) for each in dated)
    return any(not each.is_clear or each.contains(today) for each in dated)


def _is_doubtful(sentence: str, today: date) -> bool:
    """Return True if a sentence says that prices are of another time, or changed."""
    sentence = sentence[:MOST_CHARACTERS]
    if _RISE.search(sentence):
        return True
    if not _MONEY.search(sentence):
        return False
    if _NO_LONGER.search(sentence):
        return True
    dated = list(periods(sentence, is_heading=False))
    is_other = bool(PRICE.search(sentence) or _CHANGE.search(sentence))
    return bool(dated) and (is_other or any(each.is_clear and not each.contains(today) for each in dated))


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


def _summed(
    question: str, asked: AskedWords, table: PipeTable, above: str, beside: str
) -> AskedPrices | None:
    """The rows for the first, the second and further ones of a thing, if the question asks for several of
    it, and nothing ``beside`` them limits the sum."""
    count = asked_count(question)
    rows = counted_rows(table.rows, count[0]) if count and len(table.header) == 2 else []
    if count is None or not rows or is_limited(beside, table.rows):
        return None
    thing = AskedWords(tuple(analysis.folded(count[1])), asked.languages)
    text = "\n".join((above, table.header[1], f"{count[0]} {count[1]}", *(row[0] for row, _ in rows)))
    sum_of_all = total([(row[1], times) for row, times in rows])
    is_told = (
        sum_of_all
        and all(thing.words_in(row[0]) for row in table.rows)
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
