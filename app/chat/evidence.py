"""Checks an answer against the texts that it may rely on."""

import re
from collections.abc import Container
from typing import Final

from app.chat.answer_steps import AskedQuestion, QuestionResult
from app.chat.context import Context
from app.chat.source_items import SourceItem
from app.chat.text.figure_evidence import Evidence
from app.chat.text.figure_places import SourceText
from app.chat.text.figure_subjects import FigureSubjects
from app.chat.text.figures import figures_of
from app.chat.text.plain_text import text_units
from app.law.units import celex_of
from app.search import analysis
from app.search.answer_kinds import asked_kinds

_NO_FIGURE: Final = (
    re.compile(
        r"\b(?:\w*frei|gratis|umsonst|\w*kostenlos\w*|nichts?|nie(?:mals)?|kein\w*|ja|nein|vereinbarung"
        r"|absprache|anfrage|termin\w*|immer|jederzeit|rund um|durchgehend|ganzjährig|unbefristet|lebenslang"
        r"|sofort|hängt|abhängig|richtet sich|je nach|(?:stünd|täg|wöchent|monat|jähr)lich\w*|einmal"
        r"|hälfte|halb\w*|doppelt\w*|eine?[mnrs]?\s(?:tag|woche|monat|jahr|stunde|minute|euro|cent)\w*)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:free|nothing|not|no|never|none|yes|appointment|request|always|any ?time|around the clock"
        r"|all (?:day|year)|immediately|at once|depends?|varies|vary|according to|once|twice|half|double"
        r"|(?:hour|dai|week|month|year|annual)ly)\b|n['’]t\b",
        re.IGNORECASE,
    ),
)
"""Words that make a figure unnecessary: there is none, it depends, or the answer is yes or no. German and
English."""


def evidence(query: AskedQuestion, context: Context) -> Evidence:
    """Return the figures of the sources in the prompt, and of the visitor's questions."""
    return Evidence([*_asked(query), *map(_read, context.used)])


def cites_its_figures(answer: str, cited: Container[int], query: AskedQuestion, context: Context) -> bool:
    """Return True if a ``cited`` source has a figure of the answer, or if the answer has none except the
    visitor's own."""
    asked = Evidence(_asked(query))
    figures = [figure for figure in figures_of(answer) if asked.lacks([figure])]
    known = Evidence(_read(source) for source in context.used if source.number in cited)
    return not figures or not all(known.lacks([figure]) for figure in figures)


def named_words_of(text: str, question: str, language: str) -> int:
    """Return how many of the question's words a text has, or 0 if it has less than half of them. Words that
    say what kind of answer is asked for do not count."""
    asked = [word for word in analysis.content_words(question, language) if not asked_kinds(word)]
    own = set(analysis.tokens(text, language))
    named = sum(not own.isdisjoint(analysis.forms(word, [language])) for word in asked)
    return named if 2 * named >= len(asked) else 0


def lacks_asked_figure(
    answer: str, cited: Container[int], query: AskedQuestion, language: str, context: Context
) -> bool:
    """Return True if the question asks for a figure that a ``cited`` source has for what it names, but the
    answer has none and no word that makes one unnecessary ("free", "by appointment"). German and English."""
    kinds = [kind for kind in asked_kinds(query.question) if kind.is_figure]
    if not kinds or language not in {"de", "en"} or any(words.search(answer) for words in _NO_FIGURE):
        return False
    if figures_of(answer) or any(kind.found.search(answer) for kind in kinds):
        return False
    return any(
        any(kind.found.search(unit.text) for kind in kinds)
        and named_words_of(f"{unit.heading}\n{unit.text}", query.question, source.page.ref.language)
        for source in context.used
        if source.number in cited
        for unit in text_units(source.text)
    )


def _asked(query: AskedQuestion) -> list[str]:
    return [query.question, *(turn.content for turn in query.history if turn.role == "user")]


def _read(source: SourceItem) -> str:
    """Return a source as it is in the prompt."""
    return f"{source.page.title}\n{source.page.url}\n{_days(source)}\n{source.text}"


def subjects(result: QuestionResult, context: Context) -> FigureSubjects:
    """Return the things that the figures of the sources belong to. Both the question as asked and the
    rephrased one count."""
    sources = [
        SourceText(source.page.title, source.text, source.page.ref.language) for source in context.used
    ]
    question = "\n".join(filter(None, (result.query.question, result.meant)))
    return FigureSubjects(sources, question, result.language)


def _days(source: SourceItem) -> str:
    """Return the dates and the number of an act that the prompt shows with a source's text."""
    page = source.page
    changed = page.updated.date() if page.updated else None
    days = [page.published, changed, source.ended, page.metadata.get("version")]
    return " ".join(map(str, filter(None, [*days, celex_of(page)])))
