"""Pages that compete for a question.

They do if the question is short and names all of them but none alone, or if it is general and they are about
equally near.

A question names a page by words of its title, otherwise of its headings. A compound that ends with a word
also counts (*Parkausweis* names *Bewohnerparkausweis*), and so do synonyms of German words (*Bücherei* names
*Stadtbibliothek*). A page is meant alone if its title has no other words than the question, or more of them
than the other titles. Pure functions for German and English; in other languages whole words count.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.chat.text.wording import wording
from app.search import analysis
from app.search.answer_kinds import asked_kinds
from app.search.languages import question_language
from app.search.retrieval import Hit, Retrieval
from app.search.thesaurus import senses
from app.search.types import IndexedPage

MOST_PAGES: Final = 4
READ_PAGES: Final = 8
MOST_WORDS: Final = 4
"""Content words of a question; one with more is clear by itself."""

MOST_WORDS_OF_KINDS: Final = 3
"""The same for a question that names no subject, such as "opening hours"."""

PART_LETTERS: Final = 4
"""A word with at least this many letters is found at the end of a compound that is longer by more than
``MORE``.

If it is the whole question, it is also found at the start, if at least as many letters follow: *Müll* names
*Müllabfuhr*, but *Hund* does not name *Hundert*.
"""

MORE: Final = 2
SHORT_PART: Final = 3
"""A word with this many letters is found at the end of an even longer compound: *Bad* names *Freibad*."""

CLOSE: Final = 0.6
"""From this share of the best page's coverage up, other pages have a word about as much as that page."""

VERY_CLOSE: Final = 0.85
"""The same for a question of one word that no title has."""

NEAR: Final = 0.8
"""From this share of the nearest block's relevance up, those of other pages are about as near."""

NEAR_WORD: Final = 0.75
"""The same for a question of one word: the share of the nearest page's score."""

MOST_CASES: Final = 3
"""If more titles than this have the subjects, a title with nothing else is an overview of cases."""

LEAST_ALIKE: Final = 3
"""Pages that have a word only in their text compete for it if there are at least this many."""

READ_CHARACTERS: Final = 30_000

_HEADING: Final = re.compile(r"^#{1,6} +(.*)", re.MULTILINE)
_VERB: Final = re.compile(r"[a-zäöüß]+(?:en|ern|eln)")
_BETWEEN_PARTS: Final = re.compile(r"[^\w\s-]|\n|\b(?:und|oder|and|or)\b")
_BETWEEN_GERMAN_PARTS: Final = re.compile(rf"{_BETWEEN_PARTS.pattern}|\b{_VERB.pattern}\b")
"""Separates the parts of a title ("Stamps, letters and parcels"). In German this includes verbs; in English a
lower-case word with such an ending is no verb ("Brown garden waste")."""


@dataclass(frozen=True, slots=True)
class _Subjects:
    """The subjects of a question: all forms of each, for pages in ``language``.

    ``is_alone``: the question has no other word, so compounds that begin with this one count as well.
    """

    forms: tuple[frozenset[str], ...]
    language: str
    is_alone: bool = False

    def are_named(self, text: str) -> bool:
        """Return True if the text names all of them."""
        return self.named_in(text) == len(self.forms)

    def named_in(self, text: str) -> int:
        """Return the number of them that the text names."""
        stems = analysis.tokens(text, self.language)
        return sum(_names(forms, stems, at_start=self.is_alone) for forms in self.forms)

    def are_all(self, title: str) -> bool:
        """Return True if a title has content words and each is one of them."""
        words = analysis.content_words(title, self.language)
        known = frozenset[str]().union(*self.forms)
        return bool(words) and all(
            not known.isdisjoint(analysis.tokens(word, self.language)) for word in words
        )

    def mean_one(self, titled: Sequence[Hit]) -> bool:
        """Return True if they mean one of the pages whose titles name them."""
        titles = [_title(hit.page) for hit in titled]
        between = _BETWEEN_GERMAN_PARTS if self.language == "de" else _BETWEEN_PARTS
        parts = between.split(titles[0]) if len(titles) == 1 else titles
        return len(titles) <= MOST_CASES and any(map(self.are_all, parts))


