"""Finds the conditions that a text names: weekday, person, season, period, bound, order.

German and English words with the same meaning are the same condition.
"""

import re
from collections.abc import Mapping
from typing import Final

from app.search import analysis

_DAY_NAMES: Final = (
    r"mo(?:ntags?)?|mon(?:days?)?",
    r"di(?:enstags?)?|tue(?:s(?:days?)?)?",
    r"mi(?:ttwochs?)?|wed(?:nesdays?)?",
    r"do(?:nnerstags?)?|thu(?:rs(?:days?)?)?",
    r"fr(?:eitags?)?|fri(?:days?)?",
    r"sa(?:mstags?)?|sonnabends?|sat(?:urdays?)?",
    r"so(?:nntags?)?|sonn(?=-)|sun(?:days?)?",
)
_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "weekday": {str(day): name for day, name in enumerate(_DAY_NAMES)}
    | {"work": r"werktags?|weekdays?", "daily": r"t[aä]glich|daily", "end": r"wochenendes?|weekends?"},
    "person": {
        "adult": r"erwachsenen?r?|adults?",
        "child": r"kind(?:er)?n?|child(?:ren)?",
        "reduced": r"erm[aä][sß]s?igt\w*|concessions?|reduced",
        "senior": r"senior(?:inn)?(?:en)?s?",
        "family": r"famil(?:ien?|y|ies)",
    },
    "season": {
        "summer": r"sommers?|summer", "winter": r"winters?", "spring": r"fr[uü]hling|spring",
        "autumn": r"herbst|autumn",
    },
    "period": {
        "day": r"(?:am|pro|je) tag|t[aä]glich|(?:a|per) day|tageskarten?|day tickets?",
        "month": r"(?:im|pro|je) monat|monatlich\w*|(?:a|per) month|monthly|monatskarten?",
        "year": r"(?:im|pro|je) jahr|j[aä]hrlich\w*|(?:a|per) year|yearly|annual|jahres\w+|season tickets?",
        "hour": r"(?:pro|je) stunde|(?:an|per) hour",
        "item": r"(?:pro|je) st[uü]ck|an item|per item",
    },
    "bound": {
        "from": r"(?:ab|[uü]ber|over|from)(?= \d)", "below": r"(?:unter|under|below)(?= \d)",
    },
    "order": {
        "first": r"ersten?r?|first", "more": r"weiteren?r?|zweiten?r?|further|second|additional",
    },
}  # fmt: skip
CONDITION_KINDS: Final = frozenset(_WORDS)

_PATTERNS: Final = {
    kind: {name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in names.items()}
    for kind, names in _WORDS.items()
}

_GENERIC: Final = frozenset(
    {
        "betragen", "beträgt", "beträg", "liegt", "kostet", "kosten", "koste", "zahlen", "zahl",
        "gebühr", "gebühren", "preis", "eintritt", "dauert", "dauern", "findet", "statt", "finden",
        "beginnt", "beginn", "startet", "endet", "geöffnet", "offen", "öffnungszeiten", "geschlossen",
        "hat", "gibt", "muss", "müssen", "kann", "können", "erreichen", "telefon", "telefonnummer",
        "nummer", "rufen", "melden", "stellen", "gestellt", "nehmen", "angenommen", "rechnen", "etwa",
        "ca", "rund", "circa", "mindestens", "spätestens", "innerhalb", "bitte", "fällt", "fallen",
        "umfasst", "gilt", "gültig", "frist", "kostenlos", "höhe", "abgeholt", "abholung", "antrag",
        "anträge", "person", "personen", "karte", "uhr", "euro", "costs", "cost", "costing", "pay",
        "paid", "pays", "price", "prices", "fee", "fees", "charge", "charged", "charges", "open",
        "opens", "opening", "closed", "close", "closes", "closing", "hours", "held", "takes", "take",
        "took", "place", "starts", "start", "begins", "begin", "ends", "call", "number", "phone",
        "telephone", "contact", "valid", "due", "least", "within", "must", "may", "can", "need",
        "apply", "application", "applications", "decide", "decided", "decisions", "decision", "made",
        "make", "keep", "get", "give", "given", "admission", "collected", "collection", "leaves",
        "leave", "working", "frei", "free", "away", "je", "pro", "per", "zahlt", "lang",
        "lange", "long",
    }
)  # fmt: skip
"""Words that say what kind of figure is stated, not what it belongs to."""

GENERIC_STEMS: Final = frozenset(
    stem for word in _GENERIC for language in ("de", "en") for stem in analysis.tokens(word, language)
)


def conditions_of(text: str) -> dict[str, frozenset[str]]:
    """Return the conditions that a text names, by kind; the set of a kind may be empty."""
    return {
        kind: frozenset(name for name, pattern in names.items() if pattern.search(text))
        for kind, names in _PATTERNS.items()
    }


def without_conditions(text: str) -> str:
    """Return the text without the words of its conditions."""
    for names in _PATTERNS.values():
        for pattern in names.values():
            text = pattern.sub(" ", text)
    return text
