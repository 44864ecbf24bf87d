"""Chooses the deadline that a question asks for from those on a page; in doubt none."""

import re
from typing import Final

from app.features.facts.calendar_days import day_groups
from app.features.facts.called import is_called
from app.features.facts.deadlines import NAME, Deadline, page_deadlines
from app.features.facts.named import NamedSubjects
from app.search.answer_kinds import asked_kinds, asks_amount
from app.search.types import IndexedPage

_PAYS: Final = re.compile(r"zahl|fällig|überweis|\braten\b|instal|\bpay|\bdue\b", re.IGNORECASE)
_ACTS: Final = (
    _PAYS,
    *(
        re.compile(act, re.IGNORECASE)
        for act in (
            r"an(?:zu|ge)?meld|\bmelden\b.*\ban\W*$|regist(?:er|rat)|enrol|sign up",
            r"ab(?:zu|ge)?meld|\bmelden\b.*\bab\W*$|deregist",
            r"umzumeld|um(?:ge)?meld|\bmelden\b.*\bum\W*$",
            r"antr[aä]g|bewerb|\bappl(?:y|ying|ications?)\b",
            r"\beinw[aä]nd|stellungnahm|\bcomment|\brespon[ds]|consultation",
            r"\b(?:melden|brauchen|benötigen)\b|\bsend\b|\bschicken\b",
            r"einlös|eingelöst",
        )
    ),
)
"""Acts of the asker; the sentence must be about the same one."""

_FINITE: Final = re.compile(r"\b(?:ist|sind|wird|werden|is|are)\b")
_OF_WHOM: Final = re.compile(rf"{NAME} (?:für|for|of|to) ([^:;¤\d]+)", re.IGNORECASE)

ASKS: Final = re.compile(
    r"\bbis wann\b|\bbis (?:zu )?welche[mn]\b|frist(?:en)?\b|\bdeadlines?\b|\bspätestens\b|\bclosing date"
    r"|\b(?:by|until|till) (?:when|what|which)\b|\b(?:last|latest) (?:day|date)\b"
    r"|\bletzte[rn]? (?:tag|termin)\b"
    r"|\w+schluss\b|\bstichtag|\bat the latest\b|\bwhen\b.*\b(?:by|until)\s*\??$"
    r"|\bwann (?:endet|enden|schließt|läuft\b.*\bab\b)|\bwhen (?:does|do|will)\b.*\b(?:ends?|closes?)\s*\??$",
    re.IGNORECASE,
)
_ASKS_DUE: Final = re.compile(
    r"\bfällig|\bbezahlt? (?:sein|werden)|\b(?:zu zahlen|zahlungstermine?)\b|\bdue\b|\bpayable\b"
    r"|\bwann\b.*\b(?:zahlen|bezahlen)\b|\bwhen\b.*\b(?:pay|paid)\b",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(rf"{NAME}|frist|\bgelten?|\bgilt|\bends?\b|\bendet|\bcloses?\b", re.IGNORECASE)
_ASKS_ELSE: Final = re.compile(
    r"\bwarum\b|\bwhy\b|\bwie\b|\bhow\b|\bwas\b(?! (?:ist|für))|\bwo\b|\bwhere\b"
    r"|\boder\b|\bor\b|verläng|extend"
    r"|versäum|\bmissed\b|\bmiss\b|verpass|\bnach (?:der|ablauf)|\bafter\b|\bkein|\bno\b|\bnicht\b|\bnot\b"
    r"|\bstundung"
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
"""Words of such questions that do not say what they are about."""

_NOUNS: Final = (
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
"""Verbs with the nouns that pages use for them."""

_DEADLINE_OF: Final = re.compile(r"\b(\w{4,}?)s?(?:schluss|frist(?:en)?)\b", re.IGNORECASE)


def asked_deadline(question: str, language: str, page: IndexedPage) -> Deadline | None:
    """Return the deadline of a page that a question in ``language`` asks for.

    ``None`` if it asks for something else, or does not say which.
    """
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
        if (each.form == "due" or _PAYS.search(each.text) if asks_due else each.form != "due")
        and _is_of_act(question, each, page.title)
    ]
    texts = [question, *(act.sub(noun, question) for act, noun in _NOUNS), _DEADLINE_OF.sub(r"\1", question)]
    for asked in dict.fromkeys(texts):
        named = NamedSubjects.of(asked, language, page.ref.language, _BESIDE)
        if told := named.words.words and _chosen(named, found, page.title):
            return told if told.is_certain else None
    return None


def _is_of_act(question: str, each: Deadline, title: str) -> bool:
    """Return True if the text is about the act in the question; a text that names no act takes that of its
    nearest heading."""
    acts = _acts(question)
    told = _acts(each.text) or _acts("".join((title, *each.above)[-1:]))
    return bool(acts & told) if acts else each.form == "range" or bool(_LABEL.search(question))


def _acts(text: str) -> set[int]:
    return {at for at, act in enumerate(_ACTS) if act.search(text)}


def _in(each: Deadline) -> str:
    """The text, with the first parts of its compounds such as *Anmeldefrist*."""
    return "\n".join((each.text, *_DEADLINE_OF.findall(f"{each.heads}\n{each.text}")))


def _chosen(named: NamedSubjects, among: list[Deadline], title: str) -> Deadline | None:
    """The deadline that has all that is named, in its text or above it; the one with most of it in its text
    wins."""
    found = [
        each
        for each in among
        if named.is_in("\n".join((title, *each.above, each.lead, each.heads, _in(each))))
    ]
    held = [(named.found_in("\n".join((*each.above[-1:], each.lead, _in(each)))), each) for each in found]
    own = [(words, each) for words, each in held if words]
    if not own:
        return among[0] if len(among) == 1 and found else None
    inner = [(named.found_in(_in(each)), each) for _, each in own]
    inner = [
        (words, each)
        for words, each in inner
        if (each.form == "limit" or is_called(_FINITE.split(each.text, maxsplit=1)[0], named))
        and all(named.found_in(whom) for whom in _OF_WHOM.findall(each.text))
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