def competing_pages(question: str, retrieval: Retrieval) -> tuple[Hit, ...]:
    """Return the competing pages, best first, from two to ``MOST_PAGES``; usually empty."""
    if not retrieval.hits or not _is_open(retrieval):
        return ()
    language = question_language(question) or retrieval.hits[0].page.ref.language
    words = analysis.content_words(question, language)
    if len(words) > MOST_WORDS:
        return ()
    hits = _in_one_language(retrieval.hits[:READ_PAGES], language)
    named = _subjects_of(question, language, hits)
    if not named.forms:
        found = _of_kinds(question, hits) if len(words) <= MOST_WORDS_OF_KINDS else []
    elif len(words) == 1 and analysis.is_short(question):
        found = _having_word(replace(named, is_alone=True), hits)
    else:
        is_single = len(named.forms) == 1 and len(words) < MOST_WORDS
        found = _named_alike(named, hits, is_single=is_single)
        found = _without_lesser(replace(named, forms=_forms(words, language, named.language)), found)
    return tuple(found[:MOST_PAGES]) if len(found) > 1 else ()


def near_pages(question: str, retrieval: Retrieval) -> tuple[Hit, ...]:
    """Return the pages that are about as near as the nearest one, from two to ``MOST_PAGES``, or none.

    A general question may mean each of them.
    """
    if retrieval.mode != "semantic" or not retrieval.hits or not _is_open(retrieval):
        return ()
    hits = _in_one_language(retrieval.hits[:READ_PAGES], question_language(question))
    near = [max((block.relevance for block in hit.compared_blocks), default=0.0) for hit in hits]
    found = [hit for hit, own in zip(hits, near, strict=True) if own >= NEAR * max(near) > 0]
    return tuple(found[:MOST_PAGES]) if len(found) > 1 else ()


def is_open_word(question: str, retrieval: Retrieval) -> bool:
    """Return True for a single word by which pages were found, but which is no page's title.

    It may also mean pages that use other words.
    """
    if retrieval.mode != "keyword" or not retrieval.hits or not _is_open(retrieval):
        return False
    language = question_language(question) or retrieval.hits[0].page.ref.language
    if not analysis.is_short(question) or len(analysis.content_words(question, language)) != 1:
        return False
    hits = _in_one_language(retrieval.hits[:READ_PAGES], language)
    named = _subjects_of(question, language, hits)
    return not named.mean_one([hit for hit in hits if named.are_named(_title(hit.page))])


