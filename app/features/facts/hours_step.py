"""The answer step that puts a card with the opening hours of the day asked for above an answer.

The hours are read from the page as it is in the index now, from the table, list or sentence that answers the
question best, so a save changes them at once. If that text says nothing certain there is no card, and the
answer is the same as without this step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from app.chat.answer_steps import AnswerState
from app.chat.excerpt_answer import source_numbers
from app.chat.options import ChatOptions
from app.features.facts import signs
from app.features.facts.asked_day import AskedDay, asked_day, names_feast, without_feasts
from app.features.facts.calendar_notes import notes_on
from app.features.facts.card import card_texts, hours_card
from app.features.facts.holiday_calendar import HolidayCalendar
from app.features.facts.hours import OpeningHours
from app.features.facts.hours_thing import BESIDE, is_of_thing, words_beside
from app.features.facts.hours_words import words_of
from app.features.facts.named import NamedSubjects
from app.features.facts.notices import MOST_CHARACTERS
from app.features.facts.page_hours import page_hours
from app.features.facts.services import FactServices
from app.features.facts.silent_pages import IsSilent, never_silent
from app.features.facts.stated import stated_hours
from app.search import analysis
from app.search.blocks import FoundBlock
from app.search.certainty import is_unsure
from app.search.retrieval import Retrieval
from app.search.types import IndexedPage
from app.search.written_language import in_written_language
from ingest.blocks import Span

if TYPE_CHECKING:
    from app.services import Services

_ASKS_HOURS: Final = re.compile(
    r"\b(?:ge)?öffnet\b|\b(?:wann|um wie ?viel uhr)\b.*\böffnen\b|(?:öffnungs|sprech|bade|service)zeit"
    r"|sprechstunde"
    r"|\b(?:hat|haben|habt|ist|sind|wann|wie lange|noch)\b.*\b(?:offen|geschlossen|besetzt|erreichbar)\b"
    r"|\b(?:wann|um wie ?viel uhr)\b.*\b(?:schlie(?:ß|ss)(?:t|en)|anrufen|erreiche)\b"
    r"|\b(?:wann|um wie ?viel uhr)\b.*\b(?:kommen|vorbeikommen|besuchen|besichtigen)\b"
    r"|\bbis wie ?viel uhr\b|\b(?:macht|ist|sind|hat|haben|habt|machen)\b.*\b(?:auf|zu)\b(?=\s*(?:[?.!]|$))"
    r"|\b(?:is|are|when|what time)\b.*\b(?:opens?|close[sd]?|staffed|reachable)\b(?! to\b)"
    r"|\b(?:opening|office|visiting) (?:hours|times)\b|\bopen (?:now|today|on|at|until|till|tomorrow)\b"
    r"|\bwhen can (?:i|we) (?:call|come|visit|phone)\b",
    re.IGNORECASE,
)
_ASKS_ELSE: Final = re.compile(
    r"frist|bewerbung|\bstellen?\b|antrag|konto|anmeldung|plätze|datei|müll|stra(?:ß|ss)e\b|warum|wieso|weshalb"
    r"|seit wann|\bwird\b|\bwerden\b|\bdarf|\bdürfen|\bwieder\b|\bmeine?n?\b.*\böffnen\b"
    r"|\bopen (?:an?|data|source)\b|\bwhy\b|\broad|\bstreet|applications?|position"
    r"|registration(?! (?:office|authority|desk|centre|service))"
    r"|\bjobs?\b|allowed|reopen|\bwill\b|since when|deadline",
    re.IGNORECASE,
)
_ASKS_PHONE: Final = re.compile(
    r"telefon|anruf|erreich|hotline|switchboard|besetzt|phone|\bcall\b|\bring\b|\breach", re.IGNORECASE
)
_ASKS_TO_CALL: Final = re.compile(r"telefon|anruf|hotline|switchboard|phone|\bcall\b|\bring\b", re.IGNORECASE)

ALIKE_LETTERS: Final = 5

Clock = Callable[[ZoneInfo], datetime]


def make_step(services: Services, options: ChatOptions) -> ShowHours | None:
    """Return the step for a site's region and time zone, or ``None`` if the site wants no cards.

    Raises ``SettingsError``.
    """
    if not options.cards:
        return None
    is_silent = services.feature(FactServices).silent.has
    return ShowHours(ZoneInfo(options.time_zone), HolidayCalendar(options.region), is_silent=is_silent)


@dataclass(eq=False)
class ShowHours:
    """Puts a card with opening hours above the answer."""

    zone: ZoneInfo
    holidays: HolidayCalendar
    clock: Clock = datetime.now
    is_silent: IsSilent = never_silent

    def __call__(self, state: AnswerState) -> tuple[()]:
        result = state.result
        question = in_written_language(state.query.question, result.language)
        is_asked = asks_hours(question) and result.language in card_texts()
        if not is_asked or is_unsure(result.retrieval) or not state.planned.blocks:
            return ()
        now = self.clock(self.zone).replace(tzinfo=None)
        asked, block = asked_day(question, now.date()), state.planned.blocks[0]
        number = source_numbers(state.planned).get(block.page.ref)
        if number is None or self.is_silent(block.page.ref) or not (asked or names_feast(question)):
            return ()

        regular = _hours(question, result.language, block)
        dated = _dated(question, result.language, block, asked) if asked else []
        places = [each.place for each in (*regular, *dated)]
        if places and _names_other(result.retrieval, result.language, block.page, places):
            state.found = replace(result, retrieval=replace(result.retrieval, certainty="near"))
            asked = None
        if asked is None:
            return ()
        regular = [each for each in regular if is_of_thing(question, result.language, block.page, each)]
        for hours in filter(None, (regular, dated)):
            state.card = state.card or hours_card(
                hours,
                asked,
                now=now,
                holidays=self.holidays,
                language=result.language,
                place="".join(each.place for each in hours[:1]) or block.page.title,
                cited=f"[{number}]",
            )
        return ()


def asks_hours(question: str) -> bool:
    """Return True if the question asks when something is open, in German or English."""
    return bool(_ASKS_HOURS.search(question)) and not _ASKS_ELSE.search(question)


def asks_phone(question: str) -> bool:
    """Return True if the question is about reaching somebody by telephone."""
    return bool(_ASKS_PHONE.search(question))


def _names_other(retrieval: Retrieval, language: str, page: IndexedPage, places: Sequence[str]) -> bool:
    """Return True if the question names something that neither the page nor its ``places`` have, so that the
    hours may be those of another office.

    A word that no page found has may be another name of the page's subject if the title has a word that
    begins alike: *Bürgerbüro* and *Bürgeramt*.
    """
    question = without_feasts(in_written_language(retrieval.question, language))

    def missing(each: IndexedPage, *more: str) -> frozenset[str]:
        named = NamedSubjects.of(question, language, each.ref.language, words_beside())
        return frozenset(named.words.words) - named.found_in("\n".join((*each.fields.values(), *more)))

    lacking = missing(page, *places)
    if not lacking:
        return False
    nowhere = lacking.intersection(*(missing(hit.page) for hit in retrieval.hits))
    title = page.title.casefold()
    return lacking != nowhere or not all(word[:ALIKE_LETTERS] in title for word in lacking)


def _dated(question: str, language: str, block: FoundBlock, asked: AskedDay) -> list[OpeningHours]:
    """The hours that a sentence of the page gives for the calendar day asked for; used if the regular hours
    are not certain.

    The sentence must be in the section of the text that answers best, or about what the page's title or a
    heading names.
    """
    if asked.day is None or block.passage.field != "content":
        return []
    content = block.page.fields["content"]
    named = NamedSubjects.of(question, language, block.page.ref.language, BESIDE)
    headed = named.found_in("\n".join((block.page.title, *signs.HEADING.findall(content))))
    for note in notes_on(content, asked.day):
        said, above = note.said, (block.page.title, *note.headings)
        if said is None or not headed or not headed <= named.found_in("\n".join((*above, said.subject))):
            continue
        is_of_thing = any(map(said.is_about, above)) if said.subject else note.around == block.around
        if is_of_thing and not signs.PHONE.search(note.text):
            return [OpeningHours(rules=(), starts=(note.around[0],), text=note.text, dated=said.hours)]
    return []


def _hours(question: str, language: str, block: FoundBlock) -> list[OpeningHours]:
    """The hours in the text that answers best, otherwise those in JSON-LD of the one thing that has all that
    is named."""
    named = NamedSubjects.of(question, language, block.page.ref.language, BESIDE)
    stated = stated_hours(block.page) if named.words.words else ()
    found = [each for each in stated if named.is_in(each.place)]
    return asked_hours(question, language, block) or (found if len(found) == 1 else [])


def asked_hours(question: str, language: str, block: FoundBlock) -> list[OpeningHours]:
    """Return the opening hours in the text that answers best.

    They are those of its table or list, or of the sentence with most of the question's words. If these belong
    to something else, the hours of the one place that the question names are returned. Telephone hours, and
    hours of a place named by a heading, are returned only if the question asks for them.
    """
    if block.passage.field != "content":
        return []
    page = block.page
    content, words = page.fields["content"], _words(question, language)
    named = NamedSubjects.of(question, language, page.ref.language, words_beside())
    headed = named.found_in("\n".join(signs.HEADING.findall(content)))

    def asked(among: Iterable[OpeningHours], *above: str) -> list[OpeningHours]:
        """Return the hours that have every word of the question that is in a heading of the page."""
        return [
            each
            for each in among
            if (not each.is_phone or asks_phone(question))
            and (not each.place or named.found_in(each.place))
            and headed <= named.found_in("\n".join((page.title, *above, each.place, each.name, each.text)))
        ]

    found = page_hours(content)
    within = _in_span(block.wholes[-1], found) or _of_section(named, block, found)
    if _ASKS_TO_CALL.search(question) and _has_phone_times(content):
        found = tuple(each for each in found if each.is_phone)
        within = list(found) if len(found) == 1 else [each for each in within if each.is_phone]
    listed, said = ([each for each in within if bool(each.text) == is_said] for is_said in (False, True))
    told = asked(listed, *block.headings) or asked(_best_sentence(words, language, said), *block.headings)
    elsewhere = asked(each for each in found if each.place) if within else []
    return told or (elsewhere if len(elsewhere) == 1 else [])


def _has_phone_times(content: str) -> bool:
    """Return True if a line of the page says when somebody answers the telephone."""
    return any(
        signs.PHONE.search(line) and any(word.kind == "time" and word.has_unit for word in words_of(line))
        for line in content.splitlines()
        if len(line) <= MOST_CHARACTERS
    )


def _in_span(span: Span, among: Sequence[OpeningHours]) -> list[OpeningHours]:
    return [each for each in among if any(span[0] <= at < span[1] for at in each.starts)]


def _of_section(named: NamedSubjects, block: FoundBlock, among: Sequence[OpeningHours]) -> list[OpeningHours]:
    """The listed hours in the section of a text, such as a note beside them, if the headings name all that is
    asked for."""
    is_named = named.words.words and named.is_in("\n".join((block.page.title, *block.headings)))
    return [each for each in _in_span(block.around, among) if not each.text] if is_named else []


def _best_sentence(words: Set[str], language: str, among: Sequence[OpeningHours]) -> list[OpeningHours]:
    """The hours of the one sentence that has most of the question's words; empty if several have as many."""
    shares = sorted((len(words & _words(each.text, language)), at) for at, each in enumerate(among))
    if not shares or (len(shares) > 1 and shares[-1][0] == shares[-2][0]):
        return []
    return [among[shares[-1][1]]]


def _words(text: str, language: str) -> Set[str]:
    return {
        token for word in analysis.content_words(text, language) for token in analysis.tokens(word, language)
    }
