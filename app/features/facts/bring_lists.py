"""Lists of what to bring, as pages have them. Pure functions; in doubt there are none.

A list is shown whole, with the sentence that leads to it. If a page has several, the question must name the
case.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from app.features.facts.block_texts import BULLET, headings_above
from app.features.facts.named import NamedSubjects
from app.search.analysis import link_share
from app.search.answer_kinds import asked_kinds
from app.search.types import IndexedPage
from ingest.blocks import Span, blocks, rows

CACHED_PAGES: Final = 64
MOST_CHARACTERS: Final = 1_500
FEWEST_ITEMS: Final = 2
MOST_LINKED: Final = 0.5

_HEADING: Final = re.compile(
    r"\b(?:\w*unterlagen|mitbringen|mitzubringen|nachweise|dokumente|(?:brauchen|benötigen) (?:sie|wir)"
    r"|(?:sie|wir) (?:brauchen|benötigen)|what to bring|bring with you"
    r"|(?:documents|papers)(?: (?:you|required|needed))?"
    r"|(?:(?:what|documents|papers) )?(?:you|we)(?:['’]ll)?(?: will)? need|please bring)\b",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(
    r"\bbringen sie\b.*\bmit\b|mitzubringen|mitbringen|vorzulegen|vorlegen|\bunterlagen\b"
    r"|(?:brauchen|benötigen) sie\b|\bsie (?:brauchen|benötigen)\b"
    r"|\bbring\b|\byou (?:will |also )?need\b(?! to)|\bdocuments\b",
    re.IGNORECASE,
)
_ACT: Final = re.compile(
    r"\bbring|mitzubringen|mitbringen|(?:vor|ein|bei|ab)(?:zu)?(?:leg|reich|füg|geb)en|nachweisen|nachzuweisen"
    r"|\b(?:reichen|legen|fügen|geben) sie\b|\b(?:submit|enclose|attach|provid(?:e|ing))\b",
    re.IGNORECASE,
)
"""Says that something is handed in."""

_GIVEN: Final = re.compile(
    r"übergeben|übergibt|aushänd|erhalten\b|erhält\b|bekomm|zugesandt|zugeschickt|\b(?:schicken|senden) wir\b"
    r"|\breceive|\bgives? you\b|\bhand over\b|\bsends? you\b",
    re.IGNORECASE,
)
"""Says that others hand something over."""

_NEEDED: Final = re.compile(
    r"\bunterlagen\b|\b(?:documents|papers)\b.{0,20}\b(?:needed?|required)\b"
    r"|\b(?:necessary|required|following) (?:documents|papers)\b",
    re.IGNORECASE,
)
_PAPER: Final = re.compile(
    r"ausweis|\w*pass\b|urkunde|bescheinigung|nachweis|beleg|vollmacht|zeugnis|\bkopien?\b|foto|bestätigung"
    r"|vertrag|verträge|bescheid\b|formular|antrag\b|schein\b|auszug|abrechnung|gutachten"
    r"|passport|\bid\b|identi|certificat|proof|cop(?:y|ies)\b|photo|letter|permit|licen[cs]e|contract|statement"
    r"|\bform\b|deed",
    re.IGNORECASE,
)
_TASK: Final = re.compile(
    r"(?:[A-ZÄÖÜ][a-zäöüß]+n Sie\b"
    r"|(?i:make sure|keep|ensure|remember|consider|find out|ask|write|call|check (?:the|that|if|your))\b)"
)
"""Begins an item that says what to do."""

_UNFINISHED: Final = re.compile(r"\b(?:wenn|falls|sofern|dass|if|unless)\W*$", re.IGNORECASE)
_OTHER: Final = re.compile(
    r"nicht|kein|\bnot\b|\bno\b|download|herunterladen|formular|\bform\b", re.IGNORECASE
)
_APPLICATION: Final = re.compile(r"\b([^\W\d_]{5,}?)s?antr[aä]g(?:e?s|e)?\b", re.IGNORECASE)
"""The name of an application ("Wohngeldantrag"): the page is often titled without it, "Wohngeld"."""

_ADDED: Final = re.compile(
    r"zusätzlich|außerdem|darüber hinaus|ferner\b|\bauch\b|\balso\b|additional|in addition", re.IGNORECASE
)
"""Leads to a list of what some people bring in addition to the list before it."""

_TWO_THINGS: Final = re.compile(r"\b(?:und|and)\b|[&/,]", re.IGNORECASE)
_ALSO_NAMED: Final = re.compile(r"^(?:und\b|and\b|[&/])\s*\w|\w\s*(?:\bund|\band|[&/])$", re.IGNORECASE)
"""Remains of a heading that names something else beside what to bring."""

_WHERE: Final = re.compile(r"\b(?:wo|wohin|where)\b", re.IGNORECASE)
_COLON: Final = re.compile(r"[:：][\s*_]*$")
_BESIDE: Final = frozenset({
    "unterlagen", "dokumente", "papiere", "nachweise", "alles", "benötige", "benötigt", "benötigen",
    "brauche", "brauch", "mitbringen", "vorlegen", "beantragen", "beantragung", "beantrage", "antrag",
    "bitte", "documents", "papers", "paperwork", "bring", "apply", "applying", "application",
})  # fmt: skip
"""Words of such questions that do not say what they are about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BringList:
    """A list of what to bring.

    ``above``: the headings above it, without the page's title. ``lead``: the sentence before it, often empty.
    ``text``: the items as Markdown, including those of additional lists after it; ``added``: what leads to
    these. ``is_general``: its last heading says only that it is such a list. ``span``: of the text, in
    characters of the page's content.
    """

    above: tuple[str, ...]
    lead: str
    text: str
    is_general: bool
    span: Span
    added: tuple[str, ...] = ()


