"""Searches for follow-ups as asked: before a model has rephrased them, or without one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import chain, zip_longest
from textwrap import shorten
from typing import Final

from app.chat.readings import NOTHING, OTHER_PAGES, Named, Reading, is_said, named, reading, words_in_title
from app.chat.text.suggestions import SEPARATOR, TITLE_CHARACTERS
from app.chat.text.wording import READ_LANGUAGES, Wording, core, corrected, kinds_of, without_kinds, wording
from app.chat.types import CitedPage, Turn
from app.search import analysis
from app.search.answer_kinds import asked_kinds
from app.search.languages import question_language
from app.search.retrieval import Certainty, Hit, Retrieval
from app.search.types import IndexedPage
from app.search.written_language import written_out
from ingest.types import PageRef

RELEVANCE_MARGIN: Final = 0.14
"""A result that is less relevant by more than this is clearly worse. A follow-up that is searched for alone
loses more than this, a question on a new subject less."""

MOST_EARLIER: Final = 3
"""At most so many earlier questions are searched for with a follow-up, back to the last that names its
subject."""

FOUND_BEFORE: Final = 3
"""If the history does not name the page answered last, it is looked for among so many pages found before."""

MOST_READINGS: Final = 2
"""At most so many other readings of a doubtful question are offered."""

LIKELIER: Final = 0.03
"""A question that asks something else about the page answered last is searched for with the page's subject
alone if its likeliest block is likelier by this much."""

Search = Callable[[str], Retrieval]


class FollowUp:
    """The searches for a question that may be a follow-up, each made when first needed.

    A question *goes on* if it is about the page answered last. ``search`` is called with each wording; the
    methods raise its errors.
    """

    def __init__(self, search: Search, question: str, history: Sequence[Turn]) -> None:
        self._search = cache(search)
        self._question = corrected(question) if history else question
        self._history = history
        self._earlier = [turn.content for turn in history if turn.role == "user"]
        self._language = _language([question, *reversed(self._earlier)])

    def as_meant(self) -> Retrieval:
        """Return the result of the likelier reading.

        A question that goes on is searched for together with earlier ones; the page answered last comes first
        and is the only one quoted (``Retrieval.about``). A question on a new subject is searched for as if it
        were the first. If both are likely, ``Retrieval.other_readings`` has the other reading.
        """
        if not self._earlier or self._of_chosen_page:
            return self._of_chosen_page or self._search(self._question)
        if self._language not in READ_LANGUAGES:
            return self.in_both_readings()
        if self._wording.is_complete and self._wording.changes:
            return self._alone
        last = self._last_pages
        if not last:
            return self._alone if self._wording.is_complete else self._joined
        found = self._named(last)
        meant = self._reading(last, found)
        if meant.continues:
            has_words = bool(found.last) or self._wording.verbs >= {*self._wording.subjects}
            found_on = self._continued(last, has_words=has_words, is_doubtful=meant.is_doubtful)
            return self._hedged(found_on, last)
        alone = replace(self._alone, other_readings=self._meant(last if meant.is_doubtful else ()))
        return self._hedged(alone, alone.hits[:OTHER_PAGES])

    def in_both_readings(self) -> Retrieval:
        """Return the hits of both readings, interleaved, as many as the longer result has.

        This is for a model, which can see which reading is meant. The hits for the question alone come first,
        unless they are clearly less relevant or nothing near was found. The certainty is at most ``near``
        unless the question alone is answered.
        """
        if not self._earlier or self._of_chosen_page:
            return self._of_chosen_page or self._search(self._question)
        joined = self._joined
        if analysis.is_short(self._question):
            return joined
        alone = self._alone
        limit = max(len(joined.hits), len(alone.hits))
        first, second = (joined, alone) if is_less_relevant(alone, joined) else (alone, joined)
        # The question leans on the previous one, or is small talk. In a language that no page has, hits that
        # only come near cannot distinguish the two.
        if alone.certainty == "far" or (alone.is_foreign and alone.certainty == "near"):
            first, second = joined, alone
        return replace(
            first,
            certainty=first.certainty if alone.certainty == "answered" else _at_most_near(first.certainty),
            hits=_interleaved(first.hits, _unrelated(second.hits))[:limit],
            keyword_hits=joined.keyword_hits or alone.keyword_hits,
            degraded=tuple(dict.fromkeys((*joined.degraded, *alone.degraded))),
        )

    @cached_property
    def _wording(self) -> Wording:
        return wording(written_out(self._question, self._language), self._language)

    @cached_property
    def _of_chosen_page(self) -> Retrieval | None:
        """The result for a question that ends with a page's title (:func:`asked_about`), that page first; or
        None if no page found has this title."""
        if SEPARATOR not in self._question:
            return None
        found = self._search(self._question)
        asked = self._question.rstrip("? ")
        titles = {hit.page.ref: _title(hit.page).rstrip("? ") for hit in found.hits}
        chosen = [title for title in titles.values() if asked.endswith(f"{SEPARATOR}{title}")]
        meant = max(chosen, key=len, default=None)  # "Residents – Parking" also ends with "Parking"
        refs = frozenset(ref for ref, title in titles.items() if title == meant)
        return replace(found, hits=pages_first(found.hits, refs), about=refs) if refs else None

    @cached_property
    def _alone(self) -> Retrieval:
        """The result for the question alone, without words that join it to earlier ones. A question that only
        names another thing ("and a passport?") asks the same about it as the last one did."""
        text = core(self._question)
        if self._wording.leaning == "replacing":
            text = " ".join(filter(None, (kinds_of(self._earlier[-1]), text)))
        return self._search(text)

    @cached_property
    def _joined(self) -> Retrieval:
        """The result for the question with earlier ones. If it says itself what it asks for ("and who does
        that?"), only their subject is added: with what they asked for, their answer would come again."""
        earlier = map(without_kinds, self._chain) if self._asks else self._chain
        return self._search(" ".join(filter(None, (*earlier, self._question))))

    @property
    def _asks(self) -> bool:
        """True if the question says itself what it asks for, instead of asking the same about another
        thing."""
        is_whole = self._wording.leaning not in ("replacing", "strong")
        return bool(kinds_of(self._question)) or (is_whole and self._language in READ_LANGUAGES)

    @cached_property
    def _chain(self) -> list[str]:
        """The earlier questions back to the last one that names its subject."""
        chain: list[str] = []
        for earlier in self._earlier[: -MOST_EARLIER - 1 : -1]:
            chain.insert(0, earlier)
            if wording(earlier, self._language).is_complete:
                break
        return chain

    @cached_property
    def _last_pages(self) -> list[Hit]:
        """The page of the last answer, as a hit of the search for all questions; empty if it answered nothing
        or that search does not find its page. If the answer cites nothing, the page is searched for."""
        said = next((turn for turn in reversed(self._history) if turn.role == "assistant"), None)
        if said is None or said.verdict in ("none", "outside"):
            return []
        if not said.cited:
            return self._found_before()
        hits = {CitedPage(id=hit.page.ref.id, url=hit.page.url): hit for hit in self._joined.hits}
        return [hits[page] for page in said.cited if page in hits][:1]

    def _found_before(self) -> list[Hit]:
        """Return the best page for all questions among the first pages found for the earlier ones."""
        found = self._search(" ".join(self._chain))
        if found.certainty == "far":
            return []
        refs = {hit.page.ref for hit in found.hits[:FOUND_BEFORE]}
        return [hit for hit in self._joined.hits if hit.page.ref in refs][:1]

    def _named(self, last: Sequence[Hit]) -> Named:
        """Return where the words stand by which the question names subjects."""
        if not self._wording.subjects:
            return NOTHING
        return named(self._wording, self._language, [hit.page for hit in last], self._alone.hits)

    def _reading(self, last: Sequence[Hit], found: Named) -> Reading:
        """Return how the question is meant, after an answer from the page ``last``."""
        if not self._wording.subjects:
            return reading(self._wording)
        alone, joined = self._alone.relevance, self._joined.relevance
        refs = {hit.page.ref for hit in last}
        hits = [hit for hit in self._alone.hits if hit.near_chunks]
        own = [hit.near_chunks[0].relevance for hit in hits if hit.page.ref in refs]
        other = [hit.near_chunks[0].relevance for hit in hits if hit.page.ref not in refs]
        return reading(
            self._wording,
            found,
            last=max(own, default=None),
            other=max(other, default=None),
            gain=None if alone is None or joined is None else joined - alone,
        )

    def _continued(self, last: Sequence[Hit], *, has_words: bool, is_doubtful: bool) -> Retrieval:
        """Return the result for a question that goes on, the pages ``last`` first: found for all questions,
        or for the same about another thing. ``has_words``: True if these pages have a word of the question,
        or it has none: its other words are then about them, and do not count as absent."""
        refs = frozenset(hit.page.ref for hit in last)
        found = self._of_another_kind(last[0].page) or self._joined
        if self._wording.leaning == "replacing" and has_words:
            same = self._alone
            has_last = any(hit.page.ref in refs for hit in same.hits)
            found = same if has_last and same.certainty != "far" else found
        offered = [hit for hit in self._alone.hits if hit.page.ref not in refs] if is_doubtful else ()
        return replace(
            found,
            absent_words=() if has_words else found.absent_words,
            hits=pages_first(found.hits, refs),
            about=refs,
            other_readings=self._meant(offered),
        )

    def _of_another_kind(self, page: IndexedPage) -> Retrieval | None:
        """Return the result for a question that asks for another kind of answer than the earlier ones; None
        if it does not, if blocks are not read, or if the page has a likelier answer to all of them together.

        After a ticket's price, "When is it open?" is about the pool and not about the ticket: of the earlier
        questions only words of the page's title are searched for.
        """
        earlier = " ".join(self._chain)
        asked, before = ({kind.name for kind in asked_kinds(text)} for text in (self._question, earlier))
        was_read = any(hit.likelihoods for hit in self._joined.hits)
        if not (asked and before and was_read) or asked & before:
            return None
        subject = words_in_title(without_kinds(earlier), self._language, page)
        if not subject:
            return None
        found = self._search(f"{subject} {self._question}")
        gain = _likelihood(found, page.ref) - _likelihood(self._joined, page.ref)
        return found if gain >= LIKELIER else None

    def _hedged(self, found: Retrieval, quoted: Sequence[Hit]) -> Retrieval:
        """Return the result, unsure if no page ``quoted`` says what the question names: the fees of a
        passport do not answer "and for cats?"."""
        if is_said(self._wording, self._language, [hit.page for hit in quoted]):
            return found
        return replace(found, certainty=_at_most_near(found.certainty))

    def _meant(self, hits: Sequence[Hit]) -> tuple[str, ...]:
        """Return the question as asked about each of these pages, ``MOST_READINGS`` at most."""
        return asked_about(self._question, (hit.page for hit in hits))[:MOST_READINGS]


def asked_about(question: str, pages: Iterable[IndexedPage]) -> tuple[str, ...]:
    """Return the question as asked about each of these pages: followed by the page's title."""
    asked = core(question).rstrip("?!. ")
    asked = asked[:1].upper() + asked[1:]
    titles = dict.fromkeys(_title(page).rstrip("? ") for page in pages)
    return tuple(f"{asked}{SEPARATOR}{title}?" for title in titles)


def pages_first(hits: Sequence[Hit], refs: Collection[PageRef]) -> tuple[Hit, ...]:
    """Return the hits with new ranks, the pages ``refs`` first."""
    return _ranked(sorted(hits, key=lambda hit: hit.page.ref not in refs))


def is_less_relevant(found: Retrieval, other: Retrieval) -> bool:
    """Return True if ``found`` is clearly less relevant to its question than ``other`` to its own, or if a
    relevance is unknown."""
    if found.relevance is None or other.relevance is None:
        return True
    return found.relevance < other.relevance - RELEVANCE_MARGIN


def _language(texts: Sequence[str]) -> str | None:
    """Return the language of the first text whose language can be detected, or None."""
    return next(filter(None, map(question_language, texts)), None)


def _title(page: IndexedPage) -> str:
    return shorten(" ".join(page.title.split()), TITLE_CHARACTERS, placeholder=" …")


def _at_most_near(certainty: Certainty) -> Certainty:
    return "far" if certainty == "far" else "near"


def _unrelated(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits without ``near_chunks``: those near another question say nothing about this one."""
    return tuple(replace(hit, near_chunks=()) for hit in hits)


def _interleaved(first: Sequence[Hit], second: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits of both in turn, each page once, with new ranks."""
    ordered: dict[PageRef, Hit] = {}
    for pair in zip_longest(first, second):
        for hit in pair:
            if hit is not None:
                ordered.setdefault(hit.page.ref, hit)
    return _ranked(ordered.values())


def _ranked(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1))


def _likelihood(found: Retrieval, page: PageRef) -> float:
    """Return the highest likelihood that a block of the page answers the question; 0 if none was read."""
    of_page = (hit.likelihoods.values() for hit in found.hits if hit.page.ref == page)
    return max(chain.from_iterable(of_page), default=0.0)
