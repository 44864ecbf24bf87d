"""The deadline that a question asks for, of those that a page tells; in doubt there is none."""

import re
from typing import Final

from app.features.facts.calendar_days import day_groups
from app.features.facts.deadlines import DUE, Deadline, page_deadlines
from app.features.facts.named import Named
from app.search.answer_kinds import asked_kinds, asks_amount
from app.search.types import IndexedPage

_OFFICE: Final = re.compile(
    r"\b(?:wir|we|verwaltung|administration|erhalten sie|bekommen sie|you will (?:hear|receive|get|be told)"
    r"|bescheid\w*"
    r"|zusagen|bearbeite\w*|the (?:council|town|city|office)|die stadt)\b",
    re.IGNORECASE,
)
_TO_OFFICE: Final = re.compile(
    r"\b(?:nehmen wir|brauchen wir|benötigen wir|erwarten wir|wir (?:nehmen|brauchen|benötigen|erwarten"
    r"|bitten)"
    r"|we (?:need|accept|must|ask|expect|take)|reach|bei (?:der|uns)|an die)\b",
    re.IGNORECASE,
)
_PAST: Final = re.compile(r"\b(?:war|waren|betrug|galt|galten|wurden?|was|were|had)\b", re.IGNORECASE)
_SUBMITS: Final = re.compile(
    r"antr[aä]g|anmeld|anzumeld|bewerb|einreich|einsend|eingeh|eingegangen|vorlieg|abgabe|abgeben|abzugeben|frist\b"
    r"|schluss\b|stichtag|zahl|fällig|meld|appl|submit|register|registration|enter|entries|book|deadline|closing"
    r"|\breach|\bsend|\breturn|\bpay|\bdue\b|respon[ds]|comments|propos|nominat|vorschl|stellungnahme",
    re.IGNORECASE,
)
"""Says that something has to be handed in, which is what a deadline is of where nothing else is named."""

_OF_ASKER: Final = re.compile(r"\b(?:ich|man|wir|i|we|you)\b", re.IGNORECASE)

ASKS: Final = re.compile(
    r"\bbis wann\b|\bbis (?:zu )?welche[mn]\b|frist(?:en)?\b|\bdeadlines?\b|\bspätestens\b|\bclosing date"
    r"|\b(?:by|until|till) (?:when|what|which)\b|\b(?:last|latest) (?:day|date)\b|\bletzte[rn]? (?:tag"
    r"|termin)\b"
    r"|\w+schluss\b|\bstichtag|\bat the latest\b|\bwhen\b.*\b(?:by|until)\s*\??$"
    r"|\bwann (?:endet|enden|schließt|läuft\b.*\bab\b)|\bwhen (?:does|do|will)\b.*\b(?:ends?|closes?)\s*\??$",
    re.IGNORECASE,
)
_ASKS_DUE: Final = re.compile(
    r"\bfällig|\bbezahlt? (?:sein|werden)|\b(?:zu zahlen|zahlungstermine?)\b|\bdue\b|\bpayable\b"
    r"|\bwann\b.*\b(?:zahlen|bezahlen)\b|\bwhen\b.*\b(?:pay|paid)\b",
    re.IGNORECASE,
)
_ASKS_ELSE: Final = re.compile(
    r"\bwarum\b|\bwhy\b|\bwie\b|\bhow\b|\bwas\b(?! (?:ist|für))|\bwo\b|\bwhere\b|\boder\b|\bor\b|verläng"
    r"|extend|versäum"
    r"|\bmissed\b|\bmiss\b|verpass|\bnach (?:der|ablauf)|\bafter\b|\bkein|\bno\b|\bnicht\b|\bnot\b|\bstundung"
    r"|\bwar(?:en)?\b|\bwas the\b|letztes jahr|last year|\bkündigungsfrist",
    re.IGNORECASE,
)
_BESIDE: Final = frozenset({
    "bis", "wann", "nächste", "nächsten", "next", "spätestens", "späteste", "frist", "fristen", "tag",
    "tagen", "termin", "letzte", "letzter", "letzten", "stellen", "gestellt", "möglich", "abgeben",
    "einreichen", "eingereicht", "schicken", "einsenden", "vorliegen", "da", "gilt", "läuft", "endet",
    "deadline", "deadlines", "latest", "last", "date", "day", "submit", "submitted", "send", "hand",
    "closing", "due", "fällig", "bezahlt", "gezahlt", "zahlen", "bezahlen", "sein", "pay", "paid", "payable",
    "need", "zeit", "eingehen", "datum", "welchem", "welcher", "want", "möchte", "end",
})  # fmt: skip
"""Words of such questions, whatever they are about."""