def with_near(retrieval: Retrieval, near: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return the first page and the ``near`` ones whose scores are close to the highest, up to
    ``MOST_PAGES``, or none."""
    first = retrieval.hits[0]
    same = [hit for hit in near if hit.page.ref.language == first.page.ref.language and not hit.page.is_law]
    least = NEAR_WORD * max((hit.score for hit in same), default=0.0)
    found = [hit for hit in same if hit.score >= least > 0 and hit.page.ref != first.page.ref]
    return (first, *found)[:MOST_PAGES] if found else ()


def _is_open(retrieval: Retrieval) -> bool:
    """Return True unless something else decides which page is meant, or that none is."""
    return (
        retrieval.mode != "lookup"
        and retrieval.certainty != "far"
        and not (retrieval.absent_words or retrieval.about or retrieval.other_readings)
        and not retrieval.hits[0].page.is_law
    )


def _in_one_language(hits: Sequence[Hit], asked: str | None) -> list[Hit]:
    """The pages in the language ``asked`` in, otherwise in that of the first: pages in other languages repeat
    them."""
    languages = [hit.page.ref.language for hit in hits]
    chosen = asked if asked in languages else languages[0]
    return [hit for hit, language in zip(hits, languages, strict=True) if language == chosen]


def _subjects_of(question: str, language: str, hits: Iterable[Hit]) -> _Subjects:
    """The subjects that the question names, without verbs that are in no title."""
    found = wording(question, language)
    own = next(iter(hits)).page.ref.language
    words = [word for word in found.subjects if word not in found.verbs] or [*found.subjects]
    forms = dict(zip(words, _forms(words, language, own), strict=True))
    titles = [analysis.tokens(_title(hit.page), own) for hit in hits]
    titled = [word for word in words if any(_names(forms[word], title) for title in titles)]
    if titled and all(_is_verb(word, question) for word in words if word not in titled):
        words = titled
    return _Subjects(tuple(forms[word] for word in words), own)


def _forms(words: Iterable[str], asked: str, own: str) -> tuple[frozenset[str], ...]:
    """All forms of each word and its synonyms, in the languages of the question (``asked``) and of the pages
    (``own``)."""
    return tuple(
        frozenset[str]().union(
            *(analysis.forms(each, (asked, own)) for each in (word, *_synonyms(word, asked)))
        )
        for word in words
    )


def _synonyms(word: str, language: str) -> list[str]:
    """Single words that may mean the same, in German only: the English thesaurus has rare meanings ("rat":
    informer)."""
    if language != "de":
        return []
    others = (other for sense in senses(word, language) for other in sense.words)
    return [other for other in others if len(analysis.folded(other)) == 1]


def _is_verb(word: str, question: str) -> bool:
    return bool(_VERB.fullmatch(word)) and word in question


def _having_word(named: _Subjects, hits: Sequence[Hit]) -> list[Hit]:
    """The pages that a single word may mean: their titles have it, or they have it about as much as the best
    page."""
    titled = [hit for hit in hits if named.are_named(_title(hit.page))]
    if named.mean_one(titled):
        return []
    least = (CLOSE if titled else VERY_CLOSE) * _best(hits)
    return [hit for hit in hits if hit.coverage >= least > 0 or hit in titled]


def _named_alike(named: _Subjects, hits: Sequence[Hit], *, is_single: bool) -> list[Hit]:
    """The pages whose titles name the subjects, otherwise whose headings do, otherwise, for a single subject,
    whose texts do."""
    titled = [hit for hit in hits if named.are_named(_title(hit.page))]
    if named.mean_one(titled):
        return []
    headed = titled or [hit for hit in hits if named.are_named(_headings(hit.page))]
    if headed or not is_single:
        return headed
    near = [hit for hit in hits if hit.coverage >= CLOSE * _best(hits)]
    alike = [hit for hit in near if named.are_named(_beginning(hit.page))]
    return alike if len(alike) >= LEAST_ALIKE else []


def _without_lesser(asked: _Subjects, hits: Sequence[Hit]) -> list[Hit]:
    """The pages, or only the one whose title names most of the words ``asked``."""
    counts = [asked.named_in(_title(hit.page)) for hit in hits]
    best = [hit for hit, count in zip(hits, counts, strict=True) if count == max(counts)]
    return best if len(best) == 1 else [*hits]


def _best(hits: Iterable[Hit]) -> float:
    return max(hit.coverage for hit in hits)


def _of_kinds(question: str, hits: Sequence[Hit]) -> list[Hit]:
    """The pages with a heading that names what a question without a subject asks for."""
    kinds = asked_kinds(question)
    return [hit for hit in hits if any(kind.asked.search(_headings(hit.page)) for kind in kinds)]


def _names(forms: Collection[str], stems: Iterable[str], *, at_start: bool = False) -> bool:
    """Return True if a word is among the stems or ends one of them or, if ``at_start``, begins one."""
    return any(
        stem in forms or any(_is_part(form, stem, at_start=at_start) for form in forms) for stem in stems
    )


def _is_part(word: str, stem: str, *, at_start: bool) -> bool:
    if len(word) < PART_LETTERS:
        return len(word) == SHORT_PART and stem.endswith(word) and len(stem) > len(word) + MORE + 1
    if stem.endswith(word):
        return len(stem) > len(word) + MORE
    return at_start and stem.startswith(word) and len(stem) >= len(word) + PART_LETTERS


def _title(page: IndexedPage) -> str:
    return "\n".join(page.fields.get(name, "") for name in ("title", "name"))


def _headings(page: IndexedPage) -> str:
    """The title with all headings."""
    return "\n".join((_title(page), *_HEADING.findall(page.fields.get("content", ""))))


def _beginning(page: IndexedPage) -> str:
    return page.fields.get("content", "")[:READ_CHARACTERS]
