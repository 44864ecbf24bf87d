"""Chooses the contact that a question asks for from those on a page; in doubt none."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Final

from app.features.facts.contacts import Contact
from app.features.facts.named import NamedSubjects
from app.features.facts.surnames import asked_surname, has_surname
from app.features.facts.validity import is_of_other_time
from app.search.answer_kinds import asked_kinds
from app.search.types import IndexedPage
from ingest.text import sentences

TITLE_WORDS: Final = 2

_ASKS: Final[Mapping[str, re.Pattern[str]]] = {
    want: re.compile(asked, re.IGNORECASE)
    for want, asked in (
        ("mail", r"\be-?mail|\bmail-?adresse"),
        (
            "phone",
            r"telefon|rufnummer|\bnummer (?:vom|von|der|des)\b|durchwahl|\banrufen\b|\bruf\w* ich\b|hotline"
            r"|\bphone|\b(?:call|ring)\b",
        ),
        ("room", r"\b(?:welche\w*|in welchem) (?:zimmer|raum)|zimmernummer|raumnummer|\b(?:which|what) room"),
        (
            "address",
            r"\badresse|anschrift|\baddress|\bwo (?:ist|sind|liegt|sitzt|befindet sich|finde ich)\b"
            r"|\bwhere(?:['’]s| is| are| can i find| do i find)\b",
        ),
        ("name", r"zuständig|verantwortlich|ansprech(?:partner|person)|\bresponsible\b|\bin charge of\b"),
        ("", r"\bkontakt|\berreiche|\bcontact|\breach\b|\bget in touch"),
    )
}
_ASKS_ELSE: Final = re.compile(
    r"^(?:kann|darf|muss|soll|ist|sind|can|could|may|must|should|do|does|is|are|am)\b(?!.*\b(?:tell|sagen)\b)"
    r"|\b(?:per|by) (?:e-?mail|telefon|phone|post)\b"
    r"|\b(?:meine?[mnrs]?|unsere?|my|our)\s(?:\w+\s)?(?:telefon|handy|e-?mail|adress|anschrift|phone|address|number)"
    r"|\bwann\b|\bwhen\b|\bfax|\bhandy|\bmobil|\bwarum\b|\bwhy\b|\bänder|\bchang",
    re.IGNORECASE,
)
_MOVED: Final = re.compile(
    r"\bumgezogen\b|\bzieh(?:t|en) (?:[\w.]+ ){0,6}um\b|neue[rnms]? (?:adresse|anschrift|standort|räume)"
    r"|\b(?:has|have) moved\b|\b(?:is|are|will be) moving\b|\bmoves? (?:to|on)\b|relocat"
    r"|new address",
    re.IGNORECASE,
)
_GONE: Final = re.compile(
    r"~~|außer betrieb|stillgelegt|abgeschaltet|aufgelöst|aufgehoben|defekt|out of (?:service|order)"
    r"|discontinued|^(?:archiv|historie|vorgänger\w*|archive|history)$",
    re.IGNORECASE,
)
_VISITOR: Final = re.compile(
    r"\b(?:sie|ihre?\w*|wer|wenn|falls|nach|you|your|if|when|who|after)\b", re.IGNORECASE
)
"""In sentences about visitors who move."""

_KINDS: Final = frozenset({"reach", "where", "who", "how_many"})
_BESIDE: Final = frozenset({
    "lautet", "heißt", "gibt", "nennen", "sagen", "tell", "give", "get", "hat", "has", "wer", "who",
    "telefon", "telefonnummer", "telefonnummern", "telefonisch", "rufnummer", "durchwahl", "nummer",
    "mail", "e", "adresse", "mailadresse", "anschrift", "postanschrift", "zimmer", "raum", "zimmernummer",
    "raumnummer", "zuständig", "zuständige", "zuständigen", "verantwortlich", "ansprechpartner",
    "ansprechpartnerin", "ansprechperson", "stelle", "amt", "behörde", "abteilung", "liegt", "sitzt",
    "befindet", "finde", "erreiche", "erreichen", "erreicht", "erreichbar",
    "kontakt", "kontaktdaten", "kontaktieren",
    "anrufen", "rufe", "ruf", "bitte", "phone", "telephone", "number", "email", "address", "room",
    "office", "department", "responsible", "charge", "contact", "reach", "call", "ring", "touch",
    "details", "located", "ask",
})  # fmt: skip
"""Words of such questions that do not say what they are about."""


def asked_contact(
    question: str,
    language: str,
    page: IndexedPage,
    contacts_of: Callable[[IndexedPage], Iterable[Contact]],
    *,
    today: date | None = None,
    is_best: bool = True,
) -> Contact | None:
    """Return the contact of a page that a question in ``language`` asks for, if it has what the question
    wants to know.

    ``None`` if there is none or several fit. ``contacts_of``: reads the contacts, which takes a while.
    ``today``: without contacts that may be of another day. ``is_best``: the page answers best; the titles of
    other pages do not count.
    """
    wanted = next((want for want, asks in _ASKS.items() if asks.search(question)), None)
    if wanted is None or _ASKS_ELSE.search(question) or not _is_only_asked(question):
        return None
    surname, question = asked_surname(question)
    named = NamedSubjects.of(question, language, page.ref.language, _BESIDE)
    if not named.words.words:
        return None
    is_place = wanted in ("address", "room")
    title = _own_title(page.title) if is_place else page.title
    title = title if is_best else ""
    contacts = contacts_of(page)
    if surname:
        told = [each for each in contacts if has_surname(surname, each.lines)]
        found = {each.lines: each for each in told if named.is_in("\n".join((title, _own(each))))}
    else:
        found = {each.lines: each for each in contacts if _is_named(named, each, title)}
        if not is_best:
            found = {lines: each for lines, each in found.items() if _is_written(named, each)}
    whole = {lines: each for lines, each in found.items() if named.is_in("\n".join(lines))}
    [contact, *others] = (whole if len(whole) == 1 else found).values() or [None]
    if contact is None or others or not contact.answers(wanted):
        return None
    is_moved = is_place and _has_moved(page.fields.get("content", ""))
    is_doubtful = is_moved or (today is not None and _is_of_other_time(contact, today))
    return None if is_doubtful else contact


def _is_of_other_time(contact: Contact, today: date) -> bool:
    """Return True if a heading or line says that the contact is a former or a future one."""
    return (
        any(map(_GONE.search, (*contact.above, contact.lead, *contact.lines)))
        or any(is_of_other_time(each, today) for each in contact.above)
        or any(is_of_other_time(each, today, is_heading=False) for each in (contact.lead, *contact.lines))
    )


def _has_moved(markdown: str) -> bool:
    """Return True if a sentence says that an office is elsewhere now."""
    told = (each for line in markdown.splitlines() if _MOVED.search(line) for each in sentences(line))
    return any(_MOVED.search(each) and not _VISITOR.search(each) for each in told)


def _own_title(title: str) -> str:
    """A title that names a place, such as "Public library: borrowing"; empty for other titles, which may
    cover things in several places."""
    name, colon, _ = title.partition(":")
    return name if colon or len(title.split()) <= TITLE_WORDS else ""


def _is_only_asked(question: str) -> bool:
    return {kind.name for kind in asked_kinds(question)} <= _KINDS


def _own(contact: Contact) -> str:
    """The text above a contact and its lines."""
    return "\n".join((*contact.above, contact.lead, *contact.lines))


def _is_written(named: NamedSubjects, contact: Contact) -> bool:
    """Return True if a line or heading has every word that is named, itself: on pages that only come near,
    words with the same stem may name something else."""
    return any(map(named.is_written_in, (*contact.above, contact.lead, *contact.lines)))


def _is_named(named: NamedSubjects, contact: Contact, title: str) -> bool:
    """Return True if all that is named is in the ``title``, above the contact, or in it.

    If the page has several contacts, some of it must be with the contact and not in the title.
    """
    own = _own(contact)
    if contact.is_stated:
        return named.is_in(contact.lines[0])
    if contact.is_one_of_several:
        case = named.found_in("\n".join((contact.lead, *contact.lines)))
        return bool(case) and (
            named.is_in(own) or (bool(case - named.found_in(title)) and named.is_in(f"{title}\n{own}"))
        )
    if not title:
        return named.is_in(own)
    if named.is_in("\n".join(contact.lines)):
        return True
    is_general = not contact.heading or bool(named.found_in(own) - named.found_in(title))
    return is_general and named.is_in(f"{title}\n{own}")
