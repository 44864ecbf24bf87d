"""CELEX numbers of acts from their printed numbers.

A CELEX number is sector, year, type and number: Directive 95/46/EC is ``31995L0046``. The position of the
year in a printed number changed: regulations had it last until the end of 2014 (1310/97, 1095/2010),
directives always have it first, and since 2015 all acts do.
"""

import re
from typing import Final, Literal

ActType = Literal["R", "L", "D", "F", "H", "E"]
"""The descriptor in a CELEX number: regulation, directive, decision, framework decision, recommendation, and
common position or joint action of the second pillar."""

FIRST_YEAR: Final = 1952
LAST_YEAR: Final = 2099

WITHOUT_YEAR: Final = {"11": "31960R0011", "17": "31962R0017", "26": "31962R0026", "27": "31962R0027"}
"""Early regulations that are cited only by their number."""

_PRINTED: Final = re.compile(
    r"(?:\(\s*(?P<community>[A-Za-z]+)[^()]*\)\s*)?(?P<no>n\s?[o°º]\s?\.?\s*|no\.?\s*|nr\.?\s*)?"
    r"(?P<first>\d{1,4})\s?/\s?(?P<second>\d{1,4})(?P<suffix>/[A-Za-z]+)?",
    re.IGNORECASE,
)
_EARLY: Final = re.compile(rf"\w\W?\w?\.?\s*({'|'.join(WITHOUT_YEAR)})")


def celex_number(kind: ActType, printed: str) -> str | None:
    """Return the CELEX number of ``(EU) 2016/679``, ``(EC) No 1310/97``, ``95/46/EC``, or None for text that
    is no such number."""
    if kind == "R" and (early := _EARLY.fullmatch(printed)):
        return WITHOUT_YEAR[early[1]]
    found = _PRINTED.fullmatch(printed.strip())
    if found is None or (kind == "D" and not found["community"] and not found["suffix"]):
        return None  # a decision of a joint committee, such as "Decision No 1/95"
    first, second = found["first"], found["second"]
    orders = [(first, second), (second, first)]
    for year, number in reversed(orders) if _year_last(kind, found) else orders:
        if (full := _year(year)) is not None and int(number):
            return f"3{full}{kind}{int(number):04}"
    return None


def basic_act(celex: str) -> str:
    """Return the act that a corrigendum (``32018L2001R(04)``) corrects; other numbers unchanged."""
    return re.sub(r"R\(\d+\)$", "", celex)


def _year_last(kind: ActType, found: re.Match[str]) -> bool:
    if kind == "L":
        return False
    if found["no"]:
        return True
    of_the_union = (found["community"] or "").upper() in ("EU", "UE")
    return kind == "R" and not (of_the_union and len(found["first"]) == 4)


def _year(printed: str) -> int | None:
    if len(printed) == 2:
        return 1900 + int(printed) if int(printed) >= FIRST_YEAR - 1900 else None
    return int(printed) if FIRST_YEAR <= int(printed) <= LAST_YEAR else None
