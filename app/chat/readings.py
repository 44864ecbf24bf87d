"""Decides whether a question goes on with the page answered last or begins a new subject. Pure functions.

What it names itself decides (:mod:`app.chat.text.wording`): a question that names nothing goes on; one with a
word of its own that other pages have, and that page has not, begins anew, unless it leans on what was said.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.chat.text.wording import Leaning, Wording
from app.search import analysis
from app.search.types import Hit, IndexedPage
from ingest.types import FieldName

GAIN: Final = 0.05
"""What goes on with the last questions is found better with them, by so much of relevance at least; what
leans on them strongly is at least not found worse."""

CLEAR_GAIN: Final = 0.08
"""... and with so much it goes on with them if it has a pronoun, or a word of that page beside words that no
page has, unless other pages are about these."""

LEAST_MORE: Final[Mapping[Leaning, int]] = {"weak": 1, "strong": 2}
"""By how many words more other pages have to be named by a question that leans."""

MARGIN: Final = 0.12
"""Difference in relevance up to which a page is about as near to a question as another one."""

CLOSE: Final = 0.05
"""... and up to which a question that can stand alone may as well be about the other one."""

OTHER_PAGES: Final = 3
"""Of the pages found for the question alone, as many are asked for its words."""

READ_CHARACTERS: Final = 200_000

HEADS: Final[tuple[FieldName, ...]] = ("title", "name", "keywords")
"""Fields that say what a page is about, as its headings do."""

_HEADING: Final = re.compile(r"^#{1,6} .*", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a question is meant. ``goes_on``: about the page answered last. ``is_doubtful``: it may be meant
    the other way, too."""

    goes_on: bool
    is_doubtful: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The words of a question that name subjects, by where they are: on the page answered ``last``, on
    ``others`` alone, on none (``unknown``). ``titles``: those in titles and headings of other pages alone."""

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
    """Return how a question is meant. ``last``, ``other``: the relevance to the question alone of the page
    answered last and of the best other one; ``gain``: by how much the best page is more relevant to the
    question together with those before it. ``None``: not known."""
    if wording.changes or not wording.subjects:
        return Reading(goes_on=not wording.changes)
    least_gain = -GAIN if wording.leaning == "strong" else GAIN
    if gain is not None and gain < least_gain and named.others:
        return Reading(goes_on=False)
    is_clear = (gain or 0.0) >= CLEAR_GAIN and not named.titles
    is_near = last is not None and last >= (other or 0.0) - MARGIN
    if wording.leaning in LEAST_MORE:
        return _leaning(named, LEAST_MORE[wording.leaning], is_near=is_near, is_clear=is_clear)
    if wording.leaning == "replacing":
        # A fragment is nothing alone: what no page has a word of can only go on.
        has_some = bool(named.last) or (is_clear and not named.others)
        goes_on = has_some and not named.titles
        return Reading(goes_on=goes_on, is_doubtful=goes_on and bool(named.others))
    # Who names several things that no page has, and no more of that page, means one of these by "it".
    tells_story = len(named.unknown) > max(1, len(named.last))
    if wording.leaning == "bound" and not (named.others or named.titles or tells_story):
        return Reading(goes_on=True)
    # A question that can stand alone goes on with a page that has all that it names, or some of it and gains
    # by it: what names nothing there, such as the weather, is a new subject.
    has_all = not named.titles and named.unknown <= wording.verbs and (is_near or gain is None or gain > 0)
    has_some = bool(named.last) and (is_clear or (wording.joins and is_near))
    joins = wording.joins and is_clear
    goes_on = not named.others and (has_all or has_some or joins)
    return Reading(goes_on=goes_on, is_doubtful=goes_on and (other or 0.0) > (last or 0.0) - CLOSE)


def _leaning(named: Named, least: int, *, is_near: bool, is_clear: bool) -> Reading:
    """A question that seems to lean on the last one has a subject of its own if other pages have clearly more
    of its words: more than ``least``, or as many where the page answered last is not about as near."""
    more = len(named.others) - len(named.last)
    is_own = not is_clear and (more > least or (more == least and not is_near))
    return Reading(goes_on=not is_own, is_doubtful=more <= least if is_own else bool(named.others))


def named(
    wording: Wording, language: str | None, last: Collection[IndexedPage], others: Sequence[Hit]
) -> Named:
    """Return where the words are that the question names subjects by."""
    refs = {page.ref for page in last}
    pages = [hit.page for hit in others if hit.page.ref not in refs][:OTHER_PAGES]
    subjects = frozenset(wording.subjects)
    on_last, anywhere = (_having(subjects, language, some, _all_text) for some in (last, pages))
    headed, known = (_having(subjects, language, some, _heads) for some in (pages, last))
    elsewhere = (anywhere - wording.verbs) | headed
    return Named(
        last=on_last,
        others=elsewhere - on_last,
        unknown=subjects - on_last - elsewhere,
        titles=headed - known,
    )


def _all_text(page: IndexedPage) -> str:
    return "\n".join(text[:READ_CHARACTERS] for text in page.fields.values())


def _heads(page: IndexedPage) -> str:
    """What says what a page is about: its title, name and keywords, and its headings."""
    content = page.fields.get("content", "")[:READ_CHARACTERS]
    names = (page.fields.get(name, "") for name in HEADS)
    return "\n".join((*names, *_HEADING.findall(content)))


def _having(
    words: Collection[str],
    language: str | None,
    pages: Collection[IndexedPage],
    text: Callable[[IndexedPage], str],
) -> frozenset[str]:
    """The words that the ``text`` of any of the pages has."""
    found: set[str] = set()
    for page in pages:
        own = page.ref.language
        stems = frozenset(analysis.tokens(text(page), own))
        found |= {
            word for word in words if not stems.isdisjoint(analysis.forms(word, {language or own, own}))
        }
    return frozenset(found)
