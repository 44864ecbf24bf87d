"""The period of a price: "im Monat", "a year". Pure functions for German and English."""

import re
from typing import Final

_UNITS: Final = {
    "hour": r"stunden?|std\.?|hours?|hr",
    "day": r"tag(?:en?)?|days?",
    "week": r"wochen?|weeks?",
    "month": r"monate?n?|mon\.?|months?",
    "quarter": r"(?:quartal|vierteljahr)e?|quarters?",
    "half": r"halb(?:es )?jahre?|half[- ]years?|six months",
    "year": r"(?:kalender)?jahre?|years?|annum",
}
_ADVERBS: Final = {
    "hour": r"stündlich\w*|hourly",
    "day": r"täglich\w*|daily",
    "week": r"wöchentlich\w*|weekly",
    "month": r"monatlich\w*|mtl\.?|monthly",
    "quarter": r"(?:vierteljährlich|quartals)\w*|quarterly",
    "half": r"halbjährlich\w*|half-yearly|semi-annual\w*",
    "year": r"jährlich\w*|yearly|annual\w*|p\.\s?a\.",
}
_COMPOUNDS: Final = {
    "hour": r"stunden(?:preis|satz|tarif)\w*",
    "day": r"tages\w+",
    "week": r"wochen\w+",
    "month": r"monats\w+",
    "quarter": r"quartals\w+",
    "half": r"halbjahres\w+",
    "year": r"jahres\w+",
}
_EACH: Final = (
    r"(?:im|pro|je|per|each|every|jede[nsmr]?|einem|ganze[ns]?|/)\s?(?:(?:ganzen|vollen|full|whole)\s)?"
)
_ENDS: Final = r"(?:am|an?|in(?: der| the| einer?)?|der|the)\s"
"""Before a period only at the end of a clause, unlike "a day ticket"."""

_TOLD: Final = {
    name: re.compile(
        rf"(?<!\w)(?:{_EACH}(?:{unit})|{_ADVERBS[name]}|{_ENDS}(?:{unit})(?=\s*(?:[^\w\s]|$)))(?!\w)(?!\s20\d\d)",
        re.IGNORECASE | re.MULTILINE,
    )
    for name, unit in _UNITS.items()
}
_TABLE: Final = {
    name: re.compile(rf"{told.pattern}|\b(?:{_COMPOUNDS[name]})", re.IGNORECASE)
    for name, told in _TOLD.items()
}


def names_period(text: str) -> bool:
    """Return True if the head of a column names the period of its prices."""
    return any(each.search(text) for each in _TABLE.values())


def is_of_asked_period(question: str, text: str) -> bool:
    """Return True unless the question names a period that a price's text does not."""
    asked = [name for name, told in _TOLD.items() if told.search(question)]
    return all(_TABLE[name].search(text) for name in asked)
