"""Sums of prices for several of one thing: "two dogs", if the first and the second dog have separate prices.

Pure functions for German and English; in doubt there is no sum.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from app.features.facts.pipe_tables import Cells
from app.features.facts.price_tables import PRICE

MOST: Final = 20

_FOR: Final = r"(?:(?:für|for) )?(?:(?:den|die|das|the|a) )?"
_ORDINALS: Final = ("erste|first", "zweite|second", "dritte|third", "vierte|fourth", "fünfte|fifth")
_FURTHER: Final = re.compile(
    r"^(?:(?:für|for) )?(?:jede[rsn]?|alle|each|every|any) "
    r"(?:weitere|zusätzliche|further|additional|other)\w*\b",
    re.IGNORECASE,
)
_SEVERAL: Final = re.compile(r"\b(?:und|and|bis|to)\b|[-–/&+]", re.IGNORECASE)
"""A label of a row that is for more than one."""

_ONE_OF_THEM: Final = re.compile(
    r"\b(?:der|die|das|den|the|ein\w*) (?:zweite|dritte|vierte|weitere|zusätzliche|second|third|other)\w*\b",
    re.IGNORECASE,
)
_CAP: Final = re.compile(
    r"höchst|maxim|\bmax\b|pauschal|deckel|gedeckelt|obergrenze|begrenz|flat|\bcap\b|capped|at most"
    r"|no more than|\btages(?:karte|satz|preis|tarif|ticket)|daily|day (?:rate|ticket|pass)|all day"
    r"|ganztag|geschwister|rabatt|mengen|discount",
    re.IGNORECASE,
)
"""What limits a sum."""

_COUNTS: Final = (
    ("zwei", "two"), ("drei", "three"), ("vier", "four"), ("fünf", "five"), ("sechs", "six"),
)  # fmt: skip
_NAMES: Final = "|".join(name for names in _COUNTS for name in names)
_COUNT: Final = re.compile(rf"\b(?P<count>\d{{1,2}}|{_NAMES}) (?P<thing>[^\W\d_]{{3,}})", re.IGNORECASE)
_AMOUNT: Final = re.compile(
    r"(?P<before>€\s?|£\s?|)(?P<number>\d+(?:[.,]\d\d)?)(?P<after>\s?(?:€|Euro|euros?)|)"
    r"(?P<period>\s(?:jährlich|(?:im|pro) Jahr|a year|per year|yearly)|)"
)


def asked_count(question: str) -> tuple[int, str] | None:
    """Return the number of things that the question names (at least two) and the thing, or ``None`` if it
    names none or several, or asks for one of them."""
    if _ONE_OF_THEM.search(question):
        return None
    found = [(_value(match["count"]), match["thing"]) for match in _COUNT.finditer(question)]
    return found[0] if len(found) == 1 and 1 < found[0][0] <= MOST else None


def is_limited(beside: str, rows: Sequence[Cells]) -> bool:
    """Return True if a sum may be less: the rows or the text ``beside`` them name a maximum, a flat rate or a
    discount, or the text has other prices."""
    told = "\n".join((beside, *(" ".join(row) for row in rows)))
    return bool(_CAP.search(told) or PRICE.search(beside))


def counted_rows(rows: Sequence[Cells], count: int) -> list[tuple[Cells, int]]:
    """Return the rows for the first of a thing, the second and so on up to ``count``, each with the number it
    is for.

    Empty if the table does not have all of them.
    """
    found: list[tuple[Cells, int]] = []
    for ordinal in _ORDINALS[:count]:
        row = next(
            (row for row in rows if re.match(rf"{_FOR}(?:{ordinal})[rsn]?\b", row[0], re.IGNORECASE)), None
        )
        if row is None:
            break
        if _SEVERAL.search(row[0]):
            return []
        found.append((row, 1))
    if not found:
        return []
    left = count - len(found)
    further = [row for row in rows if _FURTHER.match(row[0])]
    if left and len(further) != 1:
        return []
    return [*found, *((row, left) for row in further if left)]


def total(prices: Sequence[tuple[str, int]]) -> str:
    """Return the sum of prices, each times its number, in the notation of the first.

    Empty if one is more than a plain amount, or in another currency.
    """
    read = [(_AMOUNT.fullmatch(price.strip()), times) for price, times in prices]
    amounts = [(found, times) for found, times in read if found]
    signs = {(found["before"], found["after"], found["period"]) for found, _ in amounts}
    if len(amounts) != len(read) or len(signs) != 1 or not any(amounts[0][0].group("before", "after")):
        return ""
    summed = sum(Decimal(found["number"].replace(",", ".")) * times for found, times in amounts)
    written = str(summed)
    if any("," in found["number"] for found, _ in amounts):
        written = written.replace(".", ",")
    return f"{amounts[0][0]['before']}{written}{amounts[0][0]['after']}{amounts[0][0]['period']}"


def _value(count: str) -> int:
    if count.isdigit():
        return int(count)
    return next(value for value, names in enumerate(_COUNTS, start=2) if count.casefold() in names)
