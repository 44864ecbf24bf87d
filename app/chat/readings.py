"""Decides whether a question goes on with the page answered last or begins a new subject. Pure functions.

The subjects that the question names decide (:mod:`app.chat.text.wording`). A question that names none goes
on. One with a word that only other pages have begins a new subject, unless it leans on earlier questions.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from app.chat.text.wording import Leaning, Wording
from app.search import analysis, dictionary
from app.search.retrieval import Hit
from app.search.types import IndexedPage
from ingest.types import FieldName

GAIN: Final = 0.05
"""If only other pages have a word of it, a question goes on only if searching for it with the earlier ones
gains at least so much relevance. One that leans on them strongly may lose as much."""

CLEAR_GAIN: Final = 0.08
"""A gain from here up is clear: a question with a pronoun goes on, and so does one with a word of the page
answered last beside words that no page has, unless other pages are about its words (``Named.titles``)."""

LEAST_MORE: Final[Mapping[Leaning, int]] = {"weak": 1, "strong": 2}
"""The lead in words that other pages need for a question that leans to be about them (:func:`_leaning`)."""

MARGIN: Final = 0.12
"""A page less relevant than another one by at most this is about as near to the question."""

CLOSE: Final = 0.05
"""If the page answered last leads by less than this, a question that can stand alone is doubtful."""

OTHER_PAGES: Final = 3
"""So many of the other pages found for the question alone are searched for its words."""

READ_CHARACTERS: Final = 200_000

PART_LETTERS: Final = 4
"""A word with at least this many letters may begin or end longer ones that say the same."""

LINKING_LETTERS: Final = 2

_AGE: Final = re.compile(
    r"kind(?:er)?n?|babys?|säuglinge?|jugendlichen?|teenagers?|erwachsenen?|senior(?:en|s)?|rentner"
    r"|child(?:ren)?|kids?|babies|toddlers?|adults?"
)

HEADS: Final[tuple[FieldName, ...]] = ("title", "name", "keywords")
"""Fields that, like headings, say what a page is about."""

_HEADING: Final = re.compile(r"^#{1,6} .*", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The likelier reading of a question. ``continues``: it is about the page answered last. ``is_doubtful``:
    the opposite may be meant."""

    continues: bool
    is_doubtful: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The words by which a question names subjects, by where they stand: on the page answered ``last``, only
    on ``others``, on no page (``unknown``). ``titles``: those in titles and headings of other pages only."""

    last: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()


NOTHING: Final = Named()


def reading(
    wording: Wording,
    named: Named = NOTHING,
    *,
    last: float | None = None,
    other: float | None = None,
    gain: float | None = None,
) -> Reading:
    """Return how a question is meant.

    ``last``, ``other``: the relevance to the question alone of the page answered last, and of the best other
    page. ``gain``: the relevance that the search gains by adding the earlier questions. ``None``: not known.
    """
    if wording.changes or not wording.subjects:
        return Reading(continues=not wording.changes)
    least_gain = -GAIN if wording.leaning == "strong" else GAIN
    if gain is not None and gain < least_gain and named.others:
        return Reading(continues=False)
    is_clear = (gain or 0.0) >= CLEAR_GAIN and not named.titles
    is_near = last is not None and last >= (other or 0.0) - MARGIN
    if wording.leaning in LEAST_MORE:
        return _leaning(named, LEAST_MORE[wording.leaning], is_near=is_near, is_clear=is_clear)
    if wording.leaning == "replacing":
        # A fragment needs the earlier question: a word on that page, or a clear gain with no word elsewhere.
        has_some = bool(named.last) or (is_clear and not named.others)
        continues = has_some and not named.titles
        return Reading(continues=continues, is_doubtful=continues and bool(named.others))
    # With several words that no page has, and no more of that page, "it" stands for one of these words.
    tells_story = len(named.unknown) > max(1, len(named.last))
    if wording.leaning == "bound" and not (named.others or named.titles or tells_story):
        return Reading(continues=True)
    # A question that can stand alone goes on if the page has all that it names, or some of it with a gain.
    # One that names nothing on that page, such as the weather, is a new subject.
    has_all = not named.titles and named.unknown <= wording.verbs and (is_near or gain is None or gain > 0)
    has_some = bool(named.last) and (is_clear or (wording.begins_with_conjunction and is_near))
    is_joined = wording.begins_with_conjunction and is_clear
    continues = not named.others and (has_all or has_some or is_joined)
    return Reading(continues=continues, is_doubtful=continues and (other or 0.0) > (last or 0.0) - CLOSE)


def _leaning(named: Named, least: int, *, is_near: bool, is_clear: bool) -> Reading:
    """Return the reading of a question that seems to lean on the last one. It has a subject of its own if
    other pages have more than ``least`` more of its words, or just ``least`` more while the page answered
    last is not about as near."""
    more = len(named.others) - len(named.last)
    is_own = not is_clear and (more > least or (more == least and not is_near))
    return Reading(continues=not is_own, is_doubtful=more <= least if is_own else bool(named.others))


def named(
    wording: Wording, language: str | None, last: Collection[IndexedPage], others: Sequence[Hit]
) -> Named:
    """Return where the words stand by which the question names subjects."""
    refs = {page.ref for page in last}
    pages = [hit.page for hit in others if hit.page.ref not in refs][:OTHER_PAGES]
    subjects = frozenset(wording.subjects)
    on_last, anywhere = (_having(subjects, language, some, _all_text) for some in (last, pages))
    headed, known = (
        _having(subjects, language, some, _heads) | _in_compounds(subjects, language, some)
        for some in (pages, last)
    )
    elsewhere = (anywhere - wording.verbs) | headed
    return Named(
        last=on_last,
        others=elsewhere - on_last,
        unknown=subjects - on_last - elsewhere,
        titles=headed - known,
    )


def words_in_title(question: str, language: str | None, page: IndexedPage) -> str:
    """Return the words of a question, except function words, that the page's title has in any form."""
    own = page.ref.language
    languages = {language or own, own}
    title = frozenset(analysis.tokens(page.title, own))
    functions = analysis.function_words()
    return " ".join(
        word
        for word in analysis.words(question)
        if word.casefold() not in functions
        and not title.isdisjoint(analysis.forms(word.casefold(), languages))
    )


