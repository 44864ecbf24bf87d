"""Questions that ask for a date, in German and English."""

import re
from typing import Final

from app.search.answer_kinds import asked_kinds

ASKS: Final = re.compile(
    r"\bwann\b|\bwhen\b|\ban welche[mn] (?:tag|datum|termin)|\bwelche[rsn]? (?:tag|datum|termin)"
    r"|\b(?:what|which) (?:date|day)s?\b|\b(?:nächste[rsn]?|kommende[rsn]?) |\bnext\b|\btermine?\b"
    r"|\bdates?\b|\bin welche[rn] wochen?\b",
    re.IGNORECASE,
)
ASKS_ELSE: Final = re.compile(
    r"\b(?:seit|bis|von) wann\b|\bab wann (?!ist|läuft|geht|beginnt|findet|steht)|\bbis zu"
    r"|\b(?:since|from|until|till|by) when\b|\bwarum\b|\bwhy\b|\bwie\b|\bhow\b"
    r"|\bwar(?:en)?\b|\bwurden?\b|\bhatten?\b|\bwas\b(?! für)|\bwere\b|\bdid\b|\bhad\b"
    r"|\b(?:vor|zu)?letzt|\b(?:vorige|vergangene|frühere)|\blast\b|\bprevious|\bpast\b"
    r"|\berste[rnsm]?\b|\bfirst\b|\bzweite|\bsecond\b|\bdritte|\bthird\b|\bübernächste"
    r"|\bheute\b|(?-i:\bmorgen\b)|\bübermorgen\b|\bgestern\b|\btoday\b|\btomorrow\b|\btonight\b|\byesterday\b"
    r"|\bwochen?\b|\bwochenende|\bweeks?\b|\bweekend|ferien\b|\bholidays\b|feiertag"
    r"|\bweihnachten\b|\bostern\b|\b(?:at|over|before|after) (?:christmas|easter)\b"
    r"|\b(?:mon|diens|donners|frei|sams|sonn)(?:tag|abend)|\bmittwoch"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|\babends?\b|\bvormittag|\bnachmittag|\bmorgens\b|\bevenings?\b|\bmornings?\b|\bafternoon|\bnachts?\b"
    r"|\b(?:im|in|diesen|this) (?:sommer|winter|herbst|frühling|frühjahr|summer|autumn|spring)\b"
    r"|\bnicht\b|\bkein|\bnot\b|\bno\b|n['’]t\b|\bnach (?:dem|der)\b|\bvor (?:dem|der)\b|\bafter\b|\bbefore\b"
    r"|\bendet\b|(?-i:\bends?\b(?=\s*\?))|\bvorbei\b|\bfrist|\bdeadline|\bspätestens|\bschluss\b|\buhrzeit"
    r"|\bwhat time\b"
    r"|\b(?:kann|darf|muss|soll|sollte|can|may|must|should|do|does|could) (?:ich|man|wir|i|we|you|ihr)\b"
    r"|\boder\b|\bor\b",
    re.IGNORECASE,
)
"""Other times, the past, and what somebody may or must do."""

BESIDE: Final = frozenset({
    "termin", "termine", "terminen", "datum", "tag", "tage", "tagen", "nächste", "nächster", "nächsten",
    "nächstes", "kommende", "kommenden", "kommender", "kommendes", "statt", "stattfinden", "findet",
    "finden", "stattfindet", "sitzung", "sitzungen", "meeting", "meetings", "mal", "fängt", "wieder",
    "again", "ab", "kommt", "kommen", "steht", "stehen", "da", "geplant", "hält",
    "halten", "beginnt", "beginnen", "startet", "starten", "tagt", "trifft", "treffen", "jahr", "genau",
    "veranstaltung", "los", "fährt", "gibt", "geleert", "leeren", "abgeholt", "abholen", "geholt", "abfuhr",
    "abholung", "leerung", "gefeiert", "dran", "next", "upcoming", "date", "dates", "day", "days", "take",
    "takes", "taking", "place", "held", "happen", "scheduled", "starts", "start", "begin", "begins", "meet",
    "meets", "come", "comes", "coming", "year", "planned", "collected", "emptied", "picked", "collection",
    "dieses", "diesem", "this", "nächstem", "welchen", "welchem", "welcher", "month", "monat",
})  # fmt: skip
"""Words of such questions that do not say what they are about."""


def asks_date(question: str) -> bool:
    """Return True if a question asks for a date, and for nothing else."""
    kinds = {kind.name for kind in asked_kinds(question)}
    return bool(ASKS.search(question)) and kinds <= {"when"} and not ASKS_ELSE.search(question)
