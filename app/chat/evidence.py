"""Texts that an answer may rely on."""

from collections.abc import Container

from app.chat.context import Context
from app.chat.question_search import Query, QuestionResult
from app.chat.text.figure_places import SourceText
from app.chat.text.figure_subjects import FigureSubjects
from app.chat.text.figures import Evidence, figures_of
from app.chat.types import SourceItem
from app.law.units import celex_of


def evidence(query: Query, context: Context) -> Evidence:
    """Return the sources as the model reads them, and what the visitor wrote."""
    return Evidence([*_asked(query), *map(_read, context.used)])


def cites_its_figures(answer: str, cited: Container[int], query: Query, context: Context) -> bool:
    """True if a source that is ``cited`` has a figure of the answer; also where it has none but the
    visitor's own."""
    asked = Evidence(_asked(query))
    figures = [figure for figure in figures_of(answer) if asked.lacks([figure])]
    known = Evidence(_read(source) for source in context.used if source.number in cited)
    return not figures or not all(known.lacks([figure]) for figure in figures)


def _asked(query: Query) -> list[str]:
    return [query.question, *(turn.content for turn in query.history if turn.role == "user")]


def _read(source: SourceItem) -> str:
    """A source as the model reads it."""
    return f"{source.page.title}\n{source.page.url}\n{_days(source)}\n{source.text}"


def subjects(result: QuestionResult, context: Context) -> FigureSubjects:
    """Return what the figures of the sources belong to. The question is read as asked and as meant."""
    sources = [
        SourceText(source.page.title, source.text, source.page.ref.language) for source in context.used
    ]
    question = "\n".join(filter(None, (result.query.question, result.meant)))
    return FigureSubjects(sources, question, result.language)


def _days(source: SourceItem) -> str:
    """The dates and the number of an act that the prompt shows beside a source's text."""
    page = source.page
    changed = page.updated.date() if page.updated else None
    days = [page.published, changed, source.ended, page.metadata.get("version")]
    return " ".join(map(str, filter(None, [*days, celex_of(page)])))
