"""Makes CELEX numbers of articles of the treaties and the Charter, each of which is an act of its own."""

import re
from typing import Final

LISBON: Final = 2010
"""In acts from this year up, "the Treaty" is the Treaty on the Functioning of the Union; in older ones the
Treaty establishing the Community."""

CURRENT: Final = 2016
"""The year of the consolidated version of the treaties that references without a version mean."""

_COMMUNITY: Final = ((1993, "11957E"), (1999, "11992E"), (2003, "11997E"), (2007, "12002E"), (9999, "12006E"))
"""The version of the Treaty establishing the Community that acts from before a given year cite."""

_EDITIONS: Final = (("2016", "2012", "2010", "2008"), ("2006", "2002", "1997"), ("1992", "1957"))
"""Years of consolidated versions with the same numbers of articles, newest first."""

_ARTICLE: Final = re.compile(r"art_(\d{1,3})([a-z]?)")


def is_treaty(celex: str) -> bool:
    """Return True for the CELEX number of a treaty or of one of its articles, or their common beginning."""
    return re.fullmatch(r"1\d{4}[A-Z](?:\d{3}[A-Z]?)?", celex) is not None


def treaty_prefix(which: str, celex: str) -> str:
    """Return the beginning of the CELEX numbers of a treaty's articles, for a treaty cited by ``celex``.

    ``which``: E (functioning of the Union), M (Union), A (Euratom), P (Charter), C (Community), or G for "the
    Treaty".
    """
    if which == "G" and is_treaty(celex):
        return celex[:6]
    year = int(celex[1:5]) if celex[1:5].isdecimal() else LISBON
    if which == "C" or (which == "G" and year < LISBON):
        return next(prefix for before, prefix in _COMMUNITY if year < before)
    return f"{1}{CURRENT}{'E' if which == 'G' else which}"


def treaty_article(prefix: str, unit: str) -> str | None:
    """Return the CELEX number of a treaty's article (``12016E114``), or None if ``unit`` is none."""
    found = _ARTICLE.fullmatch(unit)
    return f"{prefix[:6]}{int(found[1]):03}{found[2].upper()}" if found else None


def editions(celex: str) -> list[str]:
    """Return a treaty's article in all consolidated versions with the same numbering, the given one first,
    then the newest; for other acts only ``celex``."""
    years = next((years for years in _EDITIONS if celex[1:5] in years), ()) if is_treaty(celex) else ()
    return list(dict.fromkeys((celex, *(f"1{year}{celex[5:]}" for year in years))))