def is_said(wording: Wording, language: str | None, pages: Collection[IndexedPage]) -> bool:
    """Return True unless the question is a fragment and no page has, not even translated or in a compound, a
    word by which it names a subject. People of an age count as said: pages have their years instead."""
    words = [word for word in wording.subjects if not _AGE.fullmatch(word)]
    if not wording.is_fragment or not words:
        return True
    return any(_has(page, word, language) or _is_part(word, page) for page in pages for word in words)


def _has(page: IndexedPage, word: str, language: str | None) -> bool:
    """Return True if the page has the word in any form, or a translation of it."""
    own = page.ref.language
    return not dictionary.forms(word, language or own, own).isdisjoint(analysis.tokens(_all_text(page), own))


def _is_part(word: str, page: IndexedPage) -> bool:
    """Return True if the page has a longer word that begins or ends with this one."""
    tokens = analysis.folded(_all_text(page))
    return len(word) >= PART_LETTERS and any(
        token.startswith(word) or token.endswith(word) for token in tokens
    )


def _all_text(page: IndexedPage) -> str:
    return "\n".join(text[:READ_CHARACTERS] for text in page.fields.values())


def _heads(page: IndexedPage) -> str:
    """Return the texts that say what a page is about: title, name, keywords and headings."""
    content = page.fields.get("content", "")[:READ_CHARACTERS]
    names = (page.fields.get(name, "") for name in HEADS)
    return "\n".join((*names, *_HEADING.findall(content)))


def _having(
    words: Collection[str],
    language: str | None,
    pages: Collection[IndexedPage],
    text: Callable[[IndexedPage], str],
) -> frozenset[str]:
    """Return the words that occur in the ``text`` of any of the pages."""
    found: set[str] = set()
    for page in pages:
        own = page.ref.language
        stems = frozenset(analysis.tokens(text(page), own))
        found |= {
            word for word in words if not stems.isdisjoint(analysis.forms(word, {language or own, own}))
        }
    return frozenset(found)


def _in_compounds(
    words: Collection[str], language: str | None, pages: Collection[IndexedPage]
) -> frozenset[str]:
    """Return the words whose translations make one word of a title or heading in another language: "dog tax"
    is *Hundesteuer*."""
    found: set[str] = set()
    for page in pages:
        own = page.ref.language
        if language in (None, own):
            continue
        forms = {word: dictionary.forms(word, language, own) for word in words}
        for stem in {*analysis.tokens(_heads(page), own)}:
            found |= {
                word
                for first, second in permutations(words, 2)
                if _joins(stem, forms[first], forms[second])
                for word in (first, second)
            }
    return frozenset(found)


def _joins(stem: str, first: Collection[str], second: Collection[str]) -> bool:
    """Return True if the stem is one of the first ones and one of the second ones, perhaps with a linking
    "e" or "es" between them."""
    rests = (stem.removeprefix(form) for form in first if stem.startswith(form))
    return any(
        rest.endswith(form) and len(rest) - len(form) <= LINKING_LETTERS for rest in rests for form in second
    )
