"""Price tables as pages write them: tables, and lists and lines of a name and a price. Pure functions.

In doubt there is none: if a price is in a sentence or a name introduces several lines, everything is left to
the visitor.
"""

import re
from typing import Final

from app.features.facts.contact_lines import plain_line
from app.features.facts.pipe_tables import Cells, PipeTable, read_table

FEWEST_LINES: Final = 2
LABEL_CHARACTERS: Final = 100

PRICE: Final = re.compile(
    r"(?:[€£$]|\beur)\s?(?!000\b)\d|\d(?:,[-–—]{1,2})?\s?(?:[€£$](?!\s?000\b)|euros?\b|eur\b|pounds?\b|cents?\b)"
    r"|\bkosten(?:los|frei)|\bgebührenfrei|\bfrei\b|\bfree\b|\bgratis\b",
    re.IGNORECASE,
)
_AMOUNT: Final = (
    r"(?:(?:von|ab|bis zu|from|up to|between)\s)?(?:[€£$]?\d[\d.,]*\s?(?:bis|to|–|-)\s?)?"
    r"(?:(?:[€£$]|eur)\s?\d[\d.,]*|\d[\d.,]*[-–—]{0,2}\s?(?:€|euros?\b|eur\b))"
)
_EACH: Final = r"\s(?:jährlich|monatlich|(?:im|pro|je|per|a|an)\s\w+)"
_NOTE: Final = r"(?:[\s,;+–-](?:[^.!?:]|(?<=\d)\.(?=\d)){1,80})"
"""The text after a price in a line with a colon, such as "(online 20 Euro)"."""

_LINE: Final = re.compile(
    rf"(?P<label>[^:€£$]{{2,{LABEL_CHARACTERS}}}?)(?:(?P<colon>:)|\s[–-]|(?<!\d))\s+"
    rf"(?P<price>{_AMOUNT}(?:(?(colon){_NOTE}|{_EACH}))?"
    r"|kostenlos|(?:kosten|gebühren)?frei|free(?: of charge)?|gratis)\.?",
    re.IGNORECASE,
)
_DEFINITION: Final = re.compile(r"\n+:[ \t]+")


def price_table(markdown: str) -> PipeTable | None:
    """Return the price table that ``markdown`` is, or ``None`` if it is none.

    The first cell of each row is a label; the others have a price, are empty, or say why there is none.
    """
    table = read_table(markdown) if markdown.lstrip().startswith("|") else _listed(markdown)
    return _priced(_with_all_rows(table)) if table else None


def _listed(markdown: str) -> PipeTable | None:
    """The lines that are a name and a price; ``None`` if other lines have prices."""
    lines = [plain_line(line) for line in _DEFINITION.sub(": ", markdown).splitlines() if line.strip()]
    found = [(line, _LINE.fullmatch(line)) for line in lines]
    rows = tuple((match["label"].strip(), match["price"]) for _, match in found if match)
    others = [line for line, match in found if not match]
    is_group = any(line.endswith(":") for line in others if line is not lines[0])
    if len(rows) < FEWEST_LINES or is_group or any(map(PRICE.search, others)):
        return None
    return PipeTable(("", ""), rows)


def _with_all_rows(table: PipeTable) -> PipeTable:
    """The table, with a header turned into a row if it has prices as the rows do, because Markdown tables
    always have a header.

    If a second row has heads as well, it replaces the header, because it distinguishes the columns.
    """
    if len(table.rows) > 1 and _is_head(table.rows[0], table.header):
        table = PipeTable(table.rows[0], table.rows[1:])
    label, *others = table.header
    columns = list(zip(*table.rows, strict=True))[1:]
    is_alike = any(any(map(PRICE.search, cells)) for head, cells in zip(others, columns, strict=True) if head)
    is_row = label and all(map(PRICE.search, filter(None, others))) and is_alike
    return PipeTable(("",) * len(table.header), (table.header, *table.rows)) if is_row else table


def _is_head(row: Cells, header: Cells) -> bool:
    return row[0] == header[0] and all(row) and not any(map(PRICE.search, row))


def _priced(table: PipeTable) -> PipeTable | None:
    """The table reduced to its price columns; what other columns say is added to the labels of the rows."""
    columns = range(1, len(table.header))
    priced = [at for at in columns if any(PRICE.search(row[at]) for row in table.rows)]
    others = [at for at in columns if at not in priced]
    if not priced:
        return None

    def label(row: Cells) -> str:
        told = (
            row[at] if any(map(str.isalpha, row[at])) else f"{table.header[at]} {row[at]}" for at in others
        )
        return ", ".join(filter(None, (row[0], *(each.strip() for each in told))))

    header = (table.header[0], *(table.header[at] for at in priced))
    return PipeTable(header, tuple((label(row), *(row[at] for at in priced)) for row in table.rows))