@lru_cache(maxsize=CACHED_PAGES)
def page_bring_lists(markdown: str, title: str) -> tuple[BringList, ...]:
    """Return the lists of what to bring in the content of a page with this ``title``."""
    told: list[BringList] = []
    for each in dict.fromkeys(_lists(markdown, title)):
        if told and _ADDED.search(each.lead) and _follows(told[-1], each, markdown):
            added = (*told[-1].added, each.lead)
            told[-1] = replace(told[-1], span=(told[-1].span[0], each.span[1]), added=added)
        else:
            told.append(each)
    whole = (replace(each, text=markdown[slice(*each.span)].strip("\n")) for each in told)
    return tuple(each for each in whole if len(each.text) <= MOST_CHARACTERS and _has_items(each.text))


def _has_items(text: str) -> bool:
    return text.count("\n") >= FEWEST_ITEMS - 1


def _follows(before: BringList, each: BringList, markdown: str) -> bool:
    """Return True if nothing but its lead is between a list and the one before it."""
    between = markdown[before.span[1] : each.span[0]].strip()
    return before.above == each.above and between == each.lead


def _lists(markdown: str, title: str) -> Iterator[BringList]:
    for block in blocks(markdown):
        if block.kind != "list":
            continue
        heading, outer = "".join(block.headings[-1:]), "".join(block.headings[-2:-1])
        lead = markdown[slice(*block.spans[0])].strip() if len(block.spans) > 1 else ""
        is_of_case = _HEADING.search(outer) and not _TWO_THINGS.search(outer) and outer not in title
        rest = _HEADING.sub("", heading).strip(" :?!.-–")
        is_titled = bool(_HEADING.search(heading) or is_of_case) and not _OTHER.search(f"{outer} {heading}")
        is_titled = is_titled and not _ALSO_NAMED.search(rest)
        is_led = bool(_COLON.search(lead) and _LEAD.search(lead)) and not _OTHER.search(lead)
        start, end = block.wholes[-1]
        text = markdown[start:end].strip("\n")
        is_list = len(text) <= MOST_CHARACTERS and (_has_items(text) or _ADDED.search(lead))
        if (
            is_list
            and link_share(text) < MOST_LINKED
            and (is_led or (is_titled and (not lead or _COLON.search(lead))))
            and _are_handed_in(f"{outer}\n{heading}\n{lead}", text)
        ):
            above = headings_above(block, title)
            yield BringList(
                above=above, lead=lead, text=text, is_general=is_titled and not rest, span=(start, end)
            )


def _are_handed_in(told: str, text: str) -> bool:
    """Return True if the words above a list say that its items are handed in, or at least that they are
    needed, if some are papers."""
    items = [BULLET.sub("", text[start:end]) for start, end in rows(text, "list")]
    if _UNFINISHED.search(told) or 2 * sum(bool(_TASK.match(item)) for item in items) > len(items):
        return False
    is_needed = _NEEDED.search(told) or _PAPER.search(text)
    return bool(_ACT.search(told) or (is_needed and not _GIVEN.search(told)))


def asked_bring_list(
    question: str, language: str, page: IndexedPage, *, is_best: bool = True
) -> BringList | None:
    """Return the list of a page that a question in ``language`` asks for.

    ``None`` if it asks for something else, or does not say which. ``is_best``: the page answers best; the
    titles of other pages do not count.
    """
    kinds = {kind.name for kind in asked_kinds(question)}
    if "documents" not in kinds or kinds - {"documents", "where"} or _WHERE.search(question):
        return None
    lists = page_bring_lists(page.fields.get("content", ""), page.title)
    title = page.title if is_best else ""
    for asked in dict.fromkeys((question, _APPLICATION.sub(r"\1", question))):
        named = NamedSubjects.of(asked, language, page.ref.language, _BESIDE)
        found = [each for each in lists if named.words.words and _is_named(named, each, title, len(lists))]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _is_named(named: NamedSubjects, each: BringList, title: str, count: int) -> bool:
    """Return True if all that is named is above the list, and not all of it in the title alone.

    If there is only one list, and no heading names a case, the first word of the title counts as above the
    list.
    """
    own = "\n".join((*each.above, each.lead, *each.added))
    needs_case = count > 1 or not each.is_general or len(each.above) > 1
    first = " ".join(title.split()[:1])
    return named.is_in(f"{title}\n{own}") and bool(named.found_in(own if needs_case else f"{own}\n{first}"))
