"""Words around dates that may say that something is not on them, or is something else.

Pure functions for German and English. Words that are not known to be harmless are in doubt.
"""

import re
from collections.abc import Sequence
from typing import Final

from app.features.facts.called import is_general
from app.features.facts.date_sentences import AROUND
from app.features.facts.dates import PageDate
from app.features.facts.hours_words import months, weekday_words
from app.features.facts.named import NamedSubjects
from app.search import analysis

LEAST_LETTERS: Final = 5
MOST_TOPIC_WORDS: Final = 3

_OFF: Final = re.compile(
    r"\b(?:kein\w*|nicht\w*|nie|ohne|außer|ausgenommen|statt|wegen|aufgrund|mangels|un(?:klar|gewiss|sicher)\w*"
    r"|abs[aä]g\w*|abgesag\w*|gestrichen\w*|streich\w*|entf[aä]ll\w*|f[aä]llt|(?:aus|weg)f[aä]ll\w*|ausgefallen\w*"
    r"|\w+frei|\w*pause|\w*ferien|urlaub|reserve\w*|ersatz\w*|bedarf|gegebenenfalls|ggf|evtl|eventuell"
    r"|voraussichtlich|fraglich|vorbehalt\w*|versch[oi]e?b\w*|verleg\w*|nachgeholt|\w*änder\w*|\w*schließ\w*"
    r"|feiertag\w*|krank\w*|streik\w*|gesperrt|sperrung|offen|folgt|storn\w*|aufgehoben\w*|hinfällig|annull\w*"
    r"|flach|weg|gecancelt|geschlossen|ausgebucht\w*|ausverkauft\w*|belegt|voll|vorbei|vergangen\w*|früher\w*"
    r"|bisherig\w*|letzte\w*|war(?:en)?|fand(?:en)?|hatten?|wurden?|entw[uü]rf\w*|vorl[aä]ufig\w*"
    r"|vorschl[aä]g\w*|geplant\w*|zurückgezogen|abgelaufen|erledigt|\w*schluss|\w*frist"
    r"|not?|never|without|except|instead|withdr[ae]w\w*|off|recess|break|holidays?|cancel\w*|postpone\w*"
    r"|delet\w*|scrap\w*|dropped|tb[acd]|if|provisional|tentative|draft|proposed|reserved?|moved?|resched\w*"
    r"|suspend\w*|void|skip\w*|full|booked|sold|closed|over|past|previous|former|were|was|had|unless|unlikely"
    r"|maybe|perhaps|deadline|ausweich\w*|alternativ\w*|puffer\w*|nachhol\w*"
    r"|\w*(?:absage|ausfall|entfall|wegfall|streichung|verschiebung|sperrung)\w*|x)\b|n['’]t\b"
    r"|[^\w\s,.;:()/–—+&'’\"„“”!|…-]",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"\b(?:wenn|falls|sofern|soweit|if|unless|provided)\b[^,;.!?]*$|\bdass\W*$|\bprovided that\W*$"
    r"|\b(?:voraussetzung|bedingung|condition|requirement)(?:en|s)?\b[^.!?]*$",
    re.IGNORECASE,
)
_ADJECTIVE: Final = re.compile(r"\b[a-zäöüß]+e[nrsm]?(?=\s[A-ZÄÖÜ])")
_LISTED: Final = re.compile(
    r"folgend|diese[nr]?\b|termin|tage?n?\b|sitzung|following|these|dates?\b|days?\b|meeting", re.IGNORECASE
)
_PLACE: Final = re.compile(
    r"\b(?:in|im|am|an|auf|bei|beim|vor|um|ab|zum|zur|at|on|from|near)\b(?:\s(?:der|die|das|den|dem|the))?"
    r"(?:\s[a-zäöüß]+e[nrms])?(?:\s[A-ZÄÖÜ\d][\w.:-]*)+(?:\sder?s?\s[A-ZÄÖÜ]\w+)?"
)
_ENGLISH_PLACE: Final = re.compile(r",?\s\b(?:in|at|on|from|near)\b.*")
_ROOM: Final = re.compile(
    r"(?:saal|haus|zimmer|halle|raum|platz|kirche|schule|zentrum|heim|hof|markt|hall|room|centre)$",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_TIME: Final = re.compile(
    r"\b\d{1,2}(?:[:.]\d\d)?\s?(?:uhr|h|[ap]\.?m)\b\.?|\b\d{1,2}[:.]\d\d\b", re.IGNORECASE
)
_HARMLESS: Final = frozenset({
    "a", "ab", "alle", "also", "am", "an", "and", "are", "at", "auf", "aus", "be", "bei", "beim", "beginn",
    "bis", "bitte", "by", "can", "come", "comes", "da", "das", "dem", "den", "der", "des", "die", "diese",
    "diesen", "ein", "eine", "einen", "ende", "es", "find", "finden", "findet", "folgend", "folgende",
    "folgenden", "following", "for", "from", "für", "ganztägig", "gemeinsam", "haben", "happens", "hat",
    "held", "here", "hier", "hybrid", "ihr", "ihre", "im", "in", "is", "ist", "it", "its", "je", "jeweils",
    "kommt", "meet", "meets", "mit", "nach", "of", "on", "online", "öffentlich", "öffentliche", "our", "p",
    "per", "place", "public", "runs", "sich", "sie", "sind", "statt", "stattfinden", "steht", "take", "takes",
    "tagen", "tagt", "the", "their", "there", "these", "those", "to", "trifft", "treffen", "uhr", "um", "und",
    "uns", "unser", "unsere", "von", "vom", "we", "will", "wir", "wird", "with", "you", "zu", "zum", "zur",
    "tag", "tage", "termin", "termine", "terminen", "sitzungstermine", "zweiter", "erster", "always", "each",
    "every", "immer", "jeden", "as", "follows", "wie", "folgt", "starts", "beginnt", "beginnen", "days",
})  # fmt: skip
"""Words that neither name nor deny anything."""


def is_doubtful_lead(lead: str, above: Sequence[str], named: NamedSubjects) -> bool:
    """Return True if the sentence that leads to a list denies its dates, or names something else than the
    question and the headings ``above``."""
    *others, last = re.split(r"(?<=[.!?])\s+(?=[A-ZÄÖÜ])", lead.strip()) or [""]
    if any(_OFF.search(each) and _LISTED.search(each) for each in others):
        return True
    if not last.endswith(":"):
        return bool(_OFF.search(last) and _LISTED.search(last))
    if _OFF.search(_without_last(last)):
        return True
    is_german = named.words.languages[1] == "de"
    text = _PLACE.sub(" ", last) if is_german else _ENGLISH_PLACE.sub(" ", last)
    return not all(
        _is_known(word, above, named) for word in _WORD.findall(text) if not is_german or word[0].isupper()
    )


def is_condition(lead: str) -> bool:
    """Return True if the sentence that leads to a list makes its items conditions: "if one of these applies:"
    or "Voraussetzung ist, dass"."""
    return bool(_CONDITION.search(lead.strip()))


def is_doubtful_heading(heading: str) -> bool:
    """Return True if a heading denies the dates below it: "Vergangene Sitzungen"."""
    return bool(_OFF.search(heading))


def is_doubtful_date(
    date: PageDate, others: Sequence[PageDate], above: Sequence[str], named: NamedSubjects
) -> bool:
    """Return True if the words beside a date may say that nothing is on it.

    ``others``: all dates of its list. If most have words beside them, they are topics.
    """
    rest = _TIME.sub(" ", date.rest)
    if _OFF.search(rest):
        return True
    text = _ADJECTIVE.sub(" ", re.sub(AROUND, " ", f" {rest}"))
    words = [word for word in _WORD.findall(text) if not _is_known(word, above, named)]
    if named.words.languages[1] == "de" and any(word[0].islower() for word in words):
        return True
    words = [word for word in words if not _ROOM.search(word)]
    is_topic = len(words) <= MOST_TOPIC_WORDS and bool(re.fullmatch(r"\W*\([^()]*\)\W*", rest))
    worded = sum(bool(_WORD.search(_TIME.sub(" ", each.rest))) for each in others)
    return bool(words) and not is_topic and worded * 2 <= len(others)


def _without_last(lead: str) -> str:
    """The lead without "statt" in "finden statt" and "folgt" in "wie folgt"."""
    return re.sub(r"\bstatt(?=\W*$)|\bwie folgt\b", "", lead, flags=re.IGNORECASE)


def _is_known(word: str, above: Sequence[str], named: NamedSubjects) -> bool:
    folded = word.casefold()
    if folded in _HARMLESS or folded in months() or folded in weekday_words() or is_general(word):
        return True
    names = [each.casefold() for text in above for each in _WORD.findall(text)]
    is_above = any(
        min(len(each), len(folded)) >= LEAST_LETTERS and (folded.startswith(each) or each.startswith(folded))
        for each in names
    )
    stems = {stem for text in above for stem in analysis.tokens(text, named.words.languages[1])}
    own = analysis.tokens(word, named.words.languages[1])
    return bool(named.found_in(word)) or is_above or (bool(own) and set(own) <= stems)
