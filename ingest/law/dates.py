"""Parses dates as printed in acts, in the official languages."""

import re
from datetime import date
from typing import Final

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january janvier januar jänner gennaio enero janeiro januari tammikuuta stycznia ledna "
            "januára januarja siječnja ianuarie януари ιανουαρίου jaanuar jannar január sausio janvāris",
            "february février februar febbraio febrero fevereiro februari helmikuuta lutego února februára"
            " februarja veljače februarie февруари φεβρουαρίου veebruar frar február vasario februāris",
            "march mars märz marzo março maart marts maaliskuuta marca března ožujka martie март μαρτίου"
            " märts marzu március kovo",
            "april avril aprile abril huhtikuuta kwietnia dubna apríla aprila travnja aprilie април απριλίου"
            " aprill április balandžio aprīlis",
            "may mai maggio mayo maio mei maj toukokuuta maja května mája svibnja май μαΐου mejju május"
            " gegužės maijs",
            "june juin juni giugno junio junho kesäkuuta czerwca června júna junija lipnja iunie юни ιουνίου"
            " juuni ġunju június birželio jūnijs",
            "july juillet juli luglio julio julho heinäkuuta lipca července júla julija srpnja iulie юли"
            " ιουλίου juuli lulju július liepos jūlijs",
            "august août agosto augustus augusti elokuuta sierpnia srpna augusta avgusta kolovoza август"
            " αυγούστου awwissu augusztus rugpjūčio augusts",
            "september septembre settembre septiembre setembro syyskuuta września září septembra rujna"
            " septembrie септември σεπτεμβρίου settembru szeptember rugsėjo septembris",
            "october octobre oktober ottobre octubre outubro lokakuuta października října októbra oktobra"
            " octombrie октомври οκτωβρίου oktoober ottubru október spalio oktobris",
            "november novembre noviembre novembro marraskuuta listopadu novembra studenoga studenog noiembrie"
            " ноември νοεμβρίου novembru lapkričio novembris",
            "december décembre dezember dicembre diciembre dezembro joulukuuta grudnia prosince decembra"
            " prosinca decembrie декември δεκεμβρίου detsember diċembru gruodžio decembris",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
"""``listopada`` is missing: it is November in Polish and October in Croatian."""

_WORD: Final = r"[^\W\d_]{3,12}"
_DAY_FIRST: Final = (
    rf"(?P<day>\d{{1,2}})(?:\.|er|st|nd|rd|th|º)?\s+(?:(?:de|päivänä)\s+|ta['’]\s*)?(?P<month>{_WORD})"
    r"\.?\s+(?:de\s+)?(?P<year>\d{4})"
)
_YEAR_FIRST: Final = rf"(?P<year>\d{{4}})(?:\.|\s?m\.)\s+(?P<month>{_WORD})\s+(?P<day>\d{{1,2}})"
_LATVIAN: Final = rf"(?P<year>\d{{4}})\.\s?gada\s+(?P<day>\d{{1,2}})\.\s+(?P<month>{_WORD})"
_DIGITS: Final = r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})"
_FORMS: Final = (_DAY_FIRST, _DIGITS, _LATVIAN, _YEAR_FIRST)
_PATTERNS: Final = tuple(map(re.compile, _FORMS))

WRITTEN: Final = "(?:" + "|".join(re.sub(r"\?P<\w+>", "?:", form) for form in _FORMS) + ")"
"""A pattern for a printed date, without groups."""


def first_date(text: str) -> date | None:
    """Return the first date in ``text``, such as ``13 June 2024``, ``1er juin 2024``, ``13. Juni 2024`` or
    ``12.7.2024``; None if there is none."""
    found = (_date(match[0]) for match in re.finditer(WRITTEN, text))
    return next((day for day in found if day is not None), None)


def _date(text: str) -> date | None:
    match = next(match for pattern in _PATTERNS if (match := pattern.fullmatch(text)))
    month = match["month"]
    number = int(month) if month.isdecimal() else _MONTHS.get(month.lower(), 0)
    try:
        return date(int(match["year"]), number, int(match["day"]))
    except ValueError:
        return None
