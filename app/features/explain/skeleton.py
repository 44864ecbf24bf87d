"""Skeletons of pages to be written: subject and sections, by visitors' questions. Pure functions."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from app.search import analysis
from app.search.answer_kinds import asked_kinds, kind_words

SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "permission": ("permission",),
    "price": ("price",),
    "place": ("where", "hours", "when"),
    "documents": ("documents",),
    "how_long": ("how_long",),
    "contact": ("reach", "who"),
}
"""The kinds of text (:mod:`app.search.answer_kinds`) in each section, in the order of sections on pages."""

SUBJECT_WORDS: Final = 6

_HEADING: Final = re.compile(r"(#{1,6})\s.*")


def subject(questions: Sequence[str], language: str) -> str:
    """Return the subject of the questions, in words of the first one.

    They are the content words that at least half of the questions share, or else all its content words.
    Words that ask for a kind of text do not count; if there are no others, it is the question itself."""
    first = questions[0]
    forms = [set(analysis.tokens(question, language)) for question in questions]

    def is_shared(word: str) -> bool:
        own = set(analysis.tokens(word, language))
        return 2 * sum(not own.isdisjoint(each) for each in forms) >= len(forms)

    content = set(analysis.content_words(first, language))
    asking = {place for span in kind_words(first) for place in span}
    named = [
        word[0]
        for word in re.finditer(r"\w[\w-]*", first)
        if not content.isdisjoint(analysis.folded(word[0])) and word.start() not in asking
    ]
    words = list(filter(is_shared, named)) or named
    found = " ".join(words[:SUBJECT_WORDS]) or first.rstrip("?!. ")
    return found[:1].upper() + found[1:]


def written(text: str, blanks: Collection[str]) -> str:
    """Return a draft's Markdown without paragraphs that are only ``blanks``, and without headings that have
    nothing below, because neither answers a question."""
    parts = [part for part in re.split(r"\n\s*\n", text) if part.strip() not in blanks]
    below = [*map(_heading_level, parts), 1][1:]
    kept = (part for part, after in zip(parts, below, strict=True) if not 0 < after <= _heading_level(part))
    return "\n\n".join(kept)


def _heading_level(part: str) -> int:
    """Return the level of a heading, 1 to 6; 0 if the part is not just a heading."""
    heading = _HEADING.fullmatch(part.strip())
    return len(heading[1]) if heading else 0


def skeleton(questions: Iterable[str], texts: Mapping[str, str], contact: str, opening: str = "") -> str:
    """Return the Markdown of a page without its title: the sections asked for most come first, then the
    others. ``texts``: in the page's language; ``contact``: the site's, if it has one; ``opening``: the first
    paragraph, if it is written."""
    sections = {kind: name for name, kinds in SECTIONS.items() for kind in kinds}
    kinds = chain.from_iterable(map(asked_kinds, questions))
    asked = Counter(sections[kind.name] for kind in kinds if kind.name in sections)
    order = dict.fromkeys((*(name for name, _ in asked.most_common()), *SECTIONS))
    blank = texts["page_blank"]
    parts = [opening or blank]
    for name in order:
        below = contact if name == "contact" and contact else blank
        parts += [f"## {texts[f'page_{name}']}", below]
    return "\n\n".join(parts) + "\n"
