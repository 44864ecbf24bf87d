"""Amounts that are no prices: benefits, allowances, limits, budgets, wages. Pure functions for German and
English."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

_AMOUNT: Final = re.compile(
    r"\b(?:\w*(?:freibetr[aä]g|grenzbetr[aä]g|pauschbetr[aä]g|freigrenze|verdienstgrenze|vermögensgrenze"
    r"|bemessungsgrenze)\w*"
    r"|\w*(?:kinder|eltern|wohn|bürger|sozial|arbeitslosen|kranken|pflege|blinden|mutterschafts|erfrischungs"
    r"|sitzungs|übergangs|taschen|sterbe|insolvenz|kurzarbeiter|begrüßungs|preis)geld(?:e?s)?"
    r"|\w*unterhalt|unterhalts(?:vorschuss|zahlung)\w*|\w*(?:zuschuss|zuschüsse)\w*"
    r"|förder(?:ung|betr[aä]g|s[aä]tz|höhe|summe|quote)\w*|beihilfen?|sozialhilfe|stipendi\w+|bafög"
    r"|(?:alters|witwen|(?:halb)?waisen|erwerbsminderungs|unfall|grund)?renten?|regels[aä]tze?\w*|regelbedarf\w*|mehrbedarf\w*|schonvermögen\w*"
    r"|(?!nutzungs)\w*entschädigung(?:en)?|\w*vergütung(?:en)?|gehalt|gehälter|\w*lohn|löhne|besoldung"
    r"|haushaltsplan|haushaltsmittel|budgets?|etat|ausgaben|aufwendungen|einnahmen|umsatz|umsätze|hinzuverdienst"
    r"|allowances?|benefits?|grants?|thresholds?|expenditures?|spending|salar(?:y|ies)|remuneration|wages?"
    r"|(?:state|retirement|old[- ]age|widow['’]?s) pensions?|exemptions?|subsid(?:y|ies)|bursar(?:y|ies)"
    r"|scholarships?|maintenance payments?|compensation|revenues?|turnover|universal credit|tax credits?"
    r"|(?:income|earnings?|savings?|capital|spending|tax) limits?)\b",
    re.IGNORECASE,
)
_PRICE: Final = re.compile(
    r"gebühr|preis|kosten\b|kostet|entgelt|tarif|eintritt|beitr[aä]g|\bmiete|\bprices?\b|\bfees?\b"
    r"|\bcharges?\b|\bfares?\b|\bcosts?\b|admission|\btickets?\b|\brates?\b",
    re.IGNORECASE,
)
_CHARGED: Final = re.compile(
    rf"{_PRICE.pattern}|steuer|\btax|bußgeld|zuschlag|pauschale|kaution|pfand|honorar|karten?\b|\babo|mitgliedschaft"
    r"|kostenlos|kostenfrei|gratis|\bfree\b|\bfrei\b|\bfines?\b|\brent\b|\bhire\b|deposit|surcharge|membership",
    re.IGNORECASE,
)


def is_charged(texts: Iterable[str]) -> bool:
    """Return True if one of these texts names prices, charges or the like."""
    return any(map(_CHARGED.search, texts))


def other_amounts(labels: Sequence[str], above: Iterable[str]) -> frozenset[str]:
    """Return the words, in lower case, that say that the amounts of a table or list are no prices.

    Those in most of its ``labels``, otherwise those in the first of the texts ``above`` it, the nearest
    first, that says what the amounts are. If such a text names prices as well, what it names first counts.
    """
    found = [_words(label) for label in labels]
    if 2 * sum(map(bool, found)) > len(found):
        return frozenset().union(*found)
    for text in above:
        amount, price = _AMOUNT.search(text), _PRICE.search(text)
        if amount and (price is None or amount.start() < price.start()):
            return _words(text)
        if price:
            break
    return frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(each.casefold() for each in _AMOUNT.findall(text))