_ACTS: Final = (
    (re.compile(r"\bbeantrag\w+", re.IGNORECASE), "Antrag"),
    (re.compile(r"\bbewerb(?:en|e)\b", re.IGNORECASE), "Bewerbung"),
    (re.compile(r"\bappl(?:y|ying)\b", re.IGNORECASE), "application"),
    (re.compile(r"\bregister\b", re.IGNORECASE), "registration"),
    (re.compile(r"\bsign up\b", re.IGNORECASE), "registration"),
    (
        re.compile(r"\w*(?=(?:anmelde|bewerbungs|antrags|abgabe|einsende)(?:frist|schluss))", re.IGNORECASE),
        "",
    ),
)
"""Acts with the nouns that pages use for them."""

_DEADLINE_OF: Final = re.compile(r"\b(\w{4,}?)s?(?:schluss|frist(?:en)?)\b", re.IGNORECASE)


def asked_deadline(question: str, language: str, page: IndexedPage) -> Deadline | None:
    """Return the deadline that a question in ``language`` asks of a page; ``None`` if it asks for something
    else, or does not say which."""
    asks_due = bool(_ASKS_DUE.search(question))
    is_asked = (
        (ASKS.search(question) or asks_due) and not _ASKS_ELSE.search(question) and not asks_amount(question)
    )
    kinds = {kind.name for kind in asked_kinds(question)}
    if not is_asked or not kinds <= {"when", "permission", "how_long"} or day_groups(question):
        return None
    found = [
        each
        for each in page_deadlines(page.fields.get("content", ""), page.title)
        if (DUE.search(each.text) if asks_due else not each.is_due)
        if not _is_of_office(question, each) and not _PAST.search(each.text)
    ]
    texts = [question, *(act.sub(noun, question) for act, noun in _ACTS), _DEADLINE_OF.sub(r"\1", question)]
    for asked in dict.fromkeys(texts):
        named = Named.of(asked, language, page.ref.language, _BESIDE)
        if told := named.words.words and _chosen(named, found, page.title):
            return told if told.is_certain else None
    return None


def _is_of_office(question: str, each: Deadline) -> bool:
    """True if the visitor asks for their deadline, and this is the office's."""
    if not _OF_ASKER.search(question):
        return False
    return bool(_OFFICE.search(each.text)) and not _TO_OFFICE.search(each.text)


def _in(each: Deadline) -> str:
    """The text, with what its names of deadlines are of."""
    return "\n".join((each.text, *_DEADLINE_OF.findall(f"{each.heads}\n{each.text}")))


def _chosen(named: Named, among: list[Deadline], title: str) -> Deadline | None:
    """The one that has all that is named, in it or above it, most of it in itself."""
    found = [
        each
        for each in among
        if named.is_in("\n".join((title, *each.above, each.lead, each.heads, _in(each))))
    ]
    held = [(named.held("\n".join((*each.above[-1:], each.lead, _in(each)))), each) for each in found]
    own = [(words, each) for words, each in held if words]
    if not own:
        return among[0] if len(among) == 1 and found else None
    inner = [(named.held(_in(each)), each) for _, each in own]
    if not frozenset(named.words.words) - named.held(title):
        inner = [
            (words, each)
            for words, each in inner
            if _SUBMITS.search("\n".join((*each.above[-1:], each.text)))
        ]
    if not inner:
        return None
    best, told = max(inner, key=lambda each: len(each[0]))
    rivals = [
        each for words, each in inner if each is not told and not words < best and not _says_same(each, told)
    ]
    return None if rivals else told


def _says_same(one: Deadline, other: Deadline) -> bool:
    dates = [
        [(each.first, each.last) for group in day_groups(text) for each in group.days]
        for text in (one.text, other.text)
    ]
    return dates[0] == dates[1]
