"""Checks that opening hours belong to the thing that a question asks about. Pure functions.

A page names much besides: the café in the library, the hall at the cemetery. A word anywhere on it does not
show that its hours are those of the café.
"""

import re
from dataclasses import replace
from functools import cache
from typing import Final

from app.features.facts.block_texts import said
from app.features.facts.called import first_phrase, main_thing
from app.features.facts.doubts import plain
from app.features.facts.hours import OpeningHours
from app.features.facts.hours_words import months, weekdays
from app.features.facts.named import NamedSubjects
from app.features.facts.page_facts import contacts_of
from app.search import analysis
from app.search.types import IndexedPage
from ingest.blocks import Block, blocks

BESIDE: Final = frozenset({
    "sprechzeiten", "sprechstunde", "sprechstunden", "offen", "auf", "zu", "machen", "macht", "öffnet",
    "öffnen", "schließt", "schließen", "besetzt", "erreichbar", "grad", "grade", "gerade", "derzeit",
    "zurzeit", "aktuell", "momentan", "regulär", "durchgehend", "mittagspause", "currently", "times", "lunch",
    "noon",
})  # fmt: skip
"""Words that name no office in a question for opening hours."""

_VISITOR: Final = re.compile(
    r"\b(?:kann|können|könnte[nt]?|darf|dürfen|muss|soll\w*|can|could|may|should)\s(?:ich|man|wir|i|we)\b",
    re.IGNORECASE,
)
"""In questions that name what somebody wants to do instead of what is open."""


@cache
def words_beside() -> frozenset[str]:
    """Return the words that name no office in a question for the hours of a day: ``BESIDE``, weekdays and
    months."""
    return BESIDE | weekdays().keys() | months().keys()


def is_of_thing(question: str, language: str, page: IndexedPage, hours: OpeningHours) -> bool:
    """Return True unless the question is about a thing that only other parts of the page name.

    The thing must be named by the page's title or first sentence, by a heading above the hours, before them
    in their section, or with them. On a page in another language the names of its contacts count too, because
    they are not translated. A thing that the page does not name at all is not checked.
    """
    if _VISITOR.search(question):
        return True
    named = NamedSubjects.of(question, language, page.ref.language, words_beside())
    thing = _with_modifiers(question, language, main_thing(question, named), named)
    content, [start, *_] = page.fields.get("content", ""), hours.starts
    found = blocks(content)
    block = next((each for each in found if each.own[0] == start), None)
    above = (*block.headings, _before(content, block, hours.text)) if block else ()
    names = [each.name for each in contacts_of(page)] if language != page.ref.language else []
    own = (page.title, *above, hours.place, hours.name, hours.text, *names, *_subjects(content, found))
    return not thing.found_in("\n".join(page.fields.values())) - thing.found_in("\n".join(own))


def _with_modifiers(
    question: str, language: str, thing: NamedSubjects, named: NamedSubjects
) -> NamedSubjects:
    """The thing with the English words before it that say which one it is: the shuttle office. Capitalised
    ones, such as a town's name, say it of every office."""
    heads = "|".join(map(re.escape, thing.words.words))
    found = re.search(rf"((?:[a-z]+ )+)(?:{heads})\b", question) if language == "en" and heads else None
    more = set(analysis.folded(found[1])) & set(named.words.words) if found else set()
    return replace(thing, words=replace(thing.words, words=(*thing.words.words, *more)))


def _before(content: str, block: Block, text: str) -> str:
    """The text of a block's section up to the hours; of a sentence, the block's text before it."""
    above, own = content[block.around[0] : block.own[0]], plain(content[slice(*block.own)])
    return "\n".join((above, own[: own.find(text)] if text in own else own))


def _subjects(content: str, found: list[Block]) -> list[str]:
    """What the page's first sentence, such as "The lido is a heated pool in the forest", says of its subject;
    empty if no text follows the page's title."""
    is_text = found[:1] and found[0].kind == "text" and len(found[0].headings) < 2
    return [first_phrase(plain(each)) for each in said(content[slice(*found[0].own)])[:1]] if is_text else []
